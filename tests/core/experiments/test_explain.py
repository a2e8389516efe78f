"""Where one number of attention comes from: every step on paper, and equal to what the forward pass kept."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core.equations.attention import attention_forward
from attention_core.experiments.qkv.explain import explain_output, explain_weight, masked_scores
from tests.core.gradients import drawer

T, S, K, V = 5, 7, 3, 2
INF = np.inf
seeds = st.integers(0, 2**32 - 1)


def head(seed=0, size=1.0, dtype=np.float64):
    """Return the cache of a head whose mask blocks some cells, row 2 altogether, and biases others."""
    draw = drawer(seed, dtype)
    mask = np.where(draw(T, S) > 0.5, -INF, draw(T, S)).astype(dtype)
    mask[2] = -INF
    return attention_forward(size * draw(T, K), draw(S, K), draw(S, V), mask)


def test_a_weight_and_an_output_worked_by_hand():
    # q · k = [0, 2 ln 3, 2 ln 4] and √K = 2: scores [0, ln 3, ln 4]; the last is blocked, so 1/4 and 3/4 are left
    q, k = [[2, 0, 0, 1]], [[0, 5, 0, 0], [np.log(3), 0, 7, 0], [np.log(4), 0, 0, 0]]
    v = [[8.0, 1], [4, 3], [100, 100]]
    cache = attention_forward(*(np.array(a, dtype=float) for a in (q, k, v)), np.array([[0, 0, -INF]]))
    steps = explain_weight(cache, 0, 1)
    np.testing.assert_allclose(steps.products, [2 * np.log(3), 0, 0, 0])
    assert steps.scale == 1 / 2
    assert [steps.total, steps.score] == pytest.approx([2 * np.log(3), np.log(3)])
    assert (steps.added, steps.blocked, steps.shift) == (0, False, 0)
    np.testing.assert_allclose(steps.row_exponentials, [1, 3, 0])
    assert [steps.exponential, steps.row_sum, steps.weight] == pytest.approx([3, 4, 3 / 4])
    output = explain_output(cache, 0, 0)
    np.testing.assert_allclose(output.products, [8 / 4, 4 * 3 / 4, 0])
    assert output.total == pytest.approx(5)


@pytest.mark.parametrize(
    ("scores", "shift"),
    [([41.0, 0], 41), ([40.0, 0], 0), ([-41.0, -43], -41), ([1000.0, 999], 1000), ([-40.0, -41], 0)],
)
def test_a_row_is_shifted_by_its_maximum_only_if_that_is_beyond_forty(scores, shift):
    cache = attention_forward(np.ones((1, 1)), np.array(scores)[:, None], np.ones((2, 1)))
    for key in range(2):
        steps = explain_weight(cache, 0, key)
        assert steps.shift == shift
        assert steps.exponential == pytest.approx(math.exp(scores[key] - shift), rel=1e-12)
        assert steps.weight == pytest.approx(1 / (1 + math.exp(scores[1 - key] - scores[key])), rel=1e-12)


@given(seed=seeds, size=st.sampled_from([0.1, 1.0, 50.0, 1000.0]))
def test_every_number_is_the_one_before_it_and_ends_at_the_weight(seed, size):
    cache = head(seed, size)
    for query in range(T):
        for key in range(S):
            steps = explain_weight(cache, query, key)
            np.testing.assert_array_equal(steps.left * steps.right, steps.products)
            assert steps.total == pytest.approx(steps.products.sum(), rel=1e-12)
            assert steps.score == pytest.approx(steps.total * steps.scale, rel=1e-12, abs=1e-12 * size)
            assert steps.added == cache.mask[query, key]
            assert steps.blocked == (cache.mask[query, key] == -INF)
            exponential = math.exp(steps.score + steps.added - steps.shift)
            assert steps.exponential == pytest.approx(exponential, rel=1e-12)
            assert steps.exponential == steps.row_exponentials[key]
            assert steps.row_sum == pytest.approx(steps.row_exponentials.sum(), rel=1e-12)
            assert steps.weight * steps.row_sum == pytest.approx(steps.exponential, rel=1e-12)
            assert steps.weight == cache.weights[query, key]


def test_softmax_sees_the_mask_added():
    # q · k / √1 = 2 and 3 in the first row, 4 and 6 in the second
    parts = [np.array(rows, dtype=float) for rows in ([[1], [2]], [[2], [3]], [[1], [1]])]
    mask = np.array([[0, -INF], [0.5, 0]])
    np.testing.assert_allclose(masked_scores(attention_forward(*parts, mask)), [[2, -INF], [4.5, 6]])
    np.testing.assert_allclose(masked_scores(attention_forward(*parts)), [[2, 3], [4, 6]])
