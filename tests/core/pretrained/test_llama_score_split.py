"""A score of a Llama model split by writers: it sums to the model's score, and a part is a direct computation."""

import numpy as np
import pytest

import attention_core as core
from attention_core.experiments.inside.llama_score_split import (
    llama_writers,
    real_score_split,
    split_by_pairs,
    split_llama_score,
)
from attention_core.experiments.inside.real_reading import real_head
from tests.core.pretrained.files import tiny


@pytest.mark.parametrize("n_groups", [1, 2, 6])
def test_a_score_of_a_llama_model_is_split_too(opened, n_groups):
    model = opened(tiny(n_groups=n_groups, layers=3).content)
    ids = [5, 77, 263, 5, 11]
    inside = model.insides(ids)
    for layer, head, query, key in [(0, 1, 4, 0), (1, 5, 3, 3), (2, 2, 4, 1), (2, 5, 2, 1)]:
        found = split_llama_score(model, inside, layer, head, query, key)
        assert len(found.terms) == len(llama_writers(model.config, layer)) == 1 + 7 * layer
        scale = max(abs(found.score), float(np.abs(found.terms).max()))
        assert abs(found.total - found.score) <= 1e-4 * scale
        row = [split_llama_score(model, inside, layer, head, query, other).score for other in range(query + 1)]
        np.testing.assert_allclose(core.softmax(np.array(row)), inside.weights[layer, head, query, : query + 1], 1e-4)
        if layer:  # a part computed directly: that of the first MLP in the key
            x = inside.stream[layer, key].astype(np.float64)
            normal = inside.mlp_adds[0, key] / np.sqrt((x**2).mean() + 1e-5)
            block, group = model.parameters.blocks[layer], head // (6 // n_groups)
            w_k = block.w_qkv[:, (6 + group) * 4 : (7 + group) * 4]
            part = core.rotate((normal * block.attention_gain @ w_k)[None], 500.0, key)[0]
            np.testing.assert_allclose(found.keys[llama_writers(model.config, layer).index("MLP 1")], part, 1e-4, 1e-6)


def test_a_blocked_key_is_refused(opened):
    model = opened(tiny().content)
    with pytest.raises(ValueError, match="the causal mask blocks it"):
        split_llama_score(model, model.insides([5, 7]), 0, 0, 0, 1)


def test_a_score_is_the_sum_of_what_its_pairs_add_and_a_pair_is_two_entries_that_rotate_together(opened):
    model = opened(tiny(n_groups=3, layers=3).content)
    ids = [5, 77, 263, 5, 11]
    attention = real_head(model, ids, 1, 4)
    found = split_by_pairs(model.config, attention, 4, 1)
    assert found.terms.sum() == pytest.approx(found.score, abs=1e-5)
    assert found.score == pytest.approx(split_llama_score(model, model.insides(ids), 1, 4, 4, 1).score, abs=1e-5)
    np.testing.assert_allclose(found.wavelengths, 2 * np.pi * 500.0 ** (np.arange(2) / 2))
    q, k = attention.q[4], attention.k[1]
    np.testing.assert_allclose(found.terms, [(q[0] * k[0] + q[1] * k[1]) / 2, (q[2] * k[2] + q[3] * k[3]) / 2], 1e-5)
    with pytest.raises(ValueError, match="key"):
        split_by_pairs(model.config, attention, 1, 2)


def test_the_split_over_a_text_is_that_of_its_activations(opened):
    model = opened(tiny(layers=3).content)
    ids = [5, 77, 263]
    found, wanted = real_score_split(model, ids, 2, 1, 2, 0), split_llama_score(model, model.insides(ids), 2, 1, 2, 0)
    np.testing.assert_array_equal(found.terms, wanted.terms)
