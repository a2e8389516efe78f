"""train: a run on the page, what it shows and what becomes of it."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import attention_core as core
from attention_core.experiments.language.held_out import accuracy, link_scores, recall_scores
from attention_core.shipped import runs
from attention_core.shipped.models import model_at
from attention_core.shipped.plans import PRONOUN
from attention_core.text.corpora import baseline_losses, own_text, source_of, uniform_loss
from attention_core.text.word_vectors import position_labels
from pages.tiny_lm.model_in_view import GONE, Own
from pages.tiny_lm.time import LOOKS as TIME_LOOKS
from pages.tiny_lm.train import memory, session, turns
from pages.tiny_lm.train.findings import Finding, findings
from pages.tiny_lm.train.form import USUAL_TEXT
from pages.tiny_lm.train.job import Job
from pages.tiny_lm.train.live import probe
from pages.tiny_lm.train.queue import Scheduler
from pages.tiny_lm.train.result import Result, result_of, where_jobs_went
from pages.tiny_lm.units import tokens_in
from tests.app.tiny_lm.runs import LINK, at_training, ended, progress, trained, wait_for
from tests.app.visits import charts, opened, press, rerun, reveal, said, set_to, shared, visit
from tests.lessons import controls_of

pytestmark = pytest.mark.usefixtures("no_run_left", "quick_source")


@pytest.mark.promise("tiny_lm 5")
def test_a_run_shows_its_losses_with_their_baselines_and_what_it_learned():
    app = trained(at_training(train_seed=4.0, **LINK))
    job = app.session_state["tiny_lm_training"]
    assert job.plan.config == replace(
        PRONOUN.plan.config, d_model=16, n_heads=2, n_layers=1, max_len=16, alibi_slopes=None
    )
    assert (job.state, job.plan.steps, job.plan.seed, job.plan.batch_size) == ("done", 50, 4, 4)
    source = job.source
    loss = next(shown for shown in charts(app) if "series" in shown.data.columns)
    ends = loss.data[loss.data["kind"] == "end"].set_index("series")["value"]
    assert ends.drop(["validation loss", "training loss", "shipped model"]).to_dict() == pytest.approx(
        baseline_losses(source, 16)._asdict()
    )
    assert ends["validation loss"] == pytest.approx(runs.tested_loss(job.moments[-1].model, source), abs=1e-6)
    lines = loss.data[loss.data["kind"] == "line"]
    learned = lines[lines["series"] == "training loss"].sort_values("x")["value"].to_numpy()
    np.testing.assert_allclose(learned, np.minimum([r.learned for r in job.records], 1.5 * uniform_loss(source)))
    alone = runs.start_training(job.plan, source)
    for _ in alone.steps:
        pass
    np.testing.assert_array_equal(alone.model.flat, job.moments[-1].model.flat)
    assert f"{accuracy(alone.model, source):.2f}" in said(app)
    assert f"{link_scores(alone.model, source, 'pronoun').max():.2f}" in said(app)
    maps = [shown for shown in charts(app) if set(shown.data.columns) == {"query", "key", "weight", "i", "j"}]
    words = ["the", "big", "cat", "saw", "a", "red", "ball", "near", "the", "hat", "and", "it"]
    weights = core.attention_weights(alone.model, source.vocabulary.encode(words))
    assert len(maps) == 2
    for head, shown in enumerate(maps):
        np.testing.assert_allclose(shown.data["weight"], weights[0, head].ravel(), atol=1e-6)
        assert shown.data["key"].tolist() == position_labels(words) * 12
        assert [shown.spec["layer"][0]["encoding"][axis]["field"] for axis in "xy"] == ["key", "query"]


def test_a_trained_model_can_be_looked_at_in_every_step():
    app = trained(at_training(**LINK))
    press(app, "Look inside this model")
    assert "your own" in [box.value for box in app.selectbox]
    assert "trained for 50 steps" in said(app)
    own = app.session_state["tiny_lm_own"]
    assert own.steps == (0, 3, 12, 25, 50)
    for when, step in zip(("untrained", "just begun", "early", "late", "trained"), own.steps, strict=True):
        set_to(app, tiny_lm_when=when)
        assert (f"trained for {step} steps" if step else "untrained") in said(app)


def test_a_trained_model_can_be_followed_back_in_time_whatever_was_looked_at_there():
    app = press(at_training(**LINK, time_look=TIME_LOOKS[1]), "Next")
    trained(press(app, "Back"))
    press(app, "Show its checkpoints")
    assert "After 50 steps" in said(reveal(app))
    assert "time_look" not in " ".join(shared(app))


@pytest.mark.promise("tiny_lm 5")
def test_a_run_can_be_paused_resumed_and_stopped():
    app = at_training(**LINK | {"steps": "2000"})
    press(app, "Train it")
    job = app.session_state["tiny_lm_training"]
    press(app, "Pause")
    wait_for(lambda: job.state == "paused")
    rerun(app)
    assert "paused" in progress(app)
    press(app, "Resume")
    assert job.state in ("waiting", "working")
    press(app, "Stop")
    ended(job)
    rerun(app)
    assert job.state == "stopped"
    assert "stopped" in progress(app)
    assert app.session_state["tiny_lm_own"].steps[-1] == job.step


def gone_wrong(state):
    """Return a run that has diverged, or failed, after it took steps."""
    plan = PRONOUN.plan._replace(config=replace(PRONOUN.plan.config, d_model=16), steps=50, batch_size=4)
    source = source_of("pronoun")
    if state == "diverged":
        return Job(plan._replace(learning_rate=1e28), source)

    def broken(rng, n_rows, length):
        if job.step == 9 and job.state == "working":
            raise RuntimeError("no rows")
        return source.draw(rng, n_rows, length)

    job = Job(plan, source._replace(draw=broken))
    return job


@pytest.mark.parametrize(("state", "blames_the_rate"), [("diverged", True), ("failed", False)])
def test_a_run_that_went_wrong_says_so_and_leaves_the_own_model_as_it_was(state, blames_the_rate):
    app = trained(at_training(**LINK))
    before = app.session_state["tiny_lm_own"]
    job = gone_wrong(state)
    assert session.SCHEDULER.start(job)
    ended(job)
    assert (job.state, job.step > 0) == (state, True)
    app.session_state["tiny_lm_training"] = job
    rerun(app)
    assert ("lower the learning rate" in progress(app)) == blames_the_rate
    assert app.session_state["tiny_lm_own"] is before
    assert not [button for button in app.button if button.key == "tiny_lm_put_open_own"]


def train_button(app):
    return app.button(key="tiny_lm_train")


def test_a_tab_that_trains_with_other_settings_ends_its_own_run():
    app = press(at_training(**LINK | {"steps": "2000"}), "Train it")
    first = app.session_state["tiny_lm_training"]
    assert train_button(rerun(app)).disabled  # with the same settings there is nothing to begin
    set_to(app, tiny_lm_train_seed=3.0, tiny_lm_steps=50)
    trained(app)
    second = app.session_state["tiny_lm_training"]
    ended(first)
    assert (first.state, second.state, second.plan.seed) == ("stopped", "done", 3)
    assert app.query_params["tiny_lm_run"] == second.token
    assert app.session_state["tiny_lm_own"].steps[-1] == 50


def test_the_page_says_that_runs_take_turns_while_others_wait(monkeypatch):
    scheduler = Scheduler(0, present=lambda owner: True)  # without threads a look at the page gives a turn
    monkeypatch.setattr(session, "SCHEDULER", scheduler)
    app = press(at_training(**LINK | {"steps": "2000"}), "Train it")
    job = app.session_state["tiny_lm_training"]
    assert (job.state, "runs alternate" in progress(app)) == ("working", False)
    scheduler.start(Job(job.plan, job.source, "another"))
    rerun(app)
    rerun(app)
    assert (job.state, job.step > 0, "runs alternate" in progress(app)) == ("waiting", True, True)


def test_the_page_says_that_a_run_waits_for_memory(monkeypatch):
    scheduler = Scheduler(0, present=lambda owner: True)
    monkeypatch.setattr(session, "SCHEDULER", scheduler)
    monkeypatch.setattr(turns, "ROOM", 1)
    app = press(at_training(**LINK), "Train it")
    assert app.session_state["tiny_lm_training"].state == "waiting"
    assert "until another run frees memory" in progress(app)


def test_a_model_that_made_room_for_others_is_no_longer_there_and_the_page_says_so(monkeypatch):
    app = trained(at_training(**LINK))
    monkeypatch.setattr(memory, "MOST_KEPT", 0)
    session.SCHEDULER.hold(Own((), (), source_of("pronoun").vocabulary, "word", "", ""))
    assert app.session_state["tiny_lm_own"].models == ()
    assert GONE in said(rerun(app))
    assert "done" in progress(app)
    assert not [button for button in app.button if button.key == "tiny_lm_put_open_own"]
    app = visit("tiny_lm", step="bet", model="your own")
    app.session_state["tiny_lm_own"] = Own((), (50,), source_of("pronoun").vocabulary, "word", "", "")
    assert GONE in said(rerun(app))


def test_the_first_question_stands_before_the_button():
    app = visit("tiny_lm", step="train")
    assert "Train it" not in [button.label for button in app.button]
    reveal(app)
    assert "Train it" in [button.label for button in app.button]


def test_a_run_goes_on_while_its_student_reads_another_page():
    link = {"step": "train", "ask": "no"} | LINK | {"steps": "300"}
    app = opened("tiny_lm", {f"tiny_lm_{name}": value for name, value in link.items()}, "streamlit_app.py")
    press(app, "Train it")
    job = app.session_state["tiny_lm_training"]
    app.switch_page("pages/1_qkv.py").run()
    ended(job)
    app.switch_page("pages/6_tiny_lm.py")
    app.query_params = {"tiny_lm_step": "train"}
    rerun(app)
    assert job.state == "done"
    assert app.session_state["tiny_lm_training"] is job


def test_a_page_loaded_anew_takes_its_run_up_and_a_shared_link_does_not_name_it():
    app = trained(at_training(**LINK))
    job = app.session_state["tiny_lm_training"]
    again = at_training(run=job.token)
    assert again.session_state["tiny_lm_training"] is job
    app = visit("tiny_lm", step="bet", model="your own", run=job.token)  # on every step
    assert app.session_state["tiny_lm_own"].models == tuple(moment.model for moment in job.moments)
    assert "trained for 50 steps" in said(app)
    other = at_training(run="somebody-elses")
    assert "tiny_lm_training" not in other.session_state
    app.session_state["tiny_lm_share"] = True
    rerun(app)
    assert all(job.token not in code.value for code in app.code)


def test_when_too_many_wait_the_page_says_so(monkeypatch):
    monkeypatch.setattr(session.SCHEDULER, "start", lambda job: False)
    app = press(at_training(), "Train it")
    assert "Too many runs are waiting" in said(app)


def test_findings_are_those_of_the_core():
    source, model = source_of("recall"), model_at("recall")
    found = {finding.what: finding.value for finding in findings(model, source)}
    assert found["accuracy: digit of a repeated letter"] == accuracy(model, source) > 0.99
    assert found["mean attention weight from a letter to its digit"] == recall_scores(model, source).max() > 0.9


def test_one_step_and_ten_are_taken_and_the_samples_stay():
    app = at_training(**LINK)
    press(app, "One step")
    job = app.session_state["tiny_lm_training"]
    wait_for(lambda: job.state == "paused")
    rerun(app)
    assert (job.step, job.latest.step) == (1, 1)
    assert f"loss of this batch {job.batch_loss:.2f}" in progress(app)
    press(app, "Ten steps")
    wait_for(lambda: job.state == "paused" and job.step == 11)
    rerun(app)
    assert "Earlier in this run" in said(app)
    assert {0, 1, 3, 11} <= set(job.log)
    assert all(f"After step {step}" in said(app) for step in (0, 1, 3, 11))
    press(app, "Resume")
    ended(job)
    assert (job.state, job.step) == ("done", 50)
    alone = runs.start_training(job.plan, job.source)
    for _ in alone.steps:
        pass
    np.testing.assert_array_equal(alone.model.flat, job.moments[-1].model.flat)  # pauses change no number


def test_a_slow_run_takes_few_steps_at_each_look_of_its_page():
    app = press(at_training(**LINK), "Slow")
    job = app.session_state["tiny_lm_training"]
    for step in (2, 4, 6):
        wait_for(lambda step=step: (job.state, job.step) == ("paused", step))
        assert "slow: 2 steps at a time" in progress(app)
        assert not job.good  # it goes on
        rerun(app)
    press(app, "Pause")
    wait_for(lambda: job.rests)
    stands = job.step
    assert "paused" in progress(rerun(rerun(app)))
    assert (job.step, job.good) == (stands, True)
    press(app, "Slow")
    wait_for(lambda: (job.state, job.step) == ("paused", stands + 2))
    press(app, "Full speed")
    ended(job)
    assert (job.state, job.step) == ("done", 50)
    alone = runs.start_training(job.plan, job.source)
    for _ in alone.steps:
        pass
    np.testing.assert_array_equal(alone.model.flat, job.moments[-1].model.flat)


def test_a_run_is_slowed_down_while_it_works():
    app = press(at_training(**LINK | {"steps": "2000"}), "Train it")
    job = app.session_state["tiny_lm_training"]
    press(app, "Slow")
    wait_for(lambda: job.state == "paused")
    stands = job.step
    rerun(app)
    wait_for(lambda: (job.state, job.step) == ("paused", stands + 2))
    press(app, "Stop")
    assert job.state == "stopped"


def test_the_run_before_stays_beside_the_new_one():
    app = trained(at_training(**LINK))
    first = app.session_state["tiny_lm_training"]
    assert "seed 0" not in said(app)
    set_to(app, tiny_lm_train_seed=1.0)
    trained(app)
    second = app.session_state["tiny_lm_training"]
    assert second.plan == first.plan._replace(seed=1)
    loss = next(shown for shown in charts(app) if "series" in shown.data.columns)
    lines = loss.data[loss.data["kind"] == "line"].sort_values("x")
    for series, job in (("validation, seed 0", first), ("validation loss", second)):
        shown = lines[lines["series"] == series]
        assert shown["x"].tolist() == [record.step for record in job.records]
        np.testing.assert_allclose(shown["value"], [record.tested for record in job.records])
    now, before = ([*findings(job.moments[-1].model, job.source)] for job in (second, first))
    told = said(app)
    assert "seed 1seed 0" in told
    for one, other in zip(now, before, strict=True):
        assert f"{one.what}{one.value:.2f}{one.where}{other.value:.2f}{other.where}" in told
    assert where_jobs_went(now, second.plan.config, result_of(first)) in told
    set_to(app, tiny_lm_batch="8")
    press(app, "One step")
    wait_for(lambda: app.session_state["tiny_lm_training"].rests)
    assert "this runrun before" in said(rerun(app))  # not only the seed is another
    set_to(app, tiny_lm_learn="Toy English")
    press(app, "One step")
    wait_for(lambda: app.session_state["tiny_lm_training"].rests)
    assert "run before" not in said(rerun(app))  # it read other data


def test_a_job_moves_only_where_a_head_has_it_in_both_runs():
    config = core.Config(5, 16, 2, 1, 8)

    def went(*pairs, config=config, n_heads=2):
        now, then = (
            [Finding(name, value, where) for name, (value, where) in zip("abc", side, strict=False)] for side in pairs
        )
        plan = PRONOUN.plan._replace(config=core.Config(5, 16, n_heads, 1, 8))
        return where_jobs_went(now, config, Result(plan, None, None, tuple(then)))

    assert went([(0.9, "head 1"), (0.8, "head 2")], [(0.7, "head 2"), (0.6, "head 2")]).startswith("1 job of 2 went")
    assert went([(0.9, "head 1"), (0.3, "head 1")], [(0.7, "head 1"), (0.6, "head 2")]).startswith("In both runs")
    assert went([(0.4, "head 1")], [(0.9, "head 2")]).startswith("No job has a head in both runs")
    assert "not compared" in went([(0.9, "head 1")], [(0.9, "head 2")], n_heads=4)


def test_a_run_of_other_settings_is_folded_and_says_which_it_had():
    app = trained(at_training(train_seed=4.0, **LINK))
    assert not [part for part in app.expander if part.label.startswith("The last run")]
    set_to(app, tiny_lm_train_seed=5.0)
    (last,) = [part for part in app.expander if part.label.startswith("The last run")]
    assert last.label.endswith("50 steps of 4 sequences, learning rate 0.004, seed 4")
    assert len(last.get("progress")) == len(app.get("progress")) == 1
    set_to(app, tiny_lm_train_seed=4.0)
    assert not [part for part in app.expander if part.label.startswith("The last run")]


def test_the_distance_penalty_is_a_control_that_says_which_heads_have_it():
    app = visit("tiny_lm", step="train", ask="no")
    assert "Head 1 of 2 prefers near tokens from the start" in said(app)
    set_to(app, tiny_lm_penalty="off")
    assert "No head prefers near tokens before training" in said(app)
    press(app, "One step")
    job = app.session_state["tiny_lm_training"]
    assert job.plan == PRONOUN.plan._replace(config=replace(PRONOUN.plan.config, alibi_slopes=None))
    assert "penalty" not in " ".join(control.label for control in at_training(**LINK).segmented_control)


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


def test_an_ablation_that_changes_nothing_or_removes_the_penalty_says_so():
    app = visit("tiny_lm", step="train", ask="no", without="one layer")
    assert "one layer anyway" in said(app)
    assert "prefers near tokens" in said(app)
    set_to(app, tiny_lm_without="one head")  # without the other head, there is no penalty either
    assert "near tokens" not in said(app)


def test_what_a_session_keeps_of_a_run_has_the_name_of_no_control():
    sources = [path.read_text(encoding="utf-8") for path in Path(session.__file__).parent.glob("*.py")]
    kept = {name for source in sources for name in re.findall(r'session_state(?:\[|\.get\()"tiny_lm_(\w+)"', source)}
    assert {"training", "own", "before"} <= kept
    assert not kept & controls_of("tiny_lm")
