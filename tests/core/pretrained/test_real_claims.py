"""Claims measured in two kinds of models: each number beside another way to compute it."""

from itertools import pairwise, product

import numpy as np
import pytest

from attention_core.equations.attention import scaled_dot_product_attention
from attention_core.equations.masks import causal_mask
from attention_core.experiments.inside import real_claims
from attention_core.experiments.inside.claim_texts import pairs_twice, random_twice
from attention_core.experiments.inside.logit_lens import logit_lens
from attention_core.experiments.scaling.head_metrics import induction_score
from attention_core.model.activations import insides
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
        found = real_claims.activations(model, IDS)
        assert found.keys.shape == found.queries.shape
        zeros = np.zeros_like(found.queries)
        _, weights = scaled_dot_product_attention(found.queries, found.keys, zeros, causal_mask(len(IDS)))
        np.testing.assert_allclose(weights, found.weights, atol=1e-5)


def test_the_findings_of_a_text_are_those_of_the_plain_definitions(real, toy):
    for model in (real, toy):
        found, text = real_claims.activations(model, IDS), real_claims.measure_text(model, IDS)
        width = found.queries.shape[-1]
        for layer, head in np.ndindex(found.weights.shape[:2]):
            q, k = found.queries[layer, head], found.keys[layer, head]
            scores = [float(q[i] @ k[j]) / width**0.5 for i in range(len(IDS)) for j in range(i + 1)]
            assert text.scores.picture[layer, head] == pytest.approx(np.std(scores), rel=1e-4)
            assert text.undivided.picture[layer, head] == pytest.approx(np.std(scores) * width**0.5, rel=1e-4)
        near = (text.scores.picture >= 0.5) & (text.scores.picture <= 2)
        assert text.scores.value == pytest.approx(near.mean())
        assert real_claims.near_one(np.array([[0.499, 0.5], [2, 2.001]])).value == 0.5
        by_distance = {
            d: np.mean([found.weights[..., t, t - d] for t in range(d + 1, len(IDS))], axis=0) for d in range(1, 9)
        }
        np.testing.assert_allclose(text.previous.picture, by_distance.pop(1), rtol=1e-5)
        assert text.previous.value == text.previous.picture.max()
        assert text.previous.bound == pytest.approx(max(each.max() for each in by_distance.values()), rel=1e-5)
        half = len(IDS) // 2
        by_key = [found.weights[..., key + 1 :, key].mean() for key in range(half)]
        assert (text.first.value, text.first.bound) == pytest.approx((by_key[0], max(by_key[1:])), rel=1e-5)
    lengths = np.linalg.norm(found.stream, axis=-1)[:, 1:].mean(axis=-1)
    assert text.growth is None  # three layers may grow by chance
    again = np.tile(lengths, 3)
    assert real_claims.grown(again).value == pytest.approx(np.mean([b > a for a, b in pairwise(again)]))


def test_a_prediction_has_formed_when_it_has_more_than_one_half_for_good():
    path = np.array([[0.0, 0.6, 0.2, 0.7], [0.0, 0.1, 0.6, 0.9], [0.9, 0.9, 0.9, 0.9], [0.9, 0.2, 0.1, 0.8]]).T
    assert real_claims.passes_half(path).tolist() == [3, 2, 0, 3]


def test_the_lens_is_that_of_the_unembedding_beside_even_growth():
    model, ids = model_at("recall"), pairs_twice(5)[0]
    bets = logit_lens(insides(model, ids)).bets[:, -16:]
    final = bets[-1].argmax(axis=-1)
    path = np.stack([bets[:, place, token] for place, token in enumerate(final)], axis=1)
    path = path[:, path[-1] > 0.5]
    found = real_claims.measure_text(model, ids).lens
    np.testing.assert_allclose(found.picture, path.mean(axis=1), rtol=1e-4)
    layers = len(path) - 1
    after = [min(n for n in range(layers + 1) if (one[n:] > 0.5).all()) for one in path.T]
    assert found.value == np.median(after) / layers
    even = [min(n for n in range(layers + 1) if one[0] + n / layers * (one[-1] - one[0]) > 0.5) for one in path.T]
    assert found.bound == np.median(even) / layers
    assert found.at_most


def test_growth_needs_more_layers_than_coins_explain():
    assert [real_claims.beyond_chance(n) for n in (0, 1, 4)] == [None] * 3  # 1/16 is not below 1/20, 1/32 is
    for n in range(5, 60):
        least = real_claims.beyond_chance(n)
        assert binomial(n, least) < 0.05 <= binomial(n, least - 1)
        ups = real_claims.grown(np.cumsum([0, *[1] * least, *[-1] * (n - least)]))
        fewer = real_claims.grown(np.cumsum([0, *[1] * (least - 1), *[-1] * (n - least + 1)]))
        assert (real_claims.verdict(ups), real_claims.verdict(fewer)) == ("holds", "does not hold")


