"""W_Q and W_K merged into one matrix, and one matrix for both."""

import numpy as np

from attention_core.experiments.qkv import two_matrices
from attention_core.experiments.qkv.one_head import random_head
from attention_core.experiments.qkv.perturb import queries_as_keys
from tests.core.gradients import drawer

T, D, K = 5, 11, 3


def test_the_merged_matrix_gives_the_same_scores_and_with_one_matrix_they_are_symmetric():
    x, two = drawer()(T, D), random_head(D, K, 1)
    for head in (two, queries_as_keys(two)):
        scores = two_matrices.scores_of_merged(x, two_matrices.merged_matrix(head))
        np.testing.assert_allclose(scores, (x @ head.w_q) @ (x @ head.w_k).T)
        assert np.allclose(scores, scores.T) == (head is not two)
    assert queries_as_keys(two).w_v is two.w_v


def test_who_attends_most_to_itself_and_how_many_numbers_decide_worked_by_hand():
    scores = np.array([[3.0, 1, 2], [1, 1, 0], [0, 5, 5 + 1e-12]])
    assert two_matrices.attends_most_to_itself(scores).tolist() == [True, False, False]
    assert two_matrices.score_parameters(768, 64) == (98_304, 589_824)
