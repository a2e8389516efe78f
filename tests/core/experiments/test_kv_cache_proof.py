"""The KV cache: what is read anew, that it changes nothing, and when nothing can be kept."""

import numpy as np
import pytest

import attention_core as core
from attention_core.equations.norm import EPSILON
from attention_core.equations.softmax import softmax
from attention_core.experiments.language import costs
from attention_core.experiments.language import kv_cache_proof as cached
from attention_core.experiments.language.next_token import decisions
from attention_core.model.activations import insides
from attention_core.model.kv_cache import Decoder
from tests.core.gradients import moved_model

V, D, H, L, M, F = 11, 12, 3, 3, 7, 13
POSITIONS = ["sinusoidal", "learned", "rope", "alibi", "none"]


def made(**kind):
    sizes = {"d_model": D, "n_heads": H, "n_layers": L, "max_len": M, "d_ff": F}
    return moved_model(core.Config(V, **sizes | kind), np.float32)


@pytest.mark.parametrize("n_prompt", [1, 3, M - 1, M, M + 1, M + 5])
@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("cache", [True, False])
def test_positions_are_those_that_really_go_through_the_model(n_prompt, causal, cache):
    model = made(causal=causal)
    ran = decisions(model, np.arange(n_prompt) % V, 10, seed=1, cache=cache)
    assert cached.positions_read(model, n_prompt, 10, cache).computed.tolist() == ran.n_computed.tolist()


@pytest.mark.parametrize("positions", POSITIONS)
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_the_cache_changes_nothing_but_the_last_bits(positions, norm):
    model = made(positions=positions, norm=norm)
    proof = cached.cache_proof(model, [3, 1, 4], 9, 32, 0.8, 9, 0.9, seed=2)
    assert proof.tokens.tolist() == proof.tokens_anew.tolist()
    assert proof.differences[0] == 0
    assert proof.differences[5:].tolist() == [0] * 4
    assert 0 < proof.largest == proof.differences.max() < 1e-5 * max(proof.scale, 1)
    assert cached.cache_proof(model, [3, 1, 4], 9, 64, 0.8, 9, 0.9, seed=2).largest < 1e-13 * max(proof.scale, 1)


def test_what_is_spared_and_taken():
    model = made()
    found = cached.cache_savings(model, 3, 4)
    assert (found.anew, found.kept) == costs.operations_of_writing(model.config, 3, 4)
    assert found.held == 6
    assert found.held_bytes == 2 * L * 6 * D * 4
    assert cached.cache_savings(made(causal=False), 3, 4)[2:] == (0, 0)
    full = cached.cache_savings(model, 3, 100)
    assert full.held == M
    assert full.held_bytes == sum(layer.keys.nbytes + layer.values.nbytes for layer in Decoder(model).layers)
    assert [cached.affordable(model, 3, 9, most) for most in (0, found.anew, 10**12)] == [1, 4, 9]


@pytest.mark.parametrize("part", ["keys", "values"])
def test_erased_keys_and_values_are_zeros_in_the_equation(part):
    model, prompt = made(n_heads=1, n_layers=1, d_ff=0, positions="none"), [3, 1, 4, 1, 5]
    inside = insides(model, prompt)
    keys, values = inside.keys[0, 0].copy(), inside.values[0, 0].copy()
    (keys if part == "keys" else values)[:-1] = 0
    scores = keys @ inside.queries[0, 0, -1] / np.sqrt(D)
    weights = np.exp(scores) / np.exp(scores).sum()
    x = inside.embedded[-1] + weights @ values @ model.parameters.blocks[0].attention.w_o
    norm = model.parameters.final_norm
    logits = ((x - x.mean()) / np.sqrt(x.var() + EPSILON) * norm.gain + norm.bias) @ model.parameters.token_embedding.T
    np.testing.assert_allclose(cached.predict_after_erasing(model, prompt, part), softmax(logits), rtol=1e-4, atol=1e-7)
