"""The first step of the last lesson: what the model bets on, what it wrote, and where every head looks."""

import html
import re
from functools import cache

import numpy as np
import pytest

from attention_core.model.activations import insides
from attention_core.model.generate import decisions
from attention_core.shipped.models import MODELS, model_at
from attention_core.text.corpora import source_of
from pages.charts.heatmap import ATTENTION_AXES
from pages.charts.matrix_image import matrix_picture
from pages.tiny_lm.common import SHOWN
from pages.tiny_lm.heads_view import LOOKED_AT
from pages.tiny_lm.model_in_view import NAMES, PROMPTS
from tests.app.visits import charts, heatmap, html_of, reveal, visit

each_model = pytest.mark.parametrize("label", NAMES)
WRITTEN = 4


def expected(label, n_new=WRITTEN):
    """Return the vocabulary of a model, its usual prompt, and its decisions, made by the core alone."""
    name = NAMES[label]
    source, model = source_of(MODELS[name].source), model_at(name)
    words = PROMPTS[name][1].split() if source.unit == "word" else list(PROMPTS[name][1])
    tokens = source.vocabulary.encode(words)
    return model, source.vocabulary, tokens, decisions(model, tokens, n_new + 1, 0.8, seed=3)


@cache
def bet(label, n_new=WRITTEN):
    """Return the page after so many tokens were written; it is read only."""
    return reveal(visit("tiny_lm", model=label, new=str(n_new)))


def one(app, part):
    (found,) = [shown for shown in charts(app) if part in shown.alt]
    return found


@each_model
def test_the_bars_are_shares_of_the_whole_vocabulary(label):
    model, vocabulary, _, found = expected(label)
    assert found.bets.shape[1] == len(vocabulary.tokens) == model.config.vocab_size
    bets = found.bets[WRITTEN]
    np.testing.assert_allclose(bets.sum(), 1, rtol=1e-5)
    shown = next(shown for shown in charts(bet(label)) if "The model bets most on" in shown.alt)
    likeliest = np.sort(bets)[::-1]
    np.testing.assert_allclose(shown.data["value"], likeliest[:SHOWN], rtol=1e-6)
    rest = re.search(r"The other ([\d,]+) share ([\d.]+)\.$", shown.alt)
    assert int(rest[1].replace(",", "")) == len(bets) - SHOWN
    assert float(rest[2]) == pytest.approx(likeliest[SHOWN:].sum(), abs=0.006)


@each_model
def test_every_token_that_was_written_says_its_share(label):
    _, vocabulary, _, found = expected(label)
    (block,) = [block for block in html_of(bet(label)) if "spoken" in block]
    titles = [html.unescape(title).rpartition(": ") for title in re.findall(r'<span title="([^"]*)"', block)]
    tokens, shares = [title[0] for title in titles], [float(title[2]) for title in titles]
    assert len(tokens) == WRITTEN
    for place, token in enumerate(found.tokens[:WRITTEN]):
        assert tokens[place] in (vocabulary.tokens[token], "␣", "⏎")
        assert shares[place] == pytest.approx(found.bets[place, token], abs=0.006)


@each_model
@pytest.mark.parametrize("n_new", [0, WRITTEN])
def test_every_head_of_every_layer_is_drawn_with_its_weights(label, n_new):
    model, _, tokens, found = expected(label)
    context = np.concatenate([tokens, found.tokens[:n_new]])[-model.config.max_len :]
    weights = insides(model, context).weights
    app = bet(label, n_new)
    looks = one(app, "each head’s largest weight").data["value"]
    np.testing.assert_allclose(looks, weights[:, :, -1].max(axis=-1).ravel(), rtol=1e-6)
    first = max(0, len(context) - LOOKED_AT)
    for layer, head in np.ndindex(*weights.shape[:2]):
        name = f"Layer {layer + 1} head {head + 1}:" if model.config.n_layers > 1 else f"Head {head + 1}:"
        map_ = one(app, name)
        seen = weights[layer, head, first:, first:]
        if "query" in map_.data:
            np.testing.assert_allclose(heatmap(map_).values, seen, rtol=1e-6)
        else:  # of more layers than one, as images
            picture = matrix_picture(seen, ATTENTION_AXES, limit=None, name="", sentence="", first=first + 1)
            assert map_.data["light"].item() == picture.data["light"].item()
