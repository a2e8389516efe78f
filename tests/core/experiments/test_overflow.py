import numpy as np
import pytest

from attention_core.experiments.scaling.overflow import remedies, softmax_in_float32
from attention_core.experiments.scaling.random_scores import one_table


def row(d_k=64, seed=895):
    table = one_table(d_k, 8, seed, 0)
    return table.q @ table.k.T


def test_thirds_worked_by_hand():
    found = softmax_in_float32(np.log([2.0, 1.0]), 0.0, 1.0, False)
    np.testing.assert_allclose(found.exponentials, [2, 1], rtol=1e-6)
    np.testing.assert_allclose(found.weights, [2 / 3, 1 / 3], rtol=1e-6)
    assert not found.overflowed
    assert found.largest == pytest.approx(2 / 3)
    assert found.gradient == pytest.approx(2 * 2 / 9, rel=1e-5)


def test_each_remedy_mends_its_own_trouble_and_not_the_other():
    products = row()
    found = remedies(products, 0, 100.0, 8.0)
    assert found.neither.overflowed
    assert found.divided.overflowed  # dividing does not mend overflow
    assert not found.subtracted.overflowed
    assert not found.both.overflowed
    assert found.subtracted.largest > 0.99  # subtracting does not mend saturation
    assert found.both.largest < 0.5
    assert found.both.gradient > 50 * found.subtracted.gradient


@pytest.mark.promise("scaling 5")
def test_saturation_needs_no_overflow_and_overflow_no_saturation():
    saturated = softmax_in_float32(np.array([60.0, 20.0]), 0.0, 1.0, False)
    assert not saturated.overflowed
    assert saturated.largest == pytest.approx(1)
    assert softmax_in_float32(np.array([100.0, 100.0]), 0.0, 1.0, False).overflowed
    assert softmax_in_float32(np.array([100.0, 100.0]), 0.0, 1.0, True).largest == 0.5
