"""train: the training data, and how large the model is."""

import re
from functools import partial

import pytest

from attention_core.shipped import runs
from attention_core.shipped.plans import MODELS, PRONOUN, RECALL
from attention_core.text.corpora import source_of
from pages.tiny_lm.train import form
from pages.tiny_lm.train.form import MOST_SECONDS, PLANS, nominal_seconds, size_of, text_source, too_short
from tests.app.steps import step
from tests.app.tiny_lm.runs import LINK, at_training, trained
from tests.app.visits import rerun, said, set_to

show = partial(step, "tiny_lm", "train")
pytestmark = pytest.mark.usefixtures("no_run_left")


def test_sizes_that_do_not_fit_are_said():
    assert "n_heads must divide d_model" in said(show(sizes="true", width="16", heads=3))
    assert not any("before the first target" in said(show(sizes="true", length=length)) for length in ("8", "16"))


def test_a_context_without_a_target_is_refused_with_the_shortest_that_has_one():
    source = source_of("pronoun")
    shortest = next(length for length in range(1, 32) if runs.has_counted_targets(source, length))
    assert too_short(source, shortest) == ""
    assert f"Choose at least {shortest} tokens" in too_short(source, shortest - 1)


def test_what_is_ablated_is_not_in_the_model():
    whole, less = (said(show(learn="Copy task", without=part)) for part in ("nothing", "one layer"))
    assert ("2 layers" in whole, "1 layer," in less) == (True, True)


@pytest.mark.parametrize("unit", ["character", "word"])
@pytest.mark.promise("tiny_lm 5")
def test_a_text_of_ones_own_is_learned_from(unit):
    app = at_training(learn="a text of your own", unit=unit, **LINK)
    app.text_area(key="tiny_lm_own_text").set_value("the cat sat. the dog sat. it ran away! " * 12)
    trained(rerun(app))
    job = app.session_state["tiny_lm_training"]
    assert job.state == "done"
    assert job.source.unit == unit
    assert ("cat" in job.source.vocabulary) == (unit == "word")
    assert "a text of your own" in app.session_state["tiny_lm_own"].says


@pytest.mark.parametrize("text", ["", "short", "👩‍👩‍👧", "\u202e" * 30])
def test_a_text_too_short_is_refused(text):
    source, problem = text_source(text, "character")
    assert source is None
    assert re.search(r"at least \d+ characters, got \d+", problem)


def test_what_is_wrong_with_a_text_is_said_on_the_page():
    app = at_training(learn="a text of your own")
    app.text_area(key="tiny_lm_own_text").set_value("short")
    assert text_source("short", "character")[1] in said(rerun(app))


@pytest.mark.parametrize(
    ("content", "why"), [(b"\xff\xfe\x00bad", "UTF-8"), (b"", "at least"), (b"a" * 10, "at least")]
)
def test_a_file_that_is_no_text_is_said(content, why):
    app = at_training(learn="a text of your own")
    app.file_uploader(key="tiny_lm_own_file").upload("text.txt", content, "text/plain")
    assert why in said(rerun(app))


@pytest.mark.parametrize("content", [b"the cat sat. " * 20, b"a" * 10])
def test_a_text_is_read_once_for_each_way_to_cut_it_also_where_it_is_refused(content, monkeypatch):
    read, own_text = [], form.own_text

    def noted(text, unit):
        read.append(unit)
        return own_text(text, unit)

    app = at_training(learn="a text of your own")
    app.file_uploader(key="tiny_lm_own_file").upload("text.txt", content, "text/plain")
    monkeypatch.setattr(form, "own_text", noted)
    rerun(rerun(app))
    assert read == ["character"]
    rerun(set_to(app, tiny_lm_unit="word"))
    assert read == ["character", "word"]


def test_plans_fit_into_a_lesson():
    for name, plan in PLANS.items():
        assert 0 < nominal_seconds(plan) < MOST_SECONDS, name
        assert "parameters" in size_of(plan)


def test_the_recipes_of_the_page_are_those_of_the_models_that_ship():
    assert PLANS["pronoun"] == PRONOUN.plan
    assert PLANS["recall"] == RECALL.plan
    assert PLANS["english"].config == MODELS["english"].plan.config


def test_a_run_that_would_take_too_long_is_not_begun():
    huge = {"learn": "King James Bible", "sizes": "true", "width": "128", "layers": "4", "length": "96"}
    app = at_training(**huge, steps="2000", batch="64", hidden="true")
    assert "Choose fewer steps" in said(app)
    assert app.button(key="tiny_lm_train").disabled
