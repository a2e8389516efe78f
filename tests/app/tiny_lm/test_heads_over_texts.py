"""heads: how much of a head's weight its name explains, example by example."""

import re
from functools import partial

import pytest

from attention_core.experiments.inside.head_jobs import decile_examples, example_weights, job_examples
from attention_core.experiments.inside.head_patterns import NOTHING, habits_above, patterns, uniform_patterns
from attention_core.shipped.models import model_at
from pages.look.html import number, percent
from pages.tiny_lm.heads import STEP
from pages.tiny_lm.heads.one_job import DARKEST, JOBS
from pages.tiny_lm.heads_view import LONG
from tests.app.steps import step
from tests.app.tiny_lm.models import close, named, values
from tests.app.tiny_lm.test_heads import rows_of
from tests.app.visits import charts, said
from tests.tiers import first

EXAMPLES = {"heads_look": [*STEP.views][1]}
show = partial(step, "tiny_lm", "heads")


def clearest(layer, head):
    """Return the name of a head of the Copy task, if it has one."""
    model, rows = model_at("recall"), rows_of("recall")
    pattern = int(habits_above(patterns(model, rows), uniform_patterns(model, rows)).pattern[layer, head])
    return None if pattern == NOTHING else list(LONG)[pattern]


HEADS_SHOWN = ["2.4/", "1.3/same", "2.2/induction"]  # head, job


@pytest.mark.parametrize("which", first(2, HEADS_SHOWN))
@pytest.mark.parametrize("decile", first(1, ["1", "5", "10"]))
@pytest.mark.promise("pitfall 13")
@pytest.mark.promise("tiny_lm 11")
def test_what_a_job_explains_and_its_examples_are_those_of_the_core(which, decile):
    head, job = which.split("/")
    model, rows = model_at("recall"), rows_of("recall")
    layer, place = (int(part) - 1 for part in head.split("."))
    field = job or clearest(layer, place)
    found = job_examples(model, rows, layer, place, field)
    link = {"job": JOBS[job]} if job else {}
    seen = show(head=head, decile=decile, **link, **EXAMPLES)
    close(values(named(seen, "Mean weight on the job")), found.deciles)
    text = said(seen)
    for value in (percent(found.explained), percent(1 - found.explained), percent(found.mostly), percent(found.have)):
        assert value in text
    places = decile_examples(found, int(decile) - 1)
    weights = example_weights(model, rows, layer, place, found, places)
    (block,) = [html for html in seen.html if "weight on this job" in html]
    shades = [int(share) for share in re.findall(r"var\(--attention\) (\d+)%", block)]
    assert shades == [round(DARKEST * float(weight)) for weight in weights.ravel()]
    assert block.count('class="picked') == len(places)
    for example, row in zip(places, weights, strict=True):
        assert number(float(found.weights[example])) in block
        query = int(found.queries[example])
        marks = re.findall(
            r'<span class="([^"]*)"', block.split('<div class="spoken small">')[1 + list(places).index(example)]
        )
        keys = [key for key, mark in enumerate(marks) if "again" in mark]
        assert "picked" in marks[query]
        assert sum(float(row[key]) for key in keys) == pytest.approx(float(found.weights[example]), abs=1e-5)


def test_the_share_that_a_name_explains_is_predicted():
    asked = show(unanswered="all", **EXAMPLES)
    assert (asked.ready, charts(asked)) == (False, [])
    question = asked.question("one_job")
    found = job_examples(model_at("recall"), rows_of("recall"), 1, 2, "induction")
    assert question.options[question.right[0]] == percent(round(found.explained, 1))
    assert len(set(question.options)) == len(question.options) >= 3
    whole = question.options.index(percent(1.0))
    assert not question.judge(whole).right
    assert "A name is not" in question.judge(whole).text
    assert not show(when="untrained", **EXAMPLES).page.asked  # no head has a name yet
