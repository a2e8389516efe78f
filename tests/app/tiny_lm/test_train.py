"""train: a run on the page, what it shows and what becomes of it."""

from dataclasses import replace

import numpy as np
import pytest

import attention_core as core
from attention_core.experiments.language.held_out import accuracy, link_scores, recall_scores
from attention_core.shipped import runs
from attention_core.shipped.models import model_at
from attention_core.shipped.plans import PRONOUN
from attention_core.text.corpora import baseline_losses, own_text, source_of
from attention_core.text.word_vectors import position_labels
from pages.look.html import number
from pages.tiny_lm.train.findings import findings
from pages.tiny_lm.train.form import OWN_TEXT, USUAL_TEXT
from pages.tiny_lm.train.job import Job
from pages.tiny_lm.train.live import STARTS, how_it_stands, probe
from pages.tiny_lm.train.queue import QUEUE
from pages.tiny_lm.train.upload import from_file
from pages.tiny_lm.units import tokens_in
from tests.app.files import file_of
from tests.app.tiny_lm.runs import LINK, SMALL, SOURCE, at_training, progress, trained, work
from tests.app.visits import charts, opened, press, rerun, said, set_to, shared, to_step

pytestmark = pytest.mark.usefixtures("by_hand")


def keys(app):
    return {button.key for button in app.button}


def test_a_run_shows_its_losses_with_their_baselines_and_what_it_learned():
    app = trained(at_training(train_seed=4.0, **LINK))
    job = app.session_state["tiny_lm_training"]
    assert job.plan.config == replace(
        PRONOUN.plan.config, d_model=16, n_heads=2, n_layers=1, max_len=16, alibi_slopes=None
    )
    assert (job.end, job.plan.steps, job.plan.seed, job.plan.batch_size) == ("finished", 50, 4, 4)
    source = job.source
    loss = next(shown for shown in charts(app) if "series" in shown.data.columns)
    ends = loss.data[loss.data["kind"] == "end"].set_index("series")["value"]
    known = baseline_losses(source, 16)
    counted = ends.drop(["validation loss", "training loss", "model of the course"])
    assert counted.to_dict() == pytest.approx(known._asdict())
    assert ends["validation loss"] == pytest.approx(runs.tested_loss(job.moments[-1].model, source), abs=1e-6)
    lines = loss.data[loss.data["kind"] == "line"]
    learned = lines[lines["series"] == "training loss"].sort_values("x")["value"].to_numpy()
    np.testing.assert_allclose(learned, [record.learned for record in job.records])
    alone = runs.start_training(job.plan, source)
    for _ in alone.steps:
        pass
    np.testing.assert_array_equal(alone.model.flat, job.moments[-1].model.flat)
    assert number(accuracy(alone.model, source)) in said(app)
    assert f"{link_scores(alone.model, source, 'pronoun').max():.2f}" in said(app)
    maps = [shown for shown in charts(app) if set(shown.data.columns) == {"query", "key", "weight", "i", "j"}]
    words = ["the", "big", "cat", "saw", "a", "red", "ball", "near", "the", "hat", "and", "it"]
    weights = core.attention_weights(alone.model, source.vocabulary.encode(words))
    assert len(maps) == 2
    for head, shown in enumerate(maps):
        np.testing.assert_allclose(shown.data["weight"], weights[0, head].ravel(), atol=1e-6)
        assert shown.data["key"].tolist() == position_labels(words) * 12
        assert [shown.spec["layer"][0]["encoding"][axis]["field"] for axis in "xy"] == ["key", "query"]
    assert [*job.samples] == [0, 3, 12, 25]
    assert all(text in said(app) for text in ("now a big duck", *(f"After step {step}" for step in (*job.samples, 50))))
    job.records[-1] = job.records[-1]._replace(tested=99.0)  # above the axis
    assert "validation loss 99.00" in [*charts(rerun(app))[0].data["label"]]


def test_a_trained_model_can_be_looked_at_in_every_step_and_at_every_checkpoint():
    app = trained(at_training(**LINK))
    assert "Let it write" not in {button.label for button in app.button}  # it learned answers alone
    press(app, "Let it predict")
    assert "your own" in [box.value for box in app.selectbox]
    own = app.session_state["tiny_lm_own"]
    assert own.steps == (0, 3, 12, 25, 50)
    for when, step in zip(("untrained", "just begun", "early", "late", "trained"), own.steps, strict=True):
        set_to(app, tiny_lm_when=when)
        assert (f"trained for {step} steps" if step else "untrained") in said(app)


@pytest.mark.usefixtures("media")
def test_a_trained_model_is_that_of_each_step_from_its_end_on_and_its_file_has_its_checkpoints():
    app = trained(at_training(**LINK))
    own = app.session_state["tiny_lm_own"]
    again = from_file(file_of(app, "Save the model"))
    assert (again.steps, again.says) == (own.steps, own.says)
    assert all(np.array_equal(one.flat, model.flat) for one, model in zip(again.models, own.models, strict=True))
    for name in ("bet", "draw", "cache", "lens", "time", "parts"):
        assert "Model: your own" in said(to_step(app, name))
        assert app.text_input(key="tiny_lm_prompt").value == own.prompt
    for name, shown in (("bench", "Copy task"), ("copy", "Copy task")):  # they need two layers
        assert f"Model: {shown}" in said(to_step(app, name))
        press(app, "Show your own in another step")
        assert shared(app)["tiny_lm_step"] == "lens"
    for name, where in (("tokens", "bet"), ("real", "lens"), ("grouped", "cache")):
        assert "Your own model is not shown here" in said(to_step(app, name))
        press(app, "Back to your own" if name == "real" else "Go on with your own")
        assert shared(app)["tiny_lm_step"] == where
    press(app, "Show Toy English")
    assert "Model: Toy English" in said(app)
    assert "Model: Toy English" in said(to_step(app, "bet"))


