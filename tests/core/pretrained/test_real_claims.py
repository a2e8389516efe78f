"""Claims measured in two kinds of models: each number beside another way to compute it."""

from itertools import pairwise

import numpy as np
import pytest

from attention_core.equations.attention import scaled_dot_product_attention
from attention_core.equations.masks import additive_mask, causal_mask
from attention_core.equations.positions import rope_angles
from attention_core.experiments.inside.logit_lens import logit_lens
from attention_core.experiments.inside.real_claims import (
    SHIFT,
    Finding,
    activations,
    agreement,
    beyond_chance,
    formed_after,
    measure_copying,
    measure_parts,
    measure_reference,
    measure_text,
    pairs_twice,
    random_twice,
    verdict,
)
from attention_core.experiments.scaling.head_metrics import first_word_score, induction_score, previous_word_score
from attention_core.model.activations import insides
from attention_core.model.block import block_forward
from attention_core.model.config import Config
from attention_core.model.forward import attention_weights
from attention_core.model.parameters import init_model
from attention_core.pretrained import open_gguf
from attention_core.shipped.models import model_at
from tests.core.pretrained.files import write_tiny

IDS = np.array([7, 91, 7, 33, 150, 91, 7, 12, 60, 61, 200])


@pytest.fixture
def real(tmp_path):
    return open_gguf(write_tiny(tmp_path / "tiny.gguf").path).model


@pytest.fixture(scope="module")
def toy():
    return init_model(Config(211, d_model=20, n_heads=5, n_layers=3, max_len=13, positions="learned"), seed=1)


def test_queries_and_keys_of_either_model_give_its_weights(real, toy):
    for model in (real, toy):
        found = activations(model, IDS)
        assert found.keys.shape == found.queries.shape
        zeros = np.zeros_like(found.queries)
        _, weights = scaled_dot_product_attention(found.queries, found.keys, zeros, causal_mask(len(IDS)))
        np.testing.assert_allclose(weights, found.weights, atol=1e-5)


def test_the_findings_of_a_text_are_those_of_the_plain_definitions(real, toy):
    for model in (real, toy):
        found, text = activations(model, IDS), measure_text(model, IDS)
        width = found.queries.shape[-1]
        for layer, head in np.ndindex(found.weights.shape[:2]):
            q, k = found.queries[layer, head], found.keys[layer, head]
            scores = [float(q[i] @ k[j]) / width**0.5 for i in range(len(IDS)) for j in range(i + 1)]
            assert text.scores.picture[layer, head] == pytest.approx(np.std(scores), rel=1e-4)
            assert text.undivided.picture[layer, head] == pytest.approx(np.std(scores) * width**0.5, rel=1e-4)
        near = (text.scores.picture >= 0.5) & (text.scores.picture <= 2)
        assert text.scores.value == pytest.approx(near.mean())
        np.testing.assert_allclose(text.previous.picture, previous_word_score(found.weights), rtol=1e-5)
        np.testing.assert_allclose(text.first.picture, first_word_score(found.weights), rtol=1e-5)
        assert text.previous.value == text.previous.picture.max()
        assert text.first.value == pytest.approx(text.first.picture.mean())
        lengths = np.linalg.norm(found.stream, axis=-1)[:, 1:].mean(axis=-1)
        np.testing.assert_allclose(text.growth.picture, lengths, rtol=1e-5)
        assert text.growth.value == pytest.approx(np.mean([b > a for a, b in pairwise(lengths)]))
        assert text.lens.picture[-1] == 1
        agrees, n_layers = agreement(model, found.stream), len(lengths) - 1
        after = [
            min(layer for layer in range(n_layers + 1) if agrees[layer:, place].all()) for place in range(len(IDS))
        ]
        assert text.lens.value == pytest.approx(np.median(after) / n_layers)


def test_the_lens_of_either_model_is_that_of_its_own_unembedding(real, toy):
    for model in (real, toy):
        inside = insides(model, IDS)
        np.testing.assert_array_equal(agreement(model, inside.stream), logit_lens(inside).agrees_with_final)


def test_a_shift_changes_as_little_as_a_whole_pass_at_later_positions(real):
    mask = additive_mask(causal_mask(len(IDS))).astype(np.float32)
    phase = rope_angles(len(IDS), real.config.d_head, real.config.rope_base, SHIFT, "<f4")
    x, weights = real.parameters.token_embedding[IDS], []
    for params in real.parameters.blocks:
        x, block = block_forward(x, params, real.config, mask, phase)
        weights.append(block.attention.layer.attention.weights)
    later = np.abs(np.stack(weights) - attention_weights(real, IDS)).max()
    assert later < 1e-4
    assert measure_text(real, IDS).shift.value < 1e-4
    assert verdict(measure_text(real, IDS).shift) == "holds"


