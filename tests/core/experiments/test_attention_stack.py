"""Attention on attention: a word hears of another through a third."""

import numpy as np
import pytest

from attention_core.equations.masks import (
    additive_mask,
    block_mask,
    causal_mask,
    prefix_mask,
    reachable,
    sliding_window_mask,
)
from attention_core.experiments.masks.attention_stack import (
    moved_by_word,
    random_layers,
    run_layers,
)
from attention_core.experiments.qkv.one_head import attend
from tests.core.gradients import frozen


@pytest.fixture
def words():
    rng = np.random.default_rng(0)
    return frozen(rng.standard_normal((7, 5))), frozen(rng.standard_normal((7, 5)))


def test_each_layer_adds_its_attention(words):
    x, _ = words
    layers = random_layers(2, 5, 3, 4)
    mask = additive_mask(causal_mask(7))
    first = x + attend(x, layers[0], mask).output
    second = first + attend(first, layers[1], mask).output
    np.testing.assert_allclose(run_layers(x, layers, mask), [first, second])


@pytest.mark.parametrize("blocked", [causal_mask(7), sliding_window_mask(7, 2), prefix_mask(7, 2), block_mask(7, 3)])
def test_what_moves_is_what_is_reachable(words, blocked):
    x, changed = words
    layers, reach = random_layers(3, 5, 3, 6), reachable(blocked, 3)
    for place in range(7):
        moved = moved_by_word(x, changed, place, layers, additive_mask(blocked))
        np.testing.assert_array_equal(moved > 1e-12, reach[:, :, place])


def test_a_later_word_gets_through_one_layer_after_the_first_without_the_mask(words):
    x, changed = words
    layers, mask = random_layers(4, 5, 3, 6), additive_mask(causal_mask(7))
    for first in range(4):  # without the mask; before it the last word changes nobody but itself
        masked = [layer for layer in range(4) if layer != first]
        moved = moved_by_word(x, changed, 6, layers, mask, masked) > 1e-12
        np.testing.assert_array_equal(moved[:, :6], np.repeat(np.arange(4)[:, None] >= first, 6, axis=1))
    np.testing.assert_array_equal(
        moved_by_word(x, changed, 6, layers, mask, range(4)), moved_by_word(x, changed, 6, layers, mask)
    )
