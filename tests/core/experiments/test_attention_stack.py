"""A stack of layers: which rows a changed word, or another order, moves with the mask and without it."""

import numpy as np
import pytest

import attention_core as core
from attention_core.experiments.masks.attention_stack import moved_by_order, moved_by_word, random_layers
from attention_core.experiments.qkv.one_head import random_head
from tests.core.gradients import drawer

T, D, K, L = 5, 7, 3, 3
X, LAYERS, MASK = drawer()(T, D), random_layers(L, D, K, 20), core.additive_mask(core.causal_mask(T))


def stream(x, masked):
    """Return the rows after each layer, in plain NumPy."""
    after = []
    for layer in range(L):
        q, k, v = (x @ matrix for matrix in random_head(D, K, 20 + layer, D))
        x = x + core.softmax(q @ k.T / np.sqrt(K) + (MASK if layer in masked else 0)) @ v
        after.append(x)
    return np.stack(after)


@pytest.mark.parametrize("masked", [[0, 1, 2], [0], [1, 2], []])
@pytest.mark.parametrize("place", [4, 2])
def test_a_changed_word_reaches_earlier_ones_from_the_first_layer_without_the_mask_on(place, masked):
    other = drawer(1)(T, D)
    found = moved_by_word(X, other, place, LAYERS, MASK, masked)
    changed = np.where(np.arange(T)[:, None] == place, other, X)
    np.testing.assert_allclose(found, np.linalg.norm(stream(changed, masked) - stream(X, masked), axis=-1), atol=1e-12)
    first = next((layer for layer in range(L) if layer not in masked), L)
    assert found[:first, :place].max(initial=0) < 1e-12
    assert (found[first:, :place] > 1e-3).all()


@pytest.mark.parametrize("order", [[0, 2, 1, 3, 4], [4, 1, 2, 3, 0]])
def test_another_order_moves_no_row_without_a_mask_and_under_it_the_last_one_from_the_second_layer_on(order):
    assert moved_by_order(X, order, LAYERS, None).max() < 1e-9
    found = moved_by_order(X, order, LAYERS, MASK)
    back = stream(X[order], range(L))[:, np.argsort(order)]
    np.testing.assert_allclose(found, np.linalg.norm(stream(X, range(L)) - back, axis=-1), atol=1e-12)
    assert (found[1:, -1] > 0.01).all()
    assert (found[0, -1] < 1e-12) == (order[-1] == T - 1)
