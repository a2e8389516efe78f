"""What the tests of lesson 6 share: its models and prompts, steps of a student's own models, and scripts."""

from collections import defaultdict
from unittest.mock import patch

from markupsafe import escape

from attention_core.shipped.models import model_at
from attention_core.shipped.plans import MODELS
from attention_core.text.corpora import source_of
from pages.tiny_lm.model_in_view import NAMES, PROMPTS, STARTS, WHEN, stops_of
from pages.tiny_lm.units import as_text, tokens_in
from tests.app.steps import step
from tests.app.tiny_lm.models import each_model as each_model
from tests.app.visits import html_of


def model_of(label, when="trained"):
    """Return the model of a link and its source."""
    shipped = MODELS[NAMES[label]]
    return model_at(shipped.name, stops_of(shipped.name)[WHEN.index(when)]), source_of(shipped.source)


def vocabulary_of(label):
    """Return the vocabulary of a model as it is read: pieces as the text that they stand for."""
    source = model_of(label)[1]
    return as_text(source.vocabulary, source.unit)


def prompt_of(label, text=None):
    """Return the prompt of a model as ids, after what began each text in training."""
    vocabulary, name = vocabulary_of(label), NAMES[label]
    begun = [STARTS[name]] if name in STARTS else []
    return vocabulary.encode([*begun, *tokens_in(text or PROMPTS[name][1], vocabulary, model_of(label)[1].unit)])


def step_of_own(brought, name, /, **link):
    """Return what a step draws of a model of the student's own; nothing of its words is markup."""
    with patch("pages.tiny_lm.model_in_view.own_model", lambda: brought):
        seen = step("tiny_lm", name, model="your own", **link)
    asked = [escape(text) for question in seen.page.asked for text in (question.text, question.why)]
    blocks = " ".join([*html_of(seen), *asked])
    for word in (*brought.vocabulary.tokens, brought.says):
        assert ">" not in word[1:] or word not in blocks
    return seen


def each_variant(name, /, n_variants=3, **link):
    """Return what a step draws with its questions in each of some variants."""
    return [
        step("tiny_lm", name, variants=defaultdict(lambda variant=variant: variant), **link)
        for variant in range(n_variants)
    ]


def chart_of(seen, beginning):
    """Return the chart whose sentence begins so."""
    (found,) = [chart for chart in seen.charts if chart.alt.startswith(beginning)]
    return found
