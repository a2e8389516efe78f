"""Who may look at whom."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import attention_core as core
from attention_core.equations.masks import (
    as_additive,
    block_mask,
    every_query,
    layers_needed,
    no_mask,
    padding_mask,
    prefix_mask,
    reachable,
    sliding_window_mask,
    toggle_cells,
)
from tests.core.errors import check, says
from tests.core.gradients import drawer, frozen

lengths = st.integers(0, 23)


def picture(*rows):
    """Return the mask drawn in these rows: `x` is blocked, `.` is allowed."""
    return np.array([[mark == "x" for mark in row] for row in rows])


def test_causal_mask_of_three_drawn_by_hand():
    np.testing.assert_array_equal(core.causal_mask(3), picture(".xx", "..x", "..."))


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


@given(lengths, st.integers(1, 29))
def test_a_window_leaves_each_position_itself_and_those_just_before_it(length, window):
    seen = ~sliding_window_mask(length, window)
    for asking in range(length):
        assert list(np.flatnonzero(seen[asking])) == list(range(max(0, asking - window + 1), asking + 1))


@given(lengths, st.integers(0, 29))
def test_a_prefix_only_adds_to_what_a_causal_mask_allows(length, prefix):
    seen = ~prefix_mask(length, prefix)
    np.testing.assert_array_equal(seen[:, :prefix], np.ones((length, min(prefix, length)), bool))
    np.testing.assert_array_equal(seen[:, prefix:], ~core.causal_mask(length)[:, prefix:])


@given(lengths, st.integers(1, 29))
def test_blocks_see_the_same_block_only(length, size):
    seen = ~block_mask(length, size)
    for asking in range(length):
        first = asking // size * size
        assert list(np.flatnonzero(seen[asking])) == list(range(first, min(first + size, length)))


@pytest.mark.parametrize("batch", [(), (2,), (3, 2)])
def test_padding_keeps_the_batch_axes_of_the_lengths(batch):
    own = np.random.default_rng(0).integers(0, 8, batch)
    blocked = padding_mask(own, 7)
    assert blocked.shape == (*batch, 1, 7)
    np.testing.assert_array_equal((~blocked).sum(axis=(-2, -1)), own)


def test_padding_hides_the_padding_from_attention():
    draw = drawer()
    q, k, v = draw(2, 5, 3), draw(2, 7, 3), draw(2, 7, 2)
    output, weights = core.scaled_dot_product_attention(q, k, v, padding_mask([4, 7], 7))
    assert (weights[0, :, 4:] == 0).all()
    alone, _ = core.scaled_dot_product_attention(q[0], k[0, :4], v[0, :4])
    np.testing.assert_allclose(output[0], alone)


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


@given(st.integers(1, 17), st.integers(1, 5), st.integers(1, 4))
def test_a_window_reaches_its_width_less_one_further_with_each_layer(length, window, layers):
    reach = reachable(sliding_window_mask(length, window), layers)
    assert reach.shape == (layers, length, length)
    np.testing.assert_array_equal(reach[-1], ~sliding_window_mask(length, layers * (window - 1) + 1))


@given(st.integers(1, 17), st.integers(1, 4))
def test_no_number_of_layers_sees_the_future_or_another_block(length, layers):
    np.testing.assert_array_equal(reachable(core.causal_mask(length), layers)[-1], ~core.causal_mask(length))
    np.testing.assert_array_equal(reachable(block_mask(length, 3), layers)[-1], ~block_mask(length, 3))


def test_the_residual_path_reaches_what_the_mask_blocks():
    np.testing.assert_array_equal(reachable(np.ones((3, 3), bool), 2), [np.eye(3, dtype=bool)] * 2)


def test_reachable_is_what_a_change_of_the_input_can_change():
    blocked, layers, x = sliding_window_mask(7, 3), 2, drawer()(7, 5)

    def stack(x):
        for _ in range(layers):
            x = x + core.scaled_dot_product_attention(x, x, x, blocked)[0]
        return x

    reach = reachable(blocked, layers)[-1]
    for source in range(7):
        nudged = x.copy()
        nudged[source] += 1
        moved = np.abs(stack(nudged) - stack(x)).max(axis=-1)  # (T,)
        np.testing.assert_array_equal(moved > 1e-9, reach[:, source])  # less is the rounding of a shared maximum


def test_making_a_mask_leaves_its_arguments_alone():
    blocked = frozen(core.causal_mask(5))
    core.additive_mask(blocked)
    as_additive(blocked, np.dtype(np.float32))
    reachable(blocked, 3)
    padding_mask(frozen(np.array([1, 2])), 3)


def test_no_mask_blocks_nothing():
    np.testing.assert_array_equal(no_mask(3), picture("...", "...", "..."))


def test_padding_said_for_every_query():
    np.testing.assert_array_equal(every_query(padding_mask(2, 3)), picture("..x", "..x", "..x"))


def test_cells_flipped_by_hand_and_back():
    cells = [(0, 2), (2, 0), (1, 1)]
    np.testing.assert_array_equal(toggle_cells(frozen(core.causal_mask(3)), cells), picture(".x.", ".xx", "x.."))
    np.testing.assert_array_equal(toggle_cells(toggle_cells(core.causal_mask(3), cells), cells), core.causal_mask(3))


RAGGED = [[True], [True, False]]
REGULAR = "must be a regular array, got rows of different lengths"


@says(
    (lambda: core.additive_mask(RAGGED), f"blocked {REGULAR}"),
    (lambda: padding_mask([[1], [2, 3]], 3), f"lengths {REGULAR}"),
    (lambda: reachable(RAGGED, 2), f"blocked {REGULAR}"),
    (lambda: layers_needed(RAGGED), f"reach {REGULAR}"),
    (lambda: every_query(np.ones((2, 2), bool)), "blocked must be a boolean (1, S) mask, got bool (2, 2)"),
    (lambda: toggle_cells(np.ones((2, 2)), []), "blocked must be a boolean (T, S) mask, got float64 (2, 2)"),
    (lambda: toggle_cells(core.causal_mask(2), [(2, 0)]), "query must be between 0 and 1, got 2"),
    (lambda: toggle_cells(core.causal_mask(2), [(0, -1)]), "key must be between 0 and 1, got -1"),
)
def test_what_lessons_do_to_masks_says_what_is_wrong(call, message):
    check(call, message)
