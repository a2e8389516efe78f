"""Two matrices or one: who attends to itself, the scores of the product, and the parameters of each."""

import numpy as np
import pytest

from attention_core.experiments.qkv.one_head import HeadMatrices, attend, random_head
from attention_core.experiments.qkv.perturb import dot_products, queries_as_keys
from attention_core.experiments.qkv.two_matrices import (
    attends_most_to_itself,
    merged_matrix,
    scores_of_merged,
)
from attention_core.text.word_vectors import word_vectors

WORDS = ["one", "two", "three", "four", "five", "six", "seven"]
SIZES = [(2, 1), (3, 5), (8, 4), (13, 2), (32, 32)]  # widths of X, and of queries and keys


def test_a_word_attends_most_to_itself_if_no_other_score_is_as_high():
    scores = np.array([[3, 1, 2], [2, 2, 0], [0, 5, -1]])
    assert attends_most_to_itself(scores).tolist() == [True, False, False]
    assert attends_most_to_itself(np.array([[-1.0, -np.inf], [-2.0, -1.0]])).tolist() == [True, True]


@pytest.mark.parametrize(("d_model", "d_head"), SIZES)
def test_the_product_of_both_matrices_gives_the_same_scores(d_model, d_head):
    x, head = word_vectors(WORDS, d_model, 5), random_head(d_model, d_head, 7)
    merged = merged_matrix(head)
    assert merged.shape == (d_model, d_model)
    assert np.linalg.matrix_rank(merged) == min(d_model, d_head)
    attention = attend(x, head)
    np.testing.assert_allclose(scores_of_merged(x, merged), dot_products(attention.q, attention.k), atol=1e-12)
    one = queries_as_keys(head)
    for used, symmetric in ((merged_matrix(one), True), (merged, False)):
        scores = scores_of_merged(x, used)
        assert (np.abs(scores - scores.T).max() < 1e-12) == symmetric


def test_the_product_is_worked_by_hand():
    head = HeadMatrices(np.array([[1.0], [2.0]]), np.array([[3.0], [0.0]]), np.eye(2))
    assert merged_matrix(head).tolist() == [[3, 0], [6, 0]]
    assert scores_of_merged(np.array([[1, 0], [1, 1]]), np.array([[3, 0], [6, 0]])).tolist() == [[3, 3], [9, 9]]
