"""The prediction of Toy English without a head or a key of its attention."""

import numpy as np

import attention_core as core
from attention_core.equations.multi_head import head_writes
from attention_core.experiments.multi_head import english_heads
from attention_core.experiments.multi_head.several_heads import attend_heads

WORDS = ["the", "cat", "sat", "on", "the", "warm", "mat", "and", "it"]


def writes():
    x, matrices, mask = english_heads.trained_heads(WORDS)
    return head_writes(attend_heads(x, matrices, 4, mask).output, matrices.w_o)


def test_with_all_heads_it_is_what_the_model_predicts():
    model, vocabulary = english_heads.grammar_model()
    wanted = core.softmax(core.logits(model, vocabulary.encode(WORDS)).astype(float))
    found = english_heads.next_word_probabilities(writes().sum(axis=0), english_heads.trained_readout(WORDS))
    np.testing.assert_allclose(found, wanted, atol=1e-5)


def test_by_hand():
    """The sum is (3, -1); LayerNorm makes (1, -1) of it; the unembedding is the identity: softmax of (1, -1)."""
    readout = english_heads.Readout(np.array([[1.0, -3.0]]), np.ones(2), np.zeros(2), np.eye(2))
    found = english_heads.next_word_probabilities(np.array([[2.0, 2.0]]), readout)
    np.testing.assert_allclose(found, [[1 / (1 + np.exp(-2)), 1 / (1 + np.exp(2))]], atol=1e-5)
