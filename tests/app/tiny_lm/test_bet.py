"""bet: what the model predicts, what it generated, and where every head looks."""

import html
import re
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

from attention_core.model.activations import insides
from attention_core.model.generate import decisions, generate
from attention_core.shipped.models import model_at
from attention_core.text.corpora import bible_text, source_of
from attention_core.text.small_english import rows
from pages.look.html import number
from pages.tiny_lm.common import N_LIKELIEST
from pages.tiny_lm.heads_view import LOOKED_AT
from pages.tiny_lm.model_in_view import visible
from tests.app.steps import step
from tests.app.tiny_lm.scene import (
    each_model,
    each_variant,
    model_of,
    prompt_of,
    vocabulary_of,
)
from tests.app.visits import controls, heatmap, html_of, press, reveal, visit

WRITTEN = 4
show = partial(step, "tiny_lm", "bet")


def decided(label, n_new=WRITTEN):
    """Return the decisions of a model on its usual prompt, made by the core alone."""
    return decisions(model_of(label)[0], prompt_of(label), n_new + 1, 0.8, seed=3)


def one(seen, part):
    (found,) = [shown for shown in seen.charts if part in shown.alt]
    return found


@each_model
@pytest.mark.promise("pitfall 10", "tiny_lm 1")
def test_the_bars_are_probabilities_over_the_whole_vocabulary(label):
    model, source = model_of(label)
    found = decided(label)
    assert found.bets.shape[1] == len(source.vocabulary.tokens) == model.config.vocab_size
    bets = found.bets[WRITTEN]
    np.testing.assert_allclose(bets.sum(), 1, rtol=1e-5)
    shown = next(chart for chart in show(model=label, new=WRITTEN).charts if "The top prediction is" in chart.alt)
    likeliest = np.sort(bets)[::-1]
    np.testing.assert_allclose(shown.data["value"], likeliest[:N_LIKELIEST], rtol=1e-6)
    rest = max(1 - float(bets[np.argsort(-bets, kind="stable")[:N_LIKELIEST]].sum()), 0)
    assert f"{len(bets) - N_LIKELIEST:,} sum to {number(rest)}" in shown.alt


@each_model
@pytest.mark.promise("tiny_lm 1")
def test_every_generated_token_says_its_probability(label):
    vocabulary, found = vocabulary_of(label), decided(label)
    (block,) = [block for block in html_of(show(model=label, new=WRITTEN)) if "spoken" in block]
    titles = [html.unescape(title).rpartition(": ") for title in re.findall(r'<span title="([^"]*)"', block)]
    tokens, shares = [title[0] for title in titles], [float(title[2]) for title in titles]
    assert len(tokens) == WRITTEN
    for place, token in enumerate(found.tokens[:WRITTEN]):
        assert tokens[place] == visible(vocabulary.tokens[token])
        assert shares[place] == pytest.approx(found.bets[place, token], abs=0.006)


@each_model
@pytest.mark.parametrize("n_new", [0, WRITTEN])
@pytest.mark.promise("tiny_lm 1", "tutorial 29")
def test_every_head_of_every_layer_is_drawn_with_its_weights(label, n_new):
    model, tokens = model_of(label)[0], prompt_of(label)
    context = np.concatenate([tokens, decided(label).tokens[:n_new]])[-model.config.max_len :]
    weights = insides(model, context).weights
    seen = show(model=label, new=n_new)
    looks = one(seen, "each head’s largest attention weight").data["value"]
    np.testing.assert_allclose(looks, weights[:, :, -1].max(axis=-1).ravel(), rtol=1e-6)
    first = max(0, len(context) - LOOKED_AT)
    for layer, head in np.ndindex(*weights.shape[:2]):
        name = f"Layer {layer + 1} head {head + 1}:" if model.config.n_layers > 1 else f"Head {head + 1}:"
        map_ = one(seen, name)
        shown = weights[layer, head, first:, first:]
        np.testing.assert_allclose(heatmap(map_).values, shown, rtol=1e-6)
        assert [map_.spec["layer"][0]["encoding"][axis]["field"] for axis in "xy"] == [
            "key",
            "query",
        ]  # words along both


def test_the_characters_of_the_bible_are_words_up_to_a_temperature_of_one():
    source, model = source_of("bible"), model_at("bible")
    known = set(re.findall(r"[a-z]+", bible_text().lower()))
    prompt, exist = source.vocabulary.encode(list("And God said")), {}
    for heat in (0.5, 1.0, 2.0):
        texts = ["".join(source.vocabulary.decode(generate(model, prompt, 60, heat, seed=seed))) for seed in range(8)]
        words = [word for text in texts for word in re.findall("[a-z]+", text.lower())[1:-1]]
        exist[heat] = np.mean([word in known for word in words])
    assert min(exist[0.5], exist[1.0]) > 0.9
    assert exist[2.0] < 0.6


def test_toy_english_follows_its_grammar_up_to_a_temperature_of_one():
    model, ids, follow = model_at("english"), source_of("english").vocabulary.encode(["the", "cat"]), {}
    sentences = rows(np.random.default_rng(1), 4000, 32)
    known = set(zip(sentences[:, :-1].ravel().tolist(), sentences[:, 1:].ravel().tolist(), strict=True))
    for heat in (0.5, 1.0, 2.0):
        texts = [generate(model, ids, 60, heat, seed=seed) for seed in range(8)]
        follow[heat] = np.mean([pair in known for text in texts for pair in pairwise(text)])
    assert min(follow[0.5], follow[1.0]) > 0.9
    assert follow[2.0] < 0.6


def test_a_head_is_enlarged_by_its_button_and_a_cell_by_its_fields():
    app = press(reveal(visit("tiny_lm", step="bet", model="Copy task")), "tiny_lm_put_head_2.1")
    assert controls(app)["tiny_lm_q"].value == "a₉"
    assert "All heads" in [button.label for button in app.button]


def test_the_prediction_after_the_likeliest_token_is_asked_for():
    for label, variant in (("Toy English", 0), ("King James Bible", 1)):
        model, source = model_of(label)
        tokens, best = prompt_of(label), int(decided(label).bets[0].argmax())
        after = decisions(model, np.append(tokens, best), 1, 0.0).bets[0]
        seen = each_variant("bet", model=label)[variant]
        question = seen.question("bet")
        assert [question.options[place] for place in question.right] == [
            visible(source.vocabulary.tokens[after.argmax()])
        ]
        assert f"{after.max():.2f}" in question.why
        assert [question.judge(place).right for place in range(4)].count(True) == 1
