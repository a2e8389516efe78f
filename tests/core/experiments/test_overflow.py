import numpy as np
import pytest

from attention_core.experiments.scaling.overflow import softmax_in_float32


def test_thirds_worked_by_hand():
    found = softmax_in_float32(np.log([2.0, 1.0]), 0.0, 1.0, False)
    np.testing.assert_allclose(found.exponentials, [2, 1], rtol=1e-6)
    np.testing.assert_allclose(found.weights, [2 / 3, 1 / 3], rtol=1e-6)
    assert not found.overflowed
    assert found.largest == pytest.approx(2 / 3)