def binomial(n, least):
    """Return how probable it is to guess at least so many of n, here once more: by flipping coins on paper."""
    row = np.array([1.0])
    for _ in range(n):
        row = (np.append(row, 0) + np.append(0, row)) / 2
    return row[least:].sum()


def test_a_model_that_was_trained_to_copy_copies_and_an_untrained_one_does_not():
    twice, once = pairs_twice(5)
    assert np.array_equal(twice[:10], twice[10:])
    assert np.array_equal(twice[:10], once[:10])
    assert len(set(once[::2].tolist())) == 10
    trained = real_claims.measure_copying(model_at("recall"), twice, once, 2)
    assert (trained.accuracy, real_claims.verdict(trained.head)) == (1, "holds")
    assert real_claims.measure_copying(model_at("recall", 0), twice, once, 2).accuracy < 0.5


def test_copying_is_the_induction_score_without_the_last_token(real):
    twice, once = random_twice(real.config.vocab_size, 3)
    assert np.array_equal(twice[:16], twice[16:])
    assert len(set(once.tolist())) == 32
    found = real_claims.measure_copying(real, twice, once)
    score = induction_score(attention_weights(real, twice), twice.tolist())  # over 16 rows; the last is not asked here
    last = attention_weights(real, twice)[..., 31, 16]
    np.testing.assert_allclose(found.head.picture, (16 * score - last) / 15, rtol=1e-4)
    other = attention_weights(real, once)
    assert found.head.bound == pytest.approx(
        np.mean([other[..., t, t - 15] for t in range(16, 31)], axis=0).max(), rel=1e-5
    )


def test_the_lead_of_the_right_noun_is_that_of_pairs_and_its_null_that_of_all_exchanges(real):
    rng = np.random.default_rng(4)
    sentences = rng.integers(real.config.vocab_size, size=(5, 2, 9))
    places = np.array([[8, 1, 4, 6], [7, 0, 3, 5], [8, 2, 3, 4], [6, 1, 2, 5], [8, 5, 1, 7]])
    found = real_claims.measure_reference(real, sentences, places)
    leads = []
    for pair, (asks, first, second, _) in zip(sentences, places, strict=True):
        one, other = (attention_weights(real, ids)[..., asks, :] for ids in pair)
        leads.append((one[..., first] - one[..., second] + other[..., second] - other[..., first]) / 2)
    leads = np.array(leads)
    assert found.head.value == pytest.approx(leads.mean(axis=0).max(), rel=1e-4)
    best = np.unravel_index(leads.mean(axis=0).argmax(), leads.shape[1:])
    np.testing.assert_allclose(found.leads, leads[(slice(None), *best)], atol=1e-6)
    chance = sorted(
        np.mean([sign * lead for sign, lead in zip(signs, leads, strict=True)], axis=0).max()
        for signs in product((1, -1), repeat=5)
    )
    assert found.head.bound == pytest.approx(chance[30], rel=1e-4)  # 31 of 32 are 97 %, 30 are 94 %
    weights = attention_weights(real, sentences[0, 0])
    assert found.at_pronoun == pytest.approx(weights[..., 6, 1].max(), rel=1e-5)
    longer = np.concatenate([sentences, np.zeros((5, 2, 3), int)], axis=-1)  # what no query sees changes nothing
    assert real_claims.measure_reference(real, longer, places).head.value == pytest.approx(found.head.value, rel=1e-5)


def test_parts_count_every_parameter_once(real, toy):
    for model in (real, toy):
        found = real_claims.measure_parts(model)
        assert sum(found.parts) == model.flat.size
        assert found.mlp.value == found.parts.feed_forward / sum(found.parts)


@pytest.mark.parametrize(
    ("value", "at_most", "said"),
    [(0.6, False, "holds"), (0.5, False, "does not hold"), (0.4, True, "holds"), (0.5, True, "does not hold")],
)
def test_a_verdict_follows_from_its_null(value, at_most, said):
    assert real_claims.verdict(real_claims.Finding(value, 0.5, np.zeros(1), at_most)) == said


def test_a_text_has_some_tokens(real):
    with pytest.raises(ValueError, match="length"):
        real_claims.measure_text(real, [3, 4, 5, 6, 7])
