"""heads: all heads by two measures, and how much of a head's weight its name explains, example by example."""

import re
from functools import partial

import pytest
from pages.tiny_lm.heads.two_measures import MEASURES

from attention_core.experiments.inside.head_jobs import decile_examples, example_weights, job_examples, summarise_heads
from attention_core.experiments.inside.head_patterns import NOTHING, habits_above, patterns, uniform_patterns
from attention_core.shipped.models import model_at
from attention_core.shipped.plans import MODELS
from pages.look.html import number, percent
from pages.tiny_lm.heads import STEP
from pages.tiny_lm.heads.one_job import DARKEST, JOBS
from pages.tiny_lm.heads_view import LONG
from pages.tiny_lm.model_in_view import NAMES, WHEN
from tests.app.steps import step
from tests.app.tiny_lm.models import (
    TWO,
    close,
    named,
    values,
)
from tests.app.tiny_lm.test_heads import rows_of
from tests.app.visits import charts, click, press, reveal, said, shared, visit
from tests.tiers import first

VIEWS = [*STEP.views]
MEASURED, EXAMPLES = {"heads_look": VIEWS[1]}, {"heads_look": VIEWS[2]}
show = partial(step, "tiny_lm", "heads")


@pytest.mark.parametrize("label", TWO)
@pytest.mark.parametrize("when", first(1, ["trained", "just begun"]))
@pytest.mark.parametrize("axes", first(2, ["previous induction", "distance copying", "spread spread"]))
@pytest.mark.promise("tiny_lm 11")
def test_a_dot_lies_where_the_measures_of_its_head_are(label, when, axes):
    across, up = axes.split()
    seen = show(model=label, when=when, across=MEASURES[across], up=MEASURES[up], **MEASURED)
    name = NAMES[label]
    found = summarise_heads(model_at(name, MODELS[name].stops[WHEN.index(when)]), rows_of(name))
    (chart,) = charts(seen)
    data = chart.data
    again = " (again)" if across == up else ""
    close(data[MEASURES[across]], getattr(found, across).ravel())
    close(data[MEASURES[up] + again], getattr(found, up).ravel())
    n_layers, n_heads = found.copying.shape
    layers = [f"layer {layer + 1}" for layer in range(n_layers) for _ in range(n_heads)]
    assert data["layer"].tolist() == layers
    assert ", ".join(filter(None, data["label"])).count(",") + 1 == n_layers * n_heads
    chosen = int(getattr(found, up).argmax())
    assert data["mark"].tolist() == [place == chosen for place in range(n_layers * n_heads)]
    for field in MEASURES:
        assert number(float(getattr(found, field).ravel()[chosen])) in said(seen)


def test_a_click_on_a_dot_chooses_the_head_and_a_button_leads_to_its_examples():
    app = reveal(visit("tiny_lm", step="heads", model="Copy task", **MEASURED))
    click(app, 4, 0)
    assert shared(app)["tiny_lm_head"] == "2.1"
    press(app, "See its examples")
    assert shared(app)["tiny_lm_heads_look"] == VIEWS[2]
    assert "Head 2.1 on the token itself" in said(reveal(app))
    locked = visit("tiny_lm", step="heads", model="Copy task", lock="heads_look", **MEASURED)
    assert locked.button(key="tiny_lm_put_examples").disabled


def clearest(label, layer, head):
    """Return the name of a head of a model that ships, if it has one."""
    model, rows = model_at(NAMES[label]), rows_of(NAMES[label])
    pattern = int(habits_above(patterns(model, rows), uniform_patterns(model, rows)).pattern[layer, head])
    return None if pattern == NOTHING else list(LONG)[pattern]


HEADS_SHOWN = ["Copy task/2.4/", "Toy English/1.3/same", "King James Bible/2.2/induction"]  # model, head, job


@pytest.mark.parametrize("which", first(2, HEADS_SHOWN))
@pytest.mark.parametrize("decile", first(1, ["1", "5", "10"]))
@pytest.mark.promise("pitfall 13")
def test_what_a_job_explains_and_its_examples_are_those_of_the_core(which, decile):
    label, head, job = which.split("/")
    model, rows = model_at(NAMES[label]), rows_of(NAMES[label])
    layer, place = (int(part) - 1 for part in head.split("."))
    field = job or clearest(label, layer, place)
    found = job_examples(model, rows, layer, place, field)
    link = {"job": JOBS[job]} if job else {}
    seen = show(model=label, head=head, decile=decile, **link, **EXAMPLES)
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
    asked = show(model="Copy task", unanswered="all", **EXAMPLES)
    assert (asked.ready, charts(asked)) == (False, [])
    question = asked.question("one_job")
    found = job_examples(model_at("recall"), rows_of("recall"), 1, 2, "induction")
    assert question.right == found.explained
    assert not question.judge(1.0).right
    assert "The other tokens count too" in question.judge(float(found.weights.mean())).text
    assert question.judge(found.explained + 0.01).right
    assert not show(when="untrained", **EXAMPLES).page.asked  # no head has a name yet
