"""W_Q and W_K merged into one matrix, and one matrix for both."""

import numpy as np

from attention_core.experiments.qkv.one_head import random_head
from attention_core.experiments.qkv.perturb import queries_as_keys
from attention_core.experiments.qkv.two_matrices import (
    attends_most_to_itself,
    merged_matrix,
    score_parameters,
    scores_of_merged,
)
from tests.core.gradients import drawer

T, D, K = 5, 11, 3


def test_the_merged_matrix_gives_the_same_scores_and_with_one_matrix_they_are_symmetric():
    x, two = drawer()(T, D), random_head(D, K, 1)
    for head in (two, queries_as_keys(two)):
        scores = scores_of_merged(x, merged_matrix(head))
        np.testing.assert_allclose(scores, (x @ head.w_q) @ (x @ head.w_k).T)
        assert np.allclose(scores, scores.T) == (head is not two)
    assert queries_as_keys(two).w_v is two.w_v


def test_who_attends_most_to_itself_and_how_many_numbers_decide_worked_by_hand():
    scores = np.array([[3.0, 1, 2], [1, 1, 0], [0, 5, 5 + 1e-12]])
    assert attends_most_to_itself(scores).tolist() == [True, False, False]
    assert score_parameters(768, 64) == (98_304, 589_824)
