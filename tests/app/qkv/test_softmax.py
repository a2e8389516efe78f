"""softmax: weights, and how two of them compare."""

import numpy as np
import pytest

from attention_core.experiments.qkv.explain import WeightSteps
from pages.look.cards import sum_of, weight_lines
from pages.qkv.softmax import compared_keys
from tests.app.qkv.scene import close, each_kind, view
from tests.app.visits import heatmap


@each_kind
def test_a_worked_row_has_the_scores_and_weights_of_the_row_of_the_query(link):
    seen = view("softmax", q="warm", **link)
    scores, powers, weights = heatmap(seen.charts[0]).values
    attention = seen.scene.attention
    close(scores, attention.scores[5] if attention.mask is None else attention.scores[5] + attention.mask[5])
    close(weights, attention.weights[5])
    close(powers / powers.sum(), weights)


def test_a_distance_penalty_is_added_to_the_score_before_the_largest_is_subtracted():
    steps = WeightSteps(*[np.ones(1)] * 3, 120, 0.5, 60, -2, False, 59, np.exp(-1), np.ones(2), 2, np.exp(-1) / 2)
    assert [value for *_, value in weight_lines(steps, 4)] == [120, 60, 58, -1, np.exp(-1), 2, np.exp(-1) / 2]
    tenth = steps._replace(exponential=9.0, row_exponentials=np.arange(12.0), row_sum=66)
    assert sum_of(tenth) == "… + 2.00 + 3.00 + 4.00 + 5.00 + 6.00 + 7.00 + 8.00 + 9.00 + …"


@pytest.mark.parametrize(
    ("scores", "gap", "quotient"),
    [
        ((3, 1), 2, 3),
        ((1, 3), 2, 3),
        ((2, -0.5), 2.5, -4),  # though a weight is never negative
        ((-1, -3), 2, 1 / 3),
        ((0, -2), 2, None),  # no one would believe 0
        ((2, 0), 2, None),  # no one divides by 0
        ((2, 0.004), 2, None),  # nor by what reads 0.00
        ((800, -700), 1500, -800 / 700),
        ((1e6, 50), 999950, None),  # no one would believe it
    ],
)
def test_how_two_weights_compare_worked_by_hand(scores, gap, quotient):
    for variant in range(8):
        found = compared_keys(np.array(scores, float), variant)
        assert found.first == np.argmax(scores)
        assert (found.gap, found.quotient) == (gap, pytest.approx(quotient))


@pytest.mark.parametrize("scores", [(3, 3), (0, 0), (-2, -2), (3.02, 3)])
def test_equal_weights_are_not_worth_a_question(scores):
    assert compared_keys(np.array(scores, float), 0) is None


@pytest.mark.parametrize(
    ("scores", "keys"), [((-40, 80, 78.9, 79.9), (1, 2)), ((5, 5, 3.9), (0, 2)), ((-40, 0, 80), (2, 1))]
)
def test_the_best_key_is_compared_with_one_about_1_below(scores, keys):
    assert compared_keys(np.array(scores, float), 0)[:2] == keys