def test_a_model_of_ones_own_text_offers_beginnings_from_it():
    app = to_step(trained(at_training(learn=OWN_TEXT, **LINK)), "bet")
    own = app.session_state["tiny_lm_own"]
    assert len(set(own.starts)) == STARTS
    press(app, "tiny_lm_put_start_1")
    assert app.text_input(key="tiny_lm_prompt").value == own.starts[1]


def test_a_trained_model_is_looked_into_from_the_first_step_that_can_be_about_it():
    app = at_training(**LINK)
    app.session_state["tiny_lm_prompt"] = "the prompt of another model"
    press(trained(app), "Look into it")
    assert shared(app)["tiny_lm_step"] == "lens"  # of one layer: the others need two
    assert app.text_input(key="tiny_lm_prompt").value == app.session_state["tiny_lm_own"].prompt


def test_a_run_can_be_paused_resumed_and_stopped_also_from_another_page():
    link = {"step": "train", "ask": "no"} | LINK | {"steps": "600"}
    app = opened("tiny_lm", {f"tiny_lm_{name}": value for name, value in link.items()}, "streamlit_app.py")
    assert {"tiny_lm_pause", "tiny_lm_stop"}.isdisjoint(keys(app))
    press(app, "Train it")
    job = app.session_state["tiny_lm_training"]
    assert app.button(key="tiny_lm_train").disabled
    draw = job.source.draw
    job.source = job.source._replace(draw=lambda *sizes: (job.step == 43 and QUEUE.pause(job)) or draw(*sizes))
    app.switch_page("pages/1_qkv.py").run()
    work()
    assert (job.state, job.step) == ("paused", 44)
    app.switch_page("pages/6_tiny_lm.py")
    app.query_params = {"tiny_lm_step": "train", "tiny_lm_ask": "no"}
    rerun(app)
    assert (app.session_state["tiny_lm_training"], app.session_state["tiny_lm_own"].steps) == (job, (0, 38))
    press(app, "Resume")
    assert job.state == "waiting"
    press(app, "Stop")
    assert (job.end, app.session_state["tiny_lm_own"].steps) == ("stopped", (0, 38, 44))
    press(app, "Show its checkpoints")
    assert charts(app)[0].spec["layer"][0]["encoding"]["x"]["scale"]["domain"] == [1, 44]


def test_the_page_says_where_a_run_is():
    other, job = Job(SMALL, SOURCE), Job(SMALL, SOURCE)
    QUEUE.start(other)
    QUEUE.start(job)
    assert "number 2 in line" in how_it_stands(job)
    job.step, job.worked, job.state = 4, 8.0, "running"
    assert f"step 4 of 37 · about {33 * 2} s" in how_it_stands(job)
    job.state = "done"
    assert "in 8.0 s" in how_it_stands(job)
    for end in ("stopped", "diverged", "failed"):
        job.end = end
        assert end in how_it_stands(job)
        assert ("learning rate" in how_it_stands(job)) == (end == "diverged")


@pytest.mark.parametrize("end", ["diverged", "failed"])
def test_a_run_that_went_wrong_leaves_the_own_model_as_it_was(end, monkeypatch):
    app = trained(at_training(**LINK))
    before = app.session_state["tiny_lm_own"]
    set_to(app, tiny_lm_train_seed=1.0)
    press(app, "Train it")
    job = app.session_state["tiny_lm_training"]
    monkeypatch.setattr(Job, "work", lambda job, goes_on, process: job.moments.extend(before.models) or end)
    work()
    rerun(app)
    assert end in progress(app)
    assert app.session_state["tiny_lm_training"] is job
    assert app.session_state["tiny_lm_own"] is before
    assert "tiny_lm_put_open_own" not in keys(app)


def test_a_session_that_trains_with_other_settings_ends_its_own_run():
    app = press(at_training(**LINK), "Train it")
    first = app.session_state["tiny_lm_training"]
    set_to(app, tiny_lm_train_seed=3.0)
    trained(app)
    second = app.session_state["tiny_lm_training"]
    assert (first.end, second.end, second.plan.seed) == ("stopped", "finished", 3)
    assert app.session_state["tiny_lm_own"].steps[-1] == 50


def test_findings_are_those_of_the_core():
    source, model = source_of("recall"), model_at("recall")
    found = {finding.what: finding.value for finding in findings(model, source)}
    assert found["accuracy: digit of a repeated letter"] == accuracy(model, source) > 0.99
    assert found["mean attention weight from a letter to its digit"] == recall_scores(model, source).max() > 0.9


def test_a_run_of_other_settings_is_folded_and_says_which_it_had():
    app = trained(at_training(train_seed=4.0, **LINK))
    assert not [part for part in app.expander if part.label.startswith("The last run")]
    set_to(app, tiny_lm_train_seed=5.0)
    (last,) = [part for part in app.expander if part.label.startswith("The last run")]
    assert "Pronouns" in last.label
    assert last.label.endswith("50 steps of 4 sequences, learning rate 0.004, seed 4")
    assert len(last.get("progress")) == len(app.get("progress")) == 1


def test_a_text_of_ones_own_is_probed_with_its_own_words():
    source = own_text(USUAL_TEXT, "word")
    plan = PRONOUN.plan._replace(
        config=replace(PRONOUN.plan.config, vocab_size=len(source.vocabulary), d_model=8, alibi_slopes=None), steps=1
    )
    words, typed = probe(Job(plan, source))
    assert len(words) == 12
    assert words == tokens_in(typed, source.vocabulary, "word")
    row = source.held_out(plan.config.max_len).rows[0]
    assert words == source.vocabulary.decode(row[:12])
