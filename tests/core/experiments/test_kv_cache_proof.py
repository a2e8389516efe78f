"""The KV cache: what is read anew, that it changes nothing, and when nothing can be kept."""

import numpy as np
import pytest

import attention_core as core
from attention_core.experiments import costs
from attention_core.experiments.kv_cache_proof import (
    affordable,
    cache_proof,
    cache_savings,
    check_cache_validity,
    positions_read,
)
from attention_core.model.generate import decisions
from attention_core.model.kv_cache import Decoder
from tests.core.gradients import drawer

V, D, H, L, M, F = 11, 12, 3, 3, 7, 13
POSITIONS = ["sinusoidal", "learned", "rope", "alibi", "none"]


def made(**kind):
    model = core.init_model(core.Config(V, D, H, L, M, **{"d_ff": F} | kind), seed=3)
    model.flat[:] += 0.3 * drawer(5, np.float32)(model.flat.size)
    return model


def test_positions_by_hand():
    model = made()
    kept = positions_read(model, 5, 5)  # texts of 5, 6, 7, 8 and 9 tokens, of which 7 are seen
    assert kept.stop.tolist() == [5, 6, 7, 8, 9]
    assert kept.first.tolist() == [0, 0, 0, 1, 2]
    assert kept.fresh.tolist() == [0, 5, 6, 1, 2]
    assert kept.computed.tolist() == [5, 1, 1, 7, 7]
    assert positions_read(model, 5, 5, cache=False).computed.tolist() == [5, 6, 7, 7, 7]


@pytest.mark.parametrize("n_prompt", [1, 3, M - 1, M, M + 1, M + 5])
@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("cache", [True, False])
def test_positions_are_those_that_really_go_through_the_model(n_prompt, causal, cache):
    model = made(causal=causal)
    ran = decisions(model, np.arange(n_prompt) % V, 10, seed=1, cache=cache)
    assert positions_read(model, n_prompt, 10, cache).computed.tolist() == ran.n_computed.tolist()


@pytest.mark.parametrize("positions", POSITIONS)
@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.promise("tiny_lm 3")
def test_the_cache_changes_nothing_but_the_last_bits(positions, norm):
    model = made(positions=positions, norm=norm)
    proof = cache_proof(model, [3, 1, 4], 9, 0.8, 9, 0.9, seed=2)
    assert proof.tokens.tolist() == proof.tokens_anew.tolist()
    assert proof.computed.tolist() == [3, 1, 1, 1, 1, 7, 7, 7, 7]
    assert proof.computed_anew.tolist() == [3, 4, 5, 6, 7, 7, 7, 7, 7]
    assert proof.differences[0] == 0
    assert proof.differences[5:].tolist() == [0] * 4
    assert 0 < proof.largest == proof.differences.max() < 1e-5 * max(proof.scale, 1)
    assert cache_proof(model, [3, 1, 4], 9, 0.8, 9, 0.9, seed=2, bits=64).largest < 1e-13 * max(proof.scale, 1)


def test_a_cache_that_is_wrong_would_be_seen(monkeypatch):
    from attention_core.model import kv_cache

    real = kv_cache.Decoder.prefill
    monkeypatch.setattr(
        kv_cache.Decoder, "prefill", lambda self, cache: (real(self, cache), setattr(self, "length", 2))
    )
    assert cache_proof(made(), [3, 1, 4], 3).largest > 0.01


def test_nothing_is_kept_by_a_model_that_looks_ahead():
    proof = cache_proof(made(causal=False), [3, 1, 4], 3)
    assert proof.computed.tolist() == proof.computed_anew.tolist() == [3, 4, 5]
    assert proof.largest == 0


def test_what_is_kept_stays_true_under_the_mask_and_only_in_the_first_layer_without():
    model = made()
    masked = check_cache_validity(model, [3, 1, 4, 1], 5)
    assert masked.keys.shape == masked.values.shape == (L, 4)
    np.testing.assert_allclose(masked.keys, 0, atol=1e-5)
    np.testing.assert_allclose(masked.values, 0, atol=1e-5)
    np.testing.assert_allclose(masked.outputs, 0, atol=1e-5)
    open_ = check_cache_validity(model, [3, 1, 4, 1], 5, causal=False)
    assert masked.holds.all()
    assert open_.holds.tolist() == [True, False, False]
    for moved in open_[:2]:
        np.testing.assert_allclose(moved[0], 0, atol=1e-5)
        assert (moved[1:] > 1e-3).all()
    assert (open_.outputs > 1e-3).all()


def test_a_long_text_is_cut_so_that_the_next_token_fits():
    assert check_cache_validity(made(), np.arange(M + 3) % V, 5).keys.shape == (L, M - 1)


def test_what_is_spared_and_taken():
    model = made()
    found = cache_savings(model, 3, 4)
    assert (found.anew, found.kept) == costs.operations_of_writing(model.config, 3, 4)
    assert found.held == 6
    assert found.held_bytes == 2 * L * 6 * D * 4
    full = cache_savings(model, 3, 100)
    assert full.held == M
    assert full.held_bytes == sum(layer.keys.nbytes + layer.values.nbytes for layer in Decoder(model).layers)


def test_no_more_is_written_than_can_be_afforded():
    model = made()
    work = [costs.operations_of_writing(model.config, 3, n_new).anew for n_new in range(6)]
    assert affordable(model, 3, 5, work[4]) == 4
    assert affordable(model, 3, 5, work[4] - 1) == 3
    assert affordable(model, 3, 5, 10**12) == 5
    assert affordable(model, 3, 5, 0) == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: positions_read(made(), 0, 1), "n_prompt must be at least 1, got 0"),
        (lambda: positions_read(made(), 1, -1), "n_new must be at least 0, got -1"),
        (lambda: cache_proof(made(), [1], 0), "n_new must be at least 1, got 0"),
        (lambda: cache_proof(made(), [1], 1, bits=16), "bits must be 32 or 64, got 16"),
        (
            lambda: check_cache_validity(core.init_model(core.Config(V, D, H, 1, 1)), [1], 2),
            "max_len must be at least 2, got 1",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
