"""Models to look into: those that ship, by the core's functions alone, and odd ones of a student's own."""

from importlib import import_module
from unittest.mock import patch

import numpy as np
import pytest

from attention_core.model.config import Config
from attention_core.model.parameters import init_model
from attention_core.shipped.models import model_at
from attention_core.shipped.plans import MODELS
from attention_core.text.corpora import source_of
from attention_core.text.vocabulary import Vocabulary
from pages.tiny_lm import model_in_view
from pages.tiny_lm.model_in_view import NAMES, OWN, PROMPTS, STARTS, WHEN, Own, stops_of
from pages.tiny_lm.units import as_text, tokens_in
from tests.app.steps import step
from tests.app.visits import charts
from tests.tiers import first

TWO = ("Toy English", "Copy task")  # one layer and two, words and characters
each_model = pytest.mark.parametrize("label", first(2, [*TWO, *(label for label in NAMES if label not in TWO)]))
HOSTILE = ("<b>bold</b>", "␣", " ", "`$x$`", "\n", "a" * 40, "獅子", "{0}")
ODD = {
    "post-norm, relu": {"norm": "post", "activation": "relu", "n_layers": 2, "n_heads": 3, "d_ff": 20},
    "one token": {"vocab_size": 1, "n_heads": 1, "max_len": 1},
    "reads two tokens": {"max_len": 2, "n_layers": 1},
    "four layers of eight": {"n_layers": 4, "n_heads": 8, "d_model": 16, "positions": "rope", "d_ff": 0},
    "looks ahead": {"causal": False, "n_layers": 1, "n_heads": 1, "positions": "none", "d_ff": 0},
    "alibi, dropout": {"positions": "alibi", "n_layers": 3, "dropout": 0.2},
    "post-norm, attention alone": {"norm": "post", "n_layers": 1, "positions": "sinusoidal", "d_ff": 0},
}


def model_of(label, when="trained"):
    name = NAMES[label]
    return model_at(name, stops_of(name)[WHEN.index(when)]), source_of(MODELS[name].source)


def vocabulary_of(label):
    """Return the vocabulary of a model as it is read: pieces as the text that they stand for."""
    source = model_of(label)[1]
    return as_text(source.vocabulary, source.unit)


def prompt_of(label, text=None):
    """Return the prompt of a model as ids, after what began each text in training."""
    vocabulary, name = vocabulary_of(label), NAMES[label]
    begun = [STARTS[name]] if name in STARTS else []
    return vocabulary.encode([*begun, *tokens_in(text or PROMPTS[name][1], vocabulary, model_of(label)[1].unit)])


def in_view(label="Toy English", when="trained"):
    """Return the model that a link shows, and its prompt."""
    return step("tiny_lm", "bet", model=label, when=when).scene


def odd(kind, n_models=2):
    """Return a model of a student's own: untrained, and after some steps with larger numbers."""
    config = Config(
        **{"vocab_size": len(HOSTILE), "d_model": 12, "n_heads": 2, "n_layers": 2, "max_len": 9} | ODD[kind]
    )
    models = tuple(init_model(config, seed=seed) for seed in range(n_models))
    models[-1].flat[:] *= 3
    tokens = HOSTILE[: config.vocab_size]
    return Own(models, tuple(range(n_models)), Vocabulary(tokens), "word", "<b>zq</b>", " ".join(tokens[:3]))


def step_with(own, name, **link):
    """Return what a step draws for a student who has a model of their own."""
    for module in ("scene", name):  # before the patch, which a module that is imported under it would keep
        import_module(f"pages.tiny_lm.{module}")
    with patch.object(model_in_view, "own_model", lambda: own):
        return step("tiny_lm", name, model=OWN, **link)


def named(seen, beginning):
    """Return the chart whose sentence begins so."""
    (found,) = [chart for chart in charts(seen) if chart.alt.startswith(beginning)]
    return found


def values(chart):
    return chart.data["value"].tolist()


def line(chart, series):
    """Return where a line of a chart goes: x and value."""
    own = chart.data[(chart.data["kind"] == "line") & (chart.data["series"] == series)]
    return own["x"].to_numpy(), own["value"].to_numpy()


def close(seen, expected, rtol=1e-6):
    """Compare numbers; those computed in two ways, which round differently, with a larger tolerance."""
    np.testing.assert_allclose(np.asarray(seen, float), np.asarray(expected, float), rtol=rtol, atol=rtol / 100)
