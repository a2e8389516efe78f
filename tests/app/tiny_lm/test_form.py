"""train: the training data, and how large the model is."""

from functools import partial

import pytest

from attention_core.shipped import runs
from attention_core.shipped.plans import MODELS, PRONOUN, RECALL
from attention_core.text.corpora import source_of
from pages.tiny_lm.train import form
from pages.tiny_lm.train.form import MOST_SECONDS, OWN_TEXT, PLANS, nominal_seconds, text_source, too_short
from tests.app.steps import step
from tests.app.tiny_lm.runs import LINK, at_training, trained
from tests.app.visits import rerun, said, set_to

show = partial(step, "tiny_lm", "train")
pytestmark = pytest.mark.usefixtures("by_hand")


def test_sizes_that_do_not_fit_are_said():
    assert "n_heads must divide d_model" in said(show(sizes="true", width="16", heads=3))


def test_a_context_without_a_target_is_refused_with_the_shortest_that_has_one():
    source = source_of("pronoun")
    shortest = next(length for length in range(1, 32) if runs.has_counted_targets(source, length))
    assert too_short(source, shortest) == ""
    assert f" {shortest} tokens" in too_short(source, shortest - 1)


def test_what_is_ablated_is_not_in_the_model():
    whole, less = (said(show(learn="Copy task", without=part)) for part in ("nothing", "one layer"))
    assert ("2 layers" in whole, "1 layer," in less) == (True, True)
    assert "one layer anyway" in said(show(learn="Pronouns", without="one layer"))


@pytest.mark.parametrize("unit", ["character", "word"])
def test_a_text_of_ones_own_is_learned_from(unit):
    app = at_training(learn=OWN_TEXT, unit=unit, **LINK)
    app.text_area(key="tiny_lm_own_text").set_value("the cat sat. the dog sat. it ran away! " * 12)
    trained(rerun(app))
    job = app.session_state["tiny_lm_training"]
    assert (job.end, job.source.unit) == ("finished", unit)
    assert ("cat" in job.source.vocabulary) == (unit == "word")
    assert OWN_TEXT in app.session_state["tiny_lm_own"].says


@pytest.mark.parametrize(("content", "why"), [(b"\xff\xfe\x00bad", "UTF-8"), (b"a" * 10, "at least")])
def test_what_is_wrong_with_a_text_or_a_file_is_said(content, why):
    app = at_training(learn=OWN_TEXT)
    app.file_uploader(key="tiny_lm_own_file").upload("text.txt", content, "text/plain")
    assert why in said(rerun(app))
    app = at_training(learn=OWN_TEXT)
    app.text_area(key="tiny_lm_own_text").set_value("short")
    assert text_source("short", "character")[1] in said(rerun(app))


@pytest.mark.parametrize("content", [b"the cat sat. " * 20, b"a" * 10])
def test_a_text_is_read_once_for_each_way_to_cut_it_also_where_it_is_refused(content, monkeypatch):
    read, own_text = [], form.own_text
    app = at_training(learn=OWN_TEXT)
    app.file_uploader(key="tiny_lm_own_file").upload("text.txt", content, "text/plain")
    monkeypatch.setattr(form, "own_text", lambda text, unit: read.append(unit) or own_text(text, unit))
    rerun(rerun(app))
    rerun(set_to(app, tiny_lm_unit="word"))
    assert read == ["character", "word"]


def test_plans_fit_into_a_lesson_and_are_those_of_the_models_that_ship():
    assert all(0 < nominal_seconds(plan) < MOST_SECONDS for plan in PLANS.values())
    assert (PLANS["pronoun"], PLANS["recall"]) == (PRONOUN.plan, RECALL.plan)
    assert PLANS["english"].config == MODELS["english"].plan.config


def test_a_run_that_would_take_too_long_is_not_begun():
    huge = {"learn": "a text of your own", "sizes": "true", "width": "128", "layers": "4", "length": "96"}
    app = at_training(**huge, steps="2000", batch="64", hidden="true")
    assert "Choose fewer steps" in said(app)
    assert app.button(key="tiny_lm_train").disabled
