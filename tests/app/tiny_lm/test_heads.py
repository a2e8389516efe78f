"""heads: what every head does over many texts, untrained and trained, and its name."""

from functools import partial

import numpy as np
import pytest

from attention_core.experiments.inside.head_patterns import patterns, uniform_patterns
from attention_core.model.forward import attention_weights
from attention_core.shipped.models import model_at
from attention_core.shipped.plans import MODELS
from attention_core.text.corpora import source_of
from pages.tiny_lm.heads.over_texts import UNIFORM
from pages.tiny_lm.heads_view import LONG, SHORT
from pages.tiny_lm.model_in_view import NAMES, WHEN, stops_of
from tests.app.steps import step
from tests.app.tiny_lm.models import (
    close,
    each_model,
    in_view,
    named,
)
from tests.app.visits import charts, heatmap
from tests.tiers import first

show = partial(step, "tiny_lm", "heads")


def rows_of(name):
    """Return the rows over which the heads of a model that ships are measured."""
    length = MODELS[name].plan.config.max_len
    return source_of(MODELS[name].source).held_out(length).rows[: max(8, min(64, 2048 // length)), :-1]


@each_model
@pytest.mark.parametrize("when", ["untrained", "trained"])
@pytest.mark.promise("tutorial 17")
def test_patterns_before_and_after_are_measured_over_many_texts(label, when):
    name = NAMES[label]
    at, rows = stops_of(name)[WHEN.index(when)], rows_of(name)
    maps = [one for one in charts(show(model=label, when=when)) if one.alt.startswith("Largest apart from")]
    for one, moment in zip(maps, (0, at), strict=True):
        found = heatmap(one)
        expected = np.stack([field.ravel() for field in patterns(model_at(name, moment), rows)], axis=1)
        close(found.values[:-1], expected)
        close(found.values[-1], np.stack(uniform_patterns(model_at(name, moment), rows)).ravel())
        assert found.rows[-1] == UNIFORM
        moved = one.data["moved"].to_numpy().reshape(found.values.shape)
        assert (moved[:-1] == (expected == expected.max(axis=0))).all()
        assert not moved[-1].any()


@pytest.mark.parametrize("pattern", first(2, SHORT.values()))
def test_the_best_head_of_a_pattern_is_drawn_on_the_prompt(pattern):
    place = list(SHORT.values()).index(pattern)
    head = int(patterns(model_at("recall"), rows_of("recall"))[place].argmax())
    found = named(show(model="Copy task", pattern=pattern), f"Head {head // 4 + 1}.{head % 4 + 1} on the prompt")
    model, _, tokens, _, _ = in_view("Copy task")
    close(heatmap(found).values, attention_weights(model, tokens)[head // 4, head % 4])


def test_the_pattern_that_grew_most_is_predicted_before_the_maps():
    asked = show(unanswered="all")
    assert (asked.ready, charts(asked)) == (False, [])
    question = asked.question("grown")
    gained = {
        field: getattr(patterns(model_at("english"), rows_of("english")), field).max()
        - getattr(patterns(model_at("english", 0), rows_of("english")), field).max()
        for field in LONG
        if field != "spread"
    }
    assert [question.options[option] for option in question.right] == [LONG[max(gained, key=gained.get)]]
