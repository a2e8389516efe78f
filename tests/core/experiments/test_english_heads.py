"""The model of the small English at work: what its heads look at, alone and together."""

import numpy as np
import pytest

import attention_core as core
from attention_core.experiments.multi_head.english_heads import CONFIG, grammar_model, trained_head
from attention_core.experiments.multi_head.retrained import link_weights_at_once
from attention_core.experiments.qkv.one_head import attend

SENTENCES = [
    "the cat sat on the warm mat",
    "a fluffy blue creature roamed the verdant forest",
    "The animal didn’t cross the street because it was too tired",
    "the big red cat quickly saw the blue ball and it meowed . the ball is blue",
    "ball",
]
HEADS = range(CONFIG.n_heads)


@pytest.mark.parametrize("text", SENTENCES)
def test_a_head_by_itself_has_the_weights_it_has_in_the_model(text):
    words = text.split()
    model, vocabulary = grammar_model()
    expected = core.attention_weights(model, vocabulary.encode(words))[0]  # (H, T, T)
    for head in HEADS:
        x, matrices, mask = trained_head(words, head)
        cache = attend(x, matrices, mask)
        np.testing.assert_allclose(cache.weights, expected[head], atol=1e-6)
        assert x.shape == (len(words), CONFIG.d_model)
        assert {matrix.shape for matrix in matrices} == {(CONFIG.d_model, CONFIG.d_head)}
        np.testing.assert_array_equal(np.isinf(mask), core.causal_mask(len(words)))
        assert {array.dtype for array in (x, *matrices, mask)} == {np.dtype(np.float64)}


def test_without_training_no_head_prefers_what_a_word_refers_to():
    untrained = link_weights_at_once(core.init_model(CONFIG, 7), 307)
    assert max(weights.max() for weights in untrained[1:6]) < 0.4
