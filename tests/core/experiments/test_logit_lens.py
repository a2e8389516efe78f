"""The lens: each layer read with the last norm and the embedding, and how a token fares on the way."""

import numpy as np
import pytest

import attention_core as core
from attention_core.experiments.inside.logit_lens import Lens, logit_lens, token_path
from tests.core.gradients import moved_model

V, D, H, L, M, F, T = 11, 12, 3, 2, 7, 13, 5
TOKENS = np.random.default_rng(1).integers(V, size=(3, T))


def made(**kind):
    return moved_model(core.Config(V, D, H, L, M, **{"d_ff": F} | kind))


def close(actual, expected):
    np.testing.assert_allclose(actual, expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("kind", [{}, {"norm": "post", "epsilon": 0.3}, {"d_ff": 0, "causal": False}], ids=str)
@pytest.mark.parametrize("batch", [(), (3,)], ids=str)
def test_each_layer_is_read_with_the_last_norm_and_the_embedding(batch, kind):
    model, tokens = made(**kind), TOKENS if batch else TOKENS[0]
    inside = core.insides(model, tokens)
    lens = logit_lens(inside)
    for layer in range(L + 1):
        hidden = core.layer_norm(inside.stream[layer], *model.parameters.final_norm, model.config.epsilon)
        close(lens.bets[layer], core.softmax(hidden @ model.parameters.token_embedding.T))
    close(lens.bets[-1], core.softmax(core.logits(model, tokens)))
    assert np.array_equal(lens.likeliest, lens.bets.argmax(axis=-1))
    close(lens.shares, lens.bets.max(axis=-1))
    assert lens.agrees_with_final[-1].all()
    assert np.array_equal(lens.agrees_with_final[0], lens.likeliest[0] == lens.likeliest[-1])


def test_a_token_climbs_from_rank_three_to_one():
    bets = np.array([[[0.1, 0.4, 0.5]], [[0.4, 0.2, 0.4]]])  # two readings of one position, three tokens
    lens = Lens(bets, bets.argmax(-1), bets.max(-1), np.ones((2, 1), bool))
    path = token_path(lens, 0, 0)
    assert path.ranks.tolist() == [3, 1]
    close(path.shares, [0.1, 0.4])
