"""What a lesson changes: each change is worked by hand, says what is wrong with bad input, and spares its argument."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core.equations.attention import attention_forward
from attention_core.experiments.qkv.one_head import (
    JOBS,
    HeadMatrices,
    attend,
    hand_set_embedding,
    hand_set_head,
    random_head,
)
from attention_core.experiments.qkv.perturb import (
    add_to_column,
    add_to_row,
    attends_to_itself,
    changed_cells,
    dot_products,
    least_symmetric,
    masked_scores,
    mix_values,
    one_number_changed,
    queries_as_keys,
    reaches,
    rotate_in_plane,
    softmax_at,
    softmax_both_ways,
    standard_deviation,
)
from tests.core.errors import check, says
from tests.core.gradients import BATCHES, drawer, frozen

T, S, K, D = 5, 7, 3, 11
NAN, INF = float("nan"), float("inf")
seeds = st.integers(0, 2**32 - 1)
batches = pytest.mark.parametrize("batch", BATCHES)


def zeros(*shape):
    """Return an array of this shape, of which only the shape matters."""
    return np.zeros(shape)


def given_array(*rows):
    """Return a read-only array of floats, so that writing into it raises."""
    return frozen(np.array(rows, dtype=float))


# dot products


def test_dot_products_worked_by_hand():
    left, right = given_array([1, 2, 3], [0, -1, 5]), given_array([4, 5, 6])
    np.testing.assert_array_equal(dot_products(left, right), [[4 + 10 + 18], [-5 + 30]])


@batches
def test_each_row_meets_each_row(batch):
    draw = drawer()
    left, right = draw(*batch, T, K), draw(*batch, S, K)
    products = dot_products(left, right)
    assert products.shape == (*batch, T, S)
    for index in np.ndindex(*batch, T, S):
        *place, i, j = index
        assert products[index] == pytest.approx(sum(left[*place, i] * right[*place, j]), abs=1e-12)


def test_dot_products_are_the_scores_before_scaling():
    draw = drawer()
    q, k = draw(T, K), draw(S, K)
    np.testing.assert_allclose(dot_products(q, k) / np.sqrt(K), attention_forward(q, k, draw(S, 2)).scores)


@says(
    (lambda: dot_products(zeros(5, 3), zeros(3, 7)), "left and right must have rows of the same width, got (5, 3) and"),
    (lambda: dot_products(zeros(3), zeros(5, 3)), "left must have at least 2 axes, got shape (3,)"),
    (lambda: dot_products(zeros(5, 3), zeros(3)), "right must have at least 2 axes, got shape (3,)"),
    (lambda: dot_products([["a"]], [["b"]]), "left must contain real numbers, got dtype <U1"),
    (lambda: dot_products([[1], [2, 3]], [[1]]), "left must be a regular array, got rows of different lengths"),
)
def test_dot_products_say_what_does_not_fit(call, message):
    check(call, message)


# one number, one row, one column


def test_one_number_changes_and_no_other():
    matrix = given_array([1, 2, 3], [4, 5, 6])
    np.testing.assert_array_equal(one_number_changed(matrix, 1, 2, -10), [[1, 2, 3], [4, 5, -4]])
    np.testing.assert_array_equal(one_number_changed(matrix, 0, 0, 0.5), [[1.5, 2, 3], [4, 5, 6]])


def test_a_constant_is_added_to_a_row_or_to_a_column():
    scores = given_array([1, 2, 3], [4, 5, -INF])
    np.testing.assert_array_equal(add_to_row(scores, 1, 10), [[1, 2, 3], [14, 15, -INF]])
    np.testing.assert_array_equal(add_to_column(scores, 2, -1), [[1, 2, 2], [4, 5, -INF]])


@pytest.mark.parametrize(
    "change",
    [lambda x: one_number_changed(x, 0, 1, 1), lambda x: add_to_row(x, 0, 1), lambda x: add_to_column(x, 1, 1)],
)
@pytest.mark.parametrize("matrix", [[[1, 2], [3, 4]], np.array([[1, 2], [3, 4]]), np.array([[1.0, 2], [3, 4]])])
def test_what_is_changed_is_a_copy(change, matrix):
    changed = change(matrix)
    assert changed.dtype == np.float64
    assert changed[0, 1] == 3
    np.testing.assert_array_equal(matrix, [[1, 2], [3, 4]])
    assert not np.shares_memory(changed, matrix)


def test_single_precision_stays():
    matrix = frozen(np.ones((2, 3), np.float32))
    changes = [one_number_changed(matrix, 0, 1, 0.5), add_to_row(matrix, 0, 0.5), add_to_column(matrix, 0, 0.5)]
    assert {str(changed.dtype) for changed in changes} == {"float32"}


@given(seed=seeds, constant=st.floats(-50, 50))
def test_softmax_does_not_see_what_is_added_to_a_row_but_what_is_added_to_a_column(seed, constant):
    scores = drawer(seed)(T, S)
    before = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(softmax_at(add_to_row(scores, 3, constant), 1), before, rtol=1e-9)
    after = softmax_at(add_to_column(scores, 2, constant), 1)
    raised = before[:, 2] * np.exp(constant)
    np.testing.assert_allclose(after[:, 2], raised / (1 - before[:, 2] + raised), rtol=1e-9)


@says(
    (lambda: one_number_changed(zeros(5, 7), 5, 0, 1), "row must be between 0 and 4, got 5"),
    (lambda: one_number_changed(zeros(5, 7), -1, 0, 1), "row must be between 0 and 4, got -1"),
    (lambda: one_number_changed(zeros(5, 7), 0, 7, 1), "column must be between 0 and 6, got 7"),
    (lambda: one_number_changed(zeros(5, 7), 0, 1.0, 1), "column must be a whole number, got 1.0"),
    (lambda: one_number_changed(zeros(5, 7), 0, 0, NAN), "by must be a finite number, got nan"),
    (lambda: one_number_changed(zeros(5, 7), 0, 0, "1"), "by must be a finite number, got '1'"),
    (lambda: one_number_changed(zeros(7), 0, 0, 1), "matrix must be a matrix, got shape (7,)"),
    (lambda: one_number_changed(zeros(2, 5, 7), 0, 0, 1), "matrix must be a matrix, got shape (2, 5, 7)"),
    (lambda: one_number_changed([[None]], 0, 0, 1), "matrix must contain real numbers, got dtype object"),
    (lambda: add_to_row(zeros(5, 7), 5, 1), "row must be between 0 and 4, got 5"),
    (lambda: add_to_row(zeros(5, 7), True, 1), "row must be a whole number, got True"),
    (lambda: add_to_row(zeros(5, 7), 0, INF), "constant must be a finite number, got inf"),
    (lambda: add_to_row(1.0, 0, 1), "scores must be a matrix, got shape ()"),
    (lambda: add_to_row(zeros(2, 5, 7), 4, 1), "scores must be a matrix, got shape (2, 5, 7)"),
    (lambda: add_to_row([[1], [2, 3]], 0, 1), "scores must be a regular array, got rows of different lengths"),
    (lambda: add_to_column(zeros(5, 7), 7, 1), "column must be between 0 and 6, got 7"),
    (lambda: add_to_column(zeros(5, 7), 0, False), "constant must be a finite number, got False"),
    (lambda: add_to_column(zeros(5), 0, 1), "scores must be a matrix, got shape (5,)"),
    (lambda: add_to_column(zeros(2, 5, 7), 6, 1), "scores must be a matrix, got shape (2, 5, 7)"),
)
def test_a_change_out_of_bounds_says_what_is_wrong(call, message):
    check(call, message)


# scores as softmax sees them


def test_softmax_sees_the_mask_added():
    # q · k / √1 = 2 and 3 in the first row, 4 and 6 in the second
    parts = [np.array(rows, dtype=float) for rows in ([[1], [2]], [[2], [3]], [[1], [1]])]
    mask = given_array([0, -INF], [0.5, 0])
    np.testing.assert_allclose(masked_scores(attention_forward(*parts, mask)), [[2, -INF], [4.5, 6]])
    np.testing.assert_allclose(masked_scores(attention_forward(*parts)), [[2, 3], [4, 6]])


@batches
def test_a_mask_for_all_is_seen_in_each(batch):
    draw = drawer()
    cache = attention_forward(draw(*batch, T, K), draw(*batch, S, K), draw(*batch, S, 2), draw(S))
    before = cache.scores.copy()
    assert masked_scores(cache).shape == (*batch, T, S)
    np.testing.assert_allclose(np.exp(masked_scores(cache)), np.exp(before) * np.exp(cache.mask))
    np.testing.assert_array_equal(cache.scores, before)


# queries as keys


def test_with_one_matrix_for_queries_and_keys_scores_are_symmetric():
    head, x = random_head(D, K, seed=2), drawer()(T, D)
    same = queries_as_keys(head)
    assert isinstance(same, HeadMatrices)
    assert same.w_q is same.w_k is head.w_q
    assert same.w_v is head.w_v
    assert head.w_k is not head.w_q
    scores = attend(x, same).scores
    np.testing.assert_allclose(scores, scores.T, atol=1e-12)
    own = attend(x, head).scores
    assert np.abs(own - own.T).max() > 0.1


# turning


@pytest.mark.parametrize(
    ("degrees", "expected"),
    [
        (0, [3, 1]),
        (90, [-1, 3]),
        (180, [-3, -1]),
        (-90, [1, -3]),
        (360, [3, 1]),
        (45, [math.sqrt(2), 2 * math.sqrt(2)]),  # (3 - 1) / √2 and (3 + 1) / √2
    ],
)
def test_a_turn_to_the_left_worked_by_hand(degrees, expected):
    np.testing.assert_allclose(rotate_in_plane(given_array(3, 1), degrees), expected, atol=1e-12)


@batches
def test_every_vector_turns_and_keeps_its_length(batch):
    vectors = drawer()(*batch, T, 2)
    after = rotate_in_plane(vectors, 30)
    assert after.shape == vectors.shape
    as_complex = (vectors[..., 0] + 1j * vectors[..., 1]) * np.exp(1j * np.pi / 6)
    np.testing.assert_allclose(after[..., 0], as_complex.real)
    np.testing.assert_allclose(after[..., 1], as_complex.imag)


@says(
    (lambda: rotate_in_plane(zeros(5, 3), 10), "vectors must have 2 numbers each, got (5, 3)"),
    (lambda: rotate_in_plane(1.0, 10), "vectors must have at least 1 axes, got shape ()"),
    (lambda: rotate_in_plane(zeros(5, 2), NAN), "degrees must be a finite number, got nan"),
    (lambda: rotate_in_plane(zeros(5, 2), None), "degrees must be a finite number, got None"),
)
def test_a_turn_out_of_the_plane_says_what_is_wrong(call, message):
    check(call, message)


# temperature


@pytest.mark.parametrize(
    ("temperature", "expected"),
    [
        (1, [1 / 7, 2 / 7, 4 / 7]),  # e^0, e^(ln 2), e^(ln 4) = 1, 2, 4
        (0.5, [1 / 21, 4 / 21, 16 / 21]),  # their squares
        (2, [1 / (3 + math.sqrt(2)), math.sqrt(2) / (3 + math.sqrt(2)), 2 / (3 + math.sqrt(2))]),  # their roots
        (0, [0, 0, 1]),
        (INF, [1 / 3, 1 / 3, 1 / 3]),
    ],
)
def test_temperature_worked_by_hand(temperature, expected):
    scores = given_array(0, math.log(2), math.log(4))
    np.testing.assert_allclose(softmax_at(scores, temperature), expected, atol=1e-15)


def test_at_zero_the_best_share_what_there_is():
    scores = given_array([3, 1, 3, -INF], [-800, -900, -901, -INF])
    np.testing.assert_array_equal(softmax_at(scores, 0), [[0.5, 0, 0.5, 0], [1, 0, 0, 0]])


@pytest.mark.parametrize(("near", "end"), [(1e-4, 0), (1e9, INF), (1e-4, 0.0), (1e9, np.float64(INF))])
@batches
@pytest.mark.promise("qkv 5")
def test_the_ends_are_the_limits_and_what_is_blocked_stays_so(near, end, batch):
    scores = drawer()(*batch, T, S).copy()
    scores[..., 1, 2:] = -INF
    scores[..., 3, :] = -INF
    shares = softmax_at(frozen(scores), end)
    assert shares.shape == scores.shape
    np.testing.assert_allclose(shares, softmax_at(scores, near), atol=1e-8)
    np.testing.assert_allclose(shares.sum(axis=-1), np.broadcast_to([1, 1, 1, 0, 1], (*batch, T)))


def test_whole_numbers_may_be_shared_too():
    np.testing.assert_array_equal(softmax_at([[2, 2], [1, 0]], 0), [[0.5, 0.5], [1, 0]])
    np.testing.assert_array_equal(softmax_at([[2, 2], [1, 0]], INF), np.full((2, 2), 0.5))


@pytest.mark.parametrize("temperature", [0, 1.5, INF])
def test_where_there_is_nothing_to_share_nothing_is_shared(temperature):
    assert softmax_at(zeros(3, 0), temperature).shape == (3, 0)


@says(
    (lambda: softmax_at([1, 2], -1), "temperature must be at least 0, got -1"),
    (lambda: softmax_at([1, 2], -INF), "temperature must be at least 0, got -inf"),
    (lambda: softmax_at([1, 2], NAN), "temperature must be at least 0, got nan"),
    (lambda: softmax_at([1, 2], "1"), "temperature must be at least 0, got '1'"),
    (lambda: softmax_at([1, 2], False), "temperature must be at least 0, got False"),
    (lambda: softmax_at(3.0, 1), "scores must have at least 1 axes, got shape ()"),
    (lambda: softmax_at([1, NAN], 1), "scores must not contain NaN or +inf, got 1 such"),
    (lambda: softmax_at([1, NAN], 0), "scores must not contain NaN or +inf, got 1 such"),
    (lambda: softmax_at([INF, NAN], INF), "scores must not contain NaN or +inf, got 2 such"),
)
def test_a_temperature_below_zero_says_what_is_wrong(call, message):
    check(call, message)


# what moved


def test_moved_is_told_apart_from_rounded():
    before = given_array([1, 1, 0, 0], [1e6, -INF, NAN, -INF])
    after = given_array([1 + 1e-12, 1 + 1e-6, 1e-12, 1e-6], [1e6 + 1e-4, -INF, NAN, 0])
    np.testing.assert_array_equal(
        changed_cells(before, after), [[False, True, False, True], [False, False, False, True]]
    )


def test_a_number_that_overflows_has_moved():
    np.testing.assert_array_equal(changed_cells([1.0, 1.0, INF], [INF, NAN, INF]), [True, True, False])


@batches
def test_moved_has_the_shape_of_what_may_move(batch):
    matrix = drawer()(*batch, T, S)
    assert not changed_cells(matrix, matrix).any()
    assert changed_cells(matrix, -matrix).all()
    assert changed_cells(matrix, -matrix).shape == (*batch, T, S)


@says(
    (
        lambda: changed_cells(zeros(5, 7), zeros(7, 5)),
        "before and after must have the same shape, got (5, 7) and (7, 5)",
    ),
    (lambda: changed_cells(zeros(5, 7), zeros(7)), "before and after must have the same shape, got (5, 7) and (7,)"),
    (lambda: changed_cells(["a"], ["a"]), "before must contain real numbers, got dtype <U1"),
    (lambda: changed_cells([1], [1j]), "after must contain real numbers, got dtype complex128"),
)
def test_what_cannot_be_compared_says_why(call, message):
    check(call, message)


# mirrors


def test_the_score_that_differs_most_from_its_mirror_image_worked_by_hand():
    assert least_symmetric(given_array([1, 2, 3], [5, 0, -1], [3, 0.5, 9])) == (0, 1)  # 5 - 2
    assert least_symmetric(given_array([7])) == (0, 0)


@says(
    (lambda: least_symmetric(zeros(5, 7)), "scores must be square, got (5, 7)"),
    (lambda: least_symmetric(zeros(5)), "scores must have at least 2 axes, got shape (5,)"),
    (lambda: attends_to_itself(zeros(7, 5)), "weights must be square, got (7, 5)"),
    (lambda: attends_to_itself(zeros(5)), "weights must have at least 2 axes, got shape (5,)"),
)
def test_what_has_no_diagonal_says_so(call, message):
    check(call, message)


def test_who_looks_at_itself_worked_by_hand():
    weights = given_array([0.6, 0.4, 0], [0.5, 0.25, 0.25], [0.5, 0, 0.5])
    np.testing.assert_array_equal(attends_to_itself(weights), [True, False, True])


@batches
def test_each_matrix_has_its_own_words_that_look_at_themselves(batch):
    weights = drawer()(*batch, T, T)
    found = attends_to_itself(weights)
    assert found.shape == (*batch, T)
    for *place, row in np.ndindex(*batch, T):
        others = np.delete(weights[*place, row], row)
        assert found[*place, row] == all(weights[*place, row, row] >= others)


# the mix


def test_a_mix_worked_by_hand():
    weights, values = given_array([0.25, 0.75], [1, 0]), given_array([4, 0, 8], [8, 4, 0])
    np.testing.assert_array_equal(mix_values(weights, values), [[7, 3, 2], [4, 0, 8]])


@batches
def test_a_mix_is_the_output_of_attention(batch):
    draw = drawer()
    cache = attention_forward(draw(*batch, T, K), draw(*batch, S, K), draw(*batch, S, 2))
    output = mix_values(cache.weights, cache.v)
    assert output.shape == (*batch, T, 2)
    for *place, row in np.ndindex(*batch, T):
        by_hand = sum(cache.weights[*place, row, key] * cache.v[*place, key] for key in range(S))
        np.testing.assert_allclose(output[*place, row], by_hand, atol=1e-12)


@says(
    (
        lambda: mix_values(zeros(5, 7), zeros(5, 3)),
        "weights must have a column for each row of values, got (5, 7) and (5, 3)",
    ),
    (lambda: mix_values(zeros(7), zeros(7, 3)), "weights must have at least 2 axes, got shape (7,)"),
    (lambda: mix_values(zeros(5, 7), zeros(7)), "values must have at least 2 axes, got shape (7,)"),
)
def test_what_cannot_be_mixed_says_why(call, message):
    check(call, message)


# softmax in both ways


def test_both_ways_worked_by_hand():
    # the row times 2: 0, 2 ln 3, so e^s = 1 and 9, and relative to the maximum 1/9 and 1
    both = softmax_both_ways(given_array([5, 5], [0, math.log(3)]), 1, 2)
    np.testing.assert_allclose(both.scores, [0, 2 * math.log(3)])
    np.testing.assert_allclose(both.plain, [1, 9])
    np.testing.assert_allclose(both.plain_shares, [1 / 10, 9 / 10])
    np.testing.assert_allclose(both.shifted, [1 / 9, 1])
    np.testing.assert_allclose(both.shares, [1 / 10, 9 / 10])


def test_where_the_formula_overflows_the_other_way_holds():
    both = softmax_both_ways(given_array([3, 2, 3]), 0, 1000)
    np.testing.assert_array_equal(both.plain, [INF, INF, INF])
    assert np.isnan(both.plain_shares).all()
    np.testing.assert_array_equal(both.shifted, [1, 0, 1])
    np.testing.assert_array_equal(both.shares, [0.5, 0, 0.5])


def test_where_every_exponential_vanishes_the_other_way_holds():
    both = softmax_both_ways(given_array([-1, -1]), 0, 1e6)
    np.testing.assert_array_equal(both.plain, [0, 0])
    assert np.isnan(both.plain_shares).all()
    np.testing.assert_array_equal(both.shares, [0.5, 0.5])


def test_blocked_keys_get_nothing_in_both_ways_and_a_blocked_row_has_no_shares():
    both = softmax_both_ways(given_array([1, -INF], [-INF, -INF]), 0, 10)
    np.testing.assert_array_equal([both.plain_shares, both.shares], [[1, 0], [1, 0]])
    nothing = softmax_both_ways(given_array([1, -INF], [-INF, -INF]), 1, 10)
    np.testing.assert_array_equal([nothing.plain, nothing.shifted, nothing.shares], np.zeros((3, 2)))


@given(seed=seeds, times=st.sampled_from([0.1, 1.0, 10.0]))
def test_both_ways_agree_while_nothing_overflows(seed, times):
    scores = drawer(seed)(T, S)
    for row in range(T):
        both = softmax_both_ways(scores, row, times)
        assert {part.shape for part in both} == {(S,)}
        np.testing.assert_allclose(both.shares, both.plain_shares, rtol=1e-10)
        np.testing.assert_allclose(both.plain, [math.exp(times * score) for score in scores[row]])


@says(
    (lambda: softmax_both_ways(zeros(5, 7), 5, 1), "row must be between 0 and 4, got 5"),
    (lambda: softmax_both_ways(zeros(5, 7), 0, 0), "times must be above 0, got 0"),
    (lambda: softmax_both_ways(zeros(5, 7), 0, NAN), "times must be above 0, got nan"),
    (lambda: softmax_both_ways(zeros(7), 0, 1), "scores must be a matrix, got shape (7,)"),
    (lambda: softmax_both_ways(zeros(2, 5, 7), 0, 1), "scores must be a matrix, got shape (2, 5, 7)"),
)
def test_both_ways_say_what_is_wrong(call, message):
    check(call, message)


# spread


def test_the_spread_worked_by_hand():
    assert standard_deviation(given_array([1, 3], [5, 7])) == pytest.approx(
        math.sqrt(5)
    )  # the mean is 4: 9 + 1 + 1 + 9 over 4
    assert standard_deviation(given_array([3, 3], [3, 3])) == 0
    assert standard_deviation([[1, 2]]) == 0.5
    assert type(standard_deviation(np.ones((2, 3), np.float32))) is float


@batches
def test_the_spread_is_that_of_all_numbers(batch):
    matrix = drawer()(*batch, T, S)
    assert standard_deviation(matrix + 100) == pytest.approx(np.sqrt((matrix**2).mean() - matrix.mean() ** 2))


def test_scores_of_any_width_have_a_spread_near_1_once_divided():
    x = drawer()(211, 64)
    for d_head in (2, 8, 32):
        cache = attend(x, random_head(64, d_head, seed=1))
        assert standard_deviation(cache.scores) == pytest.approx(1, abs=0.2)
        assert standard_deviation(dot_products(cache.q, cache.k)) == pytest.approx(
            math.sqrt(d_head) * standard_deviation(cache.scores)
        )


def test_a_spread_of_what_are_no_numbers_says_so():
    check(lambda: standard_deviation([["a"]]), "matrix must contain real numbers, got dtype <U1")


# what a change reaches

ALL = ("Q", "K", "V", "the weights", "the output")
USUAL = {
    "X": ALL,
    "W_Q": ("Q", "the weights", "the output"),
    "W_K": ("K", "the weights", "the output"),
    "W_V": ("V", "the output"),
}
ALONE = {"X": ("Q", "K", "V", "the output"), "W_Q": ("Q",), "W_K": ("K",), "W_V": ("V", "the output")}


def causal(length):
    """Return the mask that hides what comes later."""
    return np.where(np.tri(length) == 1, 0, -INF)


def some_head(seed=0, d_value=2):
    """Return a head whose matrices are read-only."""
    return HeadMatrices(*(frozen(matrix) for matrix in random_head(D, K, seed + 1, d_value)))


@pytest.mark.parametrize("mask", [None, causal(T), np.zeros((T, T))], ids=["none", "causal", "zero"])
def test_what_a_change_reaches(mask):
    assert reaches(drawer()(T, D), some_head(), mask) == USUAL


@pytest.mark.parametrize("mask", [None, causal(1)], ids=["none", "causal"])
def test_the_weight_of_one_word_is_1_whatever_moves(mask):
    assert reaches(drawer()(1, D), some_head(), mask) == ALONE


def test_where_each_word_sees_itself_alone_no_weight_moves():
    assert reaches(drawer()(T, D), some_head(), np.where(np.eye(T) == 1, 0, -INF)) == ALONE


def test_words_that_are_all_the_same_share_alike_until_one_of_them_moves():
    x = frozen(np.tile(drawer()(1, D), (3, 1)))
    assert reaches(x, some_head()) == ALONE | {"X": ALL}


def test_where_the_values_are_alike_the_output_is_theirs_whoever_looks_at_whom():
    # (a, 1) and (b, 1), of which W_V keeps the 1
    x, head = given_array([2, 1], [-1, 1]), HeadMatrices(np.eye(2), np.eye(2), given_array([0], [1]))
    found = reaches(x, head)
    assert found["W_Q"] == ("Q", "the weights")
    assert found["W_K"] == ("K", "the weights")
    assert found["W_V"] == ("V", "the output")


def test_nothing_is_made_of_nothing():
    head = HeadMatrices(*np.zeros((3, D, K)))
    assert reaches(zeros(T, D), head) == {"X": (), "W_Q": (), "W_K": (), "W_V": ()}
    assert reaches(zeros(T, D), some_head()) == {"X": ALL, "W_Q": (), "W_K": (), "W_V": ()}


def test_a_change_reaches_no_more_through_numbers_that_sum_to_nothing():
    # each row of X, of Q and of K sums to 0: a constant added to a whole matrix would not move what these move
    x = given_array([1, -1], [2, -2], [-3, 3])
    head = HeadMatrices(*(given_array([1, -1], [-1, 1]) for _ in range(3)))
    assert reaches(x, head) == USUAL


@pytest.mark.parametrize("job", JOBS)
def test_a_change_of_a_head_set_by_hand_reaches_as_far(job):
    words = ["the", "cat", "sat", "on", "the", "warm", "mat"]
    assert reaches(hand_set_embedding(words, 16), hand_set_head(job, 16, 8)) == USUAL


@given(seed=seeds, length=st.integers(1, 5))
def test_a_change_reaches_what_any_of_its_numbers_reaches(seed, length):
    x, head = drawer(seed)(length, D), some_head(seed % 1009)
    mask = causal(length) if seed % 2 else None

    def parts(x, w_q, w_k, w_v):
        q, k, v = x @ w_q, x @ w_k, x @ w_v
        powers = np.exp(q @ k.T / K**0.5 + (0 if mask is None else mask))
        weights = powers / powers.sum(axis=1, keepdims=True)
        return dict(zip(ALL, (q, k, v, weights, weights @ v), strict=True))

    given_parts = [x, *head]
    before, found = parts(*given_parts), {}
    for number, name in enumerate(USUAL):
        reached = set()
        for place in np.ndindex(given_parts[number].shape):
            changed = [part.copy() for part in given_parts]
            changed[number][place] += 0.5
            after = parts(*changed)
            reached |= {part for part in ALL if np.abs(after[part] - before[part]).max() > 1e-8}
        found[name] = tuple(part for part in ALL if part in reached)
    assert reaches(x, head, mask) == found


def test_what_a_change_reaches_of_no_matrix_says_so():
    check(lambda: reaches(zeros(D), some_head()), "x must have at least 2 axes, got shape (11,)")
