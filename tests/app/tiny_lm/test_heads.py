"""heads: what every head does over many texts, untrained and trained, and its name."""

from functools import partial

import numpy as np
import pytest

from attention_core.experiments.inside.head_patterns import habits_above, patterns, uniform_patterns
from attention_core.shipped.models import model_at
from attention_core.shipped.plans import MODELS
from attention_core.text.corpora import source_of
from pages.tiny_lm.heads.over_texts import UNIFORM
from pages.tiny_lm.heads_view import LONG
from pages.tiny_lm.model_in_view import WHEN, stops_of
from tests.app.steps import step
from tests.app.tiny_lm.models import close
from tests.app.visits import charts, heatmap

show = partial(step, "tiny_lm", "heads")


def rows_of(name):
    """Return the rows over which the heads of a model that ships are measured."""
    length = MODELS[name].plan.config.max_len
    return source_of(MODELS[name].source).held_out(length).rows[: max(8, min(64, 2048 // length)), :-1]


@pytest.mark.parametrize("when", ["untrained", "trained"])
@pytest.mark.promise("tutorial 17")
@pytest.mark.promise("tiny_lm 11")
def test_patterns_before_and_after_are_measured_over_many_texts(when):
    name = "recall"
    at, rows = stops_of(name)[WHEN.index(when)], rows_of(name)
    maps = [one for one in charts(show(when=when)) if one.alt.startswith("Largest apart from")]
    for one, moment in zip(maps, (0, at), strict=True):
        found = heatmap(one)
        expected = np.stack([field.ravel() for field in patterns(model_at(name, moment), rows)], axis=1)
        close(found.values[:-1], expected)
        close(found.values[-1], np.stack(uniform_patterns(model_at(name, moment), rows)).ravel())
        assert found.rows[-1] == UNIFORM
        moved = one.data["moved"].to_numpy().reshape(found.values.shape)
        assert (moved[:-1] == (expected == expected.max(axis=0))).all()
        assert not moved[-1].any()


@pytest.mark.promise("pitfall 13")
def test_the_heads_that_copy_have_their_names():
    model, rows = model_at("recall"), rows_of("recall")
    named = habits_above(patterns(model, rows), uniform_patterns(model, rows)).pattern
    assert [list(LONG)[named[head]] for head in ((0, 0), (1, 3))] == ["previous", "induction"]


def test_the_pattern_that_grew_most_is_predicted_before_the_maps():
    asked = show(unanswered="all")
    assert not asked.ready
    assert len(charts(asked)) == 1  # before training
    question = asked.question("grown")
    gained = {
        field: getattr(patterns(model_at("recall"), rows_of("recall")), field).max()
        - getattr(patterns(model_at("recall", 0), rows_of("recall")), field).max()
        for field in LONG
        if field != "spread"
    }
    assert [question.options[option] for option in question.right] == [LONG[max(gained, key=gained.get)]]
