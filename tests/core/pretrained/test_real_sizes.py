"""The sizes of a pretrained model: of the matrices of a block, and of its KV cache, which changes no logits."""

import numpy as np
import pytest

from attention_core.experiments.inside.real_sizes import block_sizes, cache_sizes, real_cache_proof
from attention_core.model.config import Config
from attention_core.model.parameters import init_model, parameter_parts
from attention_core.pretrained.llama import KeyValueCache
from tests.core.pretrained.files import tiny

IDS = [7, 91, 7, 33, 150]


@pytest.mark.parametrize("n_groups", [1, 2, 6])
def test_the_matrices_of_a_block_have_its_parameters(opened, n_groups):
    model = opened(tiny(n_groups=n_groups).content)
    found, block = block_sizes(model), model.parameters.blocks[0]
    assert found.n_parameters == sum(array.size for array in block)
    assert (found.w_q, found.w_k) == ((11, 24), (11, 4 * n_groups))
    assert found.biases == (0, 0)


@pytest.mark.parametrize("d_ff", [0, 29])
def test_so_have_those_of_a_model_of_the_course(d_ff):
    config = Config(19, d_model=6, n_heads=3, n_layers=2, max_len=5, d_ff=d_ff)
    parts = parameter_parts(config)
    final = 2 * config.d_model  # the norm after the blocks
    blocks = parts.attention + parts.feed_forward + parts.norms - final
    assert 2 * block_sizes(init_model(config)).n_parameters == blocks


@pytest.mark.parametrize("n_groups", [1, 2, 6])
def test_the_bytes_of_the_cache_are_those_of_its_arrays(opened, n_groups):
    model = opened(tiny(n_groups=n_groups).content)
    found = cache_sizes(model, 7)
    kept = KeyValueCache(model.config, 7)
    assert found.text == kept.keys.nbytes + kept.values.nbytes == 7 * found.token
    assert found.ungrouped * n_groups == found.token * 6
    assert found.full == 61 * found.token


def test_a_model_of_the_course_has_keys_and_values_for_every_head():
    config = Config(19, d_model=6, n_heads=3, n_layers=2, max_len=5)
    found = cache_sizes(init_model(config), 5)
    assert found == (2 * 2 * 6 * 4, 2 * 2 * 6 * 4, 5 * 96, 5 * 96)


@pytest.mark.parametrize("form", ["F32", "Q4_1"])
def test_the_cache_changes_no_logits(opened, form):
    model = opened(tiny(form, layers=3).content)
    found = real_cache_proof(model, IDS, 6)
    assert found.tokens.tolist() == list(model.generate(IDS, 6, temperature=0))
    np.testing.assert_array_equal(found.tokens, found.tokens_anew)
    whole = model.insides([*IDS, *found.tokens[:-1]]).logits[-6:]
    assert found.scale == pytest.approx(np.abs(whole).max(), rel=1e-5)
    assert found.largest == found.differences.max() < 1e-4 * found.scale


def test_a_cache_with_wrong_positions_would_be_noticed(opened, monkeypatch):
    model = opened(tiny(layers=3).content)
    usual = KeyValueCache.stored

    def stored(cache, layer, stop):
        found = usual(cache, layer, stop)
        if layer == 1 and stop > len(IDS):
            found.values[:, 0] += 0.1
        return found

    monkeypatch.setattr(KeyValueCache, "stored", stored)
    assert real_cache_proof(model, IDS, 4).largest > 1e-3


def test_the_proof_stays_within_the_context(opened):
    model = opened(tiny().content)
    assert len(real_cache_proof(model, [3] * 60, 2).tokens) == 2
    with pytest.raises(ValueError, match="at most 61 tokens"):
        real_cache_proof(model, [3] * 60, 3)
