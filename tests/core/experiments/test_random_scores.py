import numpy as np
import pytest

from attention_core.experiments.scaling import random_scores

NOTHING, ROOT = range(2)


def shares(scores):
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def by_hand(q, k, by):
    """Return every measure of one table, number by number, in plain float64."""
    scores = np.array([[sum(a * b for a, b in zip(query, key, strict=True)) / by for key in k] for query in q])
    weights = shares(scores)
    slopes = [np.diag(row) - np.outer(row, row) for row in weights]
    return {
        "variance": (scores**2).mean(),
        "largest": weights.max(),
        "largest_in_row": np.mean([row.max() for row in weights]),
        "jacobian": np.mean([np.sqrt((slope**2).sum()) for slope in slopes]),
    }


@pytest.mark.parametrize("d_k", [1, 7, 64])
@pytest.mark.parametrize("draw", [0, 3, random_scores.BLOCK + 2])
def test_the_statistics_of_a_draw_are_those_of_its_table(d_k, draw):
    table = random_scores.one_table(d_k, 5, 11, draw)
    for i, named in enumerate(random_scores.DIVISORS):
        expected = by_hand(table.q, table.k, random_scores.divisor(named, d_k))
        for measure in random_scores.MEASURES:
            value = random_scores.values_of(measure, d_k, 5, random_scores.BLOCK + 3, 11)[i, draw]
            assert value == pytest.approx(expected[measure], rel=2e-3, abs=1e-3), (named, measure)
            line = random_scores.sample_trial(measure, named, (d_k,), 5, 11, draw)
            np.testing.assert_allclose(line, [value], rtol=1e-4, atol=1e-4)


def test_what_a_tutorial_says_of_four_words_and_what_thousands_of_draws_say():
    widths = (4, 16, 64, 256, 512)
    largest = random_scores.over_widths("largest", widths, 4, 4000, 1)
    np.testing.assert_allclose(largest.mean[ROOT], [0.653, 0.663, 0.667, 0.666, 0.665], atol=0.008)
    np.testing.assert_allclose(largest.mean[NOTHING], [0.846, 0.971, 0.997, 1.0, 1.0], atol=0.008)
    in_row = random_scores.over_widths("largest_in_row", (1, 2, 4, 64), 4, 4000, 1)
    np.testing.assert_allclose(in_row.mean[ROOT], [0.451, 0.479, 0.496, 0.517], atol=0.008)


def test_the_variance_follows_the_theory():
    for i, named in enumerate(random_scores.DIVISORS):
        np.testing.assert_allclose(
            random_scores.over_widths("variance", random_scores.WIDTHS, 8, 1000, 5).mean[i],
            random_scores.expected_variance(named, random_scores.WIDTHS),
            rtol=0.1,
        )
    np.testing.assert_array_equal(random_scores.expected_variance("nothing", (3, 5)), [3, 5])
    np.testing.assert_allclose(random_scores.expected_variance("√d_k", (3, 5)), [1, 1])
    np.testing.assert_allclose(random_scores.expected_variance("d_k", (3, 5)), [1 / 3, 1 / 5])


def test_a_spread_holds_the_mean_and_the_tenths():
    values = random_scores.values_of("jacobian", 16, 3, 150, 4)
    spread = random_scores.over_widths("jacobian", (2, 16), 3, 150, 4)
    np.testing.assert_allclose(spread.mean[:, 1], values.mean(axis=-1))
    np.testing.assert_allclose(spread.low[:, 1], np.quantile(values, 0.1, axis=-1))
    np.testing.assert_allclose(spread.high[:, 1], np.quantile(values, 0.9, axis=-1))
    assert (spread.low <= spread.high).all()


@pytest.mark.parametrize("rises", [True, False])
def test_a_claim_is_tried_draw_by_draw(rises):
    widths, n_draws = (2, 8, 32), 70
    found = random_scores.try_claim("largest", "√d_k", rises, widths, 3, n_draws, 9)
    lines = [random_scores.sample_trial("largest", "√d_k", widths, 3, 9, draw) for draw in range(n_draws)]
    sign = 1 if rises else -1
    np.testing.assert_allclose(found.mean, np.mean(lines, axis=0), rtol=1e-5)
    assert found.change == pytest.approx(np.mean([line[-1] - line[0] for line in lines]), abs=1e-5)
    np.testing.assert_allclose((found.low, found.high), np.quantile(lines, (0.1, 0.9), axis=0), rtol=1e-5)
    assert found.std == pytest.approx(np.sqrt(np.mean(np.var(lines, axis=0))), rel=1e-4)
    assert found.agreeing == sum(sign * (line[-1] - line[0]) > 0 for line in lines)
    assert found.in_order == sum((sign * np.diff(line) > 0).all() for line in lines)
    assert found.n_draws == n_draws
