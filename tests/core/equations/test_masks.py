"""Who may look at whom."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import attention_core as core
from attention_core.equations.masks import block_mask, padding_mask, prefix_mask, sliding_window_mask
from attention_core.experiments.masks.painted_masks import layers_needed, reachable, toggle_cells
from attention_core.inputs import as_additive
from tests.core.gradients import frozen

lengths = st.integers(0, 23)


def picture(*rows):
    """Return the mask drawn in these rows: `x` is blocked, `.` is allowed."""
    return np.array([[mark == "x" for mark in row] for row in rows])


def test_window_of_two_drawn_by_hand():
    np.testing.assert_array_equal(sliding_window_mask(5, 2), picture(".xxxx", "..xxx", "x..xx", "xx..x", "xxx.."))


def test_prefix_of_two_drawn_by_hand():
    np.testing.assert_array_equal(prefix_mask(5, 2), picture("..xxx", "..xxx", "...xx", "....x", "....."))


def test_blocks_of_two_drawn_by_hand():
    np.testing.assert_array_equal(block_mask(5, 2), picture("..xxx", "..xxx", "xx..x", "xx..x", "xxxx."))


def test_padding_drawn_by_hand():
    own = padding_mask([2, 0, 3], 3)
    assert own.shape == (3, 1, 3)
    np.testing.assert_array_equal(own[:, 0], picture("..x", "xxx", "..."))


@given(lengths)
def test_causal_mask_hides_the_future_and_nothing_else(length):
    blocked = core.causal_mask(length)
    assert blocked.dtype == bool
    assert blocked.shape == (length, length)
    for asking in range(length):
        assert list(np.flatnonzero(blocked[asking])) == list(range(asking + 1, length))


def test_additive_mask_is_zero_where_allowed_and_minus_infinity_where_blocked():
    np.testing.assert_array_equal(core.additive_mask([[False, True], [False, False]]), [[0, -np.inf], [0, 0]])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_mask_becomes_additive_in_the_dtype_of_the_scores(dtype):
    assert as_additive(None, np.dtype(dtype)) is None
    blocked = as_additive(core.causal_mask(3), np.dtype(dtype))
    assert blocked.dtype == dtype
    np.testing.assert_array_equal(blocked, core.additive_mask(core.causal_mask(3)))
    bias = frozen(np.array([[0.5, -np.inf], [2, 0]]))
    added = as_additive(bias, np.dtype(dtype))
    assert added.dtype == dtype
    np.testing.assert_array_equal(added, bias)
    assert (added is bias) == (dtype == np.float64)  # what fits is not copied


def test_what_two_layers_can_reach_worked_by_hand():
    # with a window of two, each layer hands on what stood one place earlier
    one, two = reachable(sliding_window_mask(4, 2), 2)
    np.testing.assert_array_equal(one, ~picture(".xxx", "..xx", "x..x", "xx.."))
    np.testing.assert_array_equal(two, ~picture(".xxx", "..xx", "...x", "x..."))
    needed = layers_needed(np.stack([one, two]))
    np.testing.assert_array_equal(needed, [[1, 0, 0, 0], [1, 1, 0, 0], [2, 1, 1, 0], [0, 2, 1, 1]])


def test_cells_flipped_by_hand_and_back():
    cells = [(0, 2), (2, 0), (1, 1)]
    np.testing.assert_array_equal(toggle_cells(frozen(core.causal_mask(3)), cells), picture(".x.", ".xx", "x.."))
    np.testing.assert_array_equal(toggle_cells(toggle_cells(core.causal_mask(3), cells), cells), core.causal_mask(3))