def test_a_model_without_rope_is_not_rotated_as_if_it_had_it(toy):
    assert measure_text(toy, IDS).shift.picture.tolist() == np.zeros((3, 5)).tolist()


@pytest.mark.parametrize(
    ("agrees", "after"),
    [
        ([0, 0, 0, 1], 3),  # which never falls, but comes with the last layer
        ([1, 1, 1, 1], 0),
        ([0, 1, 0, 1], 3),
        ([1, 0, 1, 1], 2),
        ([1], 0),
    ],
)
def test_a_prediction_has_formed_when_it_is_the_final_one_for_good(agrees, after):
    assert formed_after(np.array(agrees, bool)[:, None]).tolist() == [after]


@pytest.mark.parametrize("length", [2, 3, 5, 11])
def test_a_claim_that_holds_from_a_value_on_never_holds_up_to_it(real, length):
    text = measure_text(real, IDS[:length])
    assert text.previous.holds >= text.previous.part > text.previous.baseline  # two tokens have 0.5 without a pattern
    assert text.first.holds >= text.first.part > text.first.baseline


def test_guessing_is_below_what_a_claim_needs():
    assert [beyond_chance(n) for n in (0, 1, 4, 5)] == [1, 1, 1, 1]  # 1/16 is not below 1/20, 1/32 is
    for n in range(5, 60):
        least = round(beyond_chance(n) * n)
        assert binomial(n, least) < 0.05 <= binomial(n, least - 1)
        assert beyond_chance(n) > 0.5


def binomial(n, least):
    """Return how probable it is to guess at least so many of n, here once more: by flipping coins on paper."""
    row = np.array([1.0])
    for _ in range(n):
        row = (np.append(row, 0) + np.append(0, row)) / 2
    return row[least:].sum()


def test_a_model_that_was_trained_to_copy_copies_and_an_untrained_one_does_not():
    twice = pairs_twice(5)
    assert np.array_equal(twice[:10], twice[10:])
    assert len(set(twice[:10:2].tolist())) == 5
    trained = measure_copying(model_at("recall"), twice, 2)
    assert (trained.accuracy, verdict(trained.head)) == (1, "holds")
    untrained = measure_copying(model_at("recall", 0), twice, 2)
    assert untrained.accuracy < 0.5
    assert verdict(untrained.head) == "does not hold"


def test_copying_is_the_induction_score_without_the_last_token(real):
    twice = random_twice(real.config.vocab_size, 3)
    assert np.array_equal(twice[:16], twice[16:])
    assert len(set(twice[:16].tolist())) == 16
    found = measure_copying(real, twice)
    score = induction_score(
        attention_weights(real, twice), twice.tolist()
    )  # over 16 rows, of which the last is not asked here
    last = attention_weights(real, twice)[..., 31, 16]
    np.testing.assert_allclose(found.head.picture, (16 * score - last) / 15, rtol=1e-4)


def test_a_later_word_changes_no_weight_of_a_pronoun(real):
    told, other = np.append(IDS, 5), np.append(IDS, 6)
    found = measure_reference(real, told, other, 10, 3, 6)
    assert found.changed < 1e-6
    weights = attention_weights(real, told)[:, :, 10]
    np.testing.assert_allclose(found.animal, weights[..., 3], atol=1e-6)
    np.testing.assert_allclose(found.thing, weights[..., 6], atol=1e-6)
    clear = np.maximum(found.animal, found.thing) >= 1 / 11 + 0.15
    assert found.n_clear == clear.sum()
    changed = measure_reference(real, told, np.append(IDS[::-1], 5), 10, 3, 6)
    assert changed.changed > 1e-3
    with pytest.raises(ValueError, match="animal"):
        measure_reference(real, told, other, 3, 3, 1)


def test_parts_count_every_parameter_once(real, toy):
    for model in (real, toy):
        found = measure_parts(model)
        assert sum(found.parts) == model.flat.size
        assert found.mlp.value == found.parts.feed_forward / sum(found.parts)


@pytest.mark.parametrize(
    ("value", "holds", "part", "said"),
    [
        (0.5, 0.5, 0.2, "holds"),
        (0.49, 0.5, 0.2, "holds in part"),
        (0.19, 0.5, 0.2, "does not hold"),
        (0.01, 0.01, 0.1, "holds"),
        (0.05, 0.01, 0.1, "holds in part"),
        (0.2, 0.01, 0.1, "does not hold"),
    ],
)
def test_a_verdict_follows_from_its_bounds(value, holds, part, said):
    assert verdict(Finding(value, holds, part, np.zeros(1))) == said


def test_a_text_has_two_tokens(real):
    with pytest.raises(ValueError, match="length"):
        measure_text(real, [3])
