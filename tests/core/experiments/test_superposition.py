"""superposition: the gradient of the toy model, and how many features it keeps."""

import numpy as np
import pytest

from attention_core.experiments.inside.superposition import (
    FEATURES,
    KEPT,
    WIDTH,
    sparse_inputs,
    superposition,
    toy_gradient,
)

R, N = 3, 7


def test_the_gradient_is_that_of_central_differences():
    rng = np.random.default_rng(5)
    x = rng.random((N, FEATURES))
    arrays = rng.normal(size=(R, WIDTH, FEATURES)), rng.normal(size=(R, FEATURES))
    found = toy_gradient(x, *arrays)
    for array, gradient in zip(arrays, found[1:], strict=True):
        for place in np.ndindex(array.shape):
            kept, losses = array[place], []
            for change in (1e-6, -1e-6):
                array[place] = kept + change
                losses.append(toy_gradient(x, *arrays).loss[place[0]])
            array[place] = kept
            assert gradient[place] == pytest.approx((losses[0] - losses[1]) / 2e-6, abs=1e-7)


def test_two_features_of_two_dimensions_are_read_back_exactly():
    w = np.eye(WIDTH, FEATURES)[None]
    x, b = np.array([[0.5, 0.25, 0, 0, 0]]), np.zeros((1, FEATURES))
    assert not toy_gradient(x, w, b).loss.any()
    assert toy_gradient(x + np.eye(FEATURES)[2], w, b).loss == pytest.approx([0.81])  # .9² · 1²


def test_a_feature_is_active_as_often_as_it_is_said():
    assert (sparse_inputs(np.random.default_rng(1), 0.2, 10_007) > 0).mean() == pytest.approx(0.2, abs=0.01)


@pytest.mark.parametrize(("active", "kept"), [(1.0, 2), (0.6, 3), (0.4, 4), (0.2, 4), (0.1, 5), (0.05, 5)])
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.nightly)])
def test_the_rarer_features_are_the_more_of_them_are_kept(active, kept, seed):
    found = superposition(active, seed)
    assert (found.lengths > KEPT).sum() == kept
    np.testing.assert_allclose(found.products, found.w.T @ found.w)
    if active == 1:  # and then they are at right angles: none disturbs another
        assert np.abs(found.products[:2, :2] - np.eye(2)).max() < 0.1
    if active <= 0.1:  # each is read back where it alone is there, the others faintly
        assert np.diag(found.back).min() > 0.85
        assert (found.back - np.diag(np.diag(found.back))).max() < 0.3
