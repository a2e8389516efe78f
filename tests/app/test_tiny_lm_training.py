"""Training in the page: what is planned, what a run shows, what becomes of it, and models from files."""

import io
import time
from dataclasses import replace

import numpy as np
import pytest

import attention_core as core
from attention_core.experiments.held_out import accuracy, link_scores, recall_scores
from attention_core.shipped import runs
from attention_core.shipped.models import MODELS, PRONOUN, RECALL, model_at
from attention_core.text.corpora import source_of, uniform_loss, unigram_loss
from pages.tiny_lm import desk as desk_module
from pages.tiny_lm import plan as plan_module
from pages.tiny_lm import training as page_module
from pages.tiny_lm.bringing import from_file
from pages.tiny_lm.desk import Desk
from pages.tiny_lm.job import Job
from pages.tiny_lm.learned import findings
from pages.tiny_lm.plan import MOST_SECONDS, PLANS, nominal_seconds, size_of
from pages.tiny_lm.subject import GONE, Own
from pages.tiny_lm.training import DESK
from tests.app.visits import charts, opened, press, rerun, reveal, said, set_to, shared, visit

SMALL = {"sizes": "true", "width": "16", "heads": "2", "layers": "1", "length": "16", "steps": "50", "batch": "4"}


def at_training(**link):
    return visit("tiny_lm", step="train", ask="no", **link)


def trained(app, label="Train it"):
    """Press the button and come back until the run has ended."""
    press(app, label)
    wait_for_end(app.session_state["tiny_lm_job"])
    return rerun(app)


def wait_for_end(job):
    for _ in range(3000):
        if job.ended:
            return
        time.sleep(0.02)
    raise AssertionError(f"{job.state} at step {job.step}")


@pytest.fixture(autouse=True)
def _nothing_left():
    yield
    for job in list(DESK.jobs.values()):
        DESK.stop(job)


def test_a_run_shows_its_losses_with_their_baselines_and_what_it_learned():
    app = trained(at_training(train_seed=4.0, **SMALL))
    job = app.session_state["tiny_lm_job"]
    assert job.plan.config == replace(
        PRONOUN.plan.config, d_model=16, n_heads=2, n_layers=1, max_len=16, alibi_slopes=None
    )
    assert (job.state, job.plan.steps, job.plan.seed, job.plan.batch_size) == ("done", 50, 4, 4)
    source = source_of("pronoun")
    loss = next(shown for shown in charts(app) if "series" in shown.data.columns)
    ends = loss.data[loss.data["kind"] == "end"].set_index("series")["value"]
    assert ends["uniform"] == pytest.approx(uniform_loss(source))
    assert ends["unigram"] == pytest.approx(unigram_loss(source, 16))
    assert ends["held out"] == pytest.approx(runs.tested_loss(job.moments[-1].model, source), abs=1e-6)
    lines = loss.data[loss.data["kind"] == "line"]
    learned = lines[lines["series"] == "learned"].sort_values("x")["value"].to_numpy()
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


def test_a_trained_model_can_be_looked_at_in_every_step():
    app = trained(at_training(**SMALL))
    press(app, "Look inside this model")
    assert "your own" in [box.value for box in app.selectbox]
    assert "trained for 50 steps" in said(app)
    own = app.session_state["tiny_lm_own"]
    assert own.steps == (0, 3, 12, 25, 50)
    for when, step in zip(("untrained", "just begun", "early", "late", "trained"), own.steps, strict=True):
        set_to(app, tiny_lm_when=when)
        assert (f"trained for {step} steps" if step else "untrained") in said(app)


def test_a_trained_model_can_be_followed_back_in_time_whatever_was_looked_at_there():
    app = press(at_training(**SMALL, time_look="without a part"), "Next")
    trained(press(app, "Back"))
    press(app, "Travel through its training")
    assert "After 50 steps" in said(reveal(app))
    assert "time_look" not in " ".join(shared(app))


def test_a_run_can_be_paused_resumed_and_stopped():
    app = at_training(**SMALL | {"steps": "2000"})
    press(app, "Train it")
    job = app.session_state["tiny_lm_job"]
    press(app, "Pause")
    for _ in range(500):
        if job.state == "paused":
            break
        time.sleep(0.01)
    rerun(app)
    assert "paused" in app.get("progress")[0].proto.text
    press(app, "Resume")
    assert job.state in ("waiting", "working")
    press(app, "Stop")
    for _ in range(500):
        if job.ended:
            break
        time.sleep(0.01)
    rerun(app)
    assert job.state == "stopped"
    assert "stopped" in app.get("progress")[0].proto.text
    assert app.session_state["tiny_lm_own"].steps[-1] == job.step


def progress(app):
    """Return what stands over the progress bar."""
    return app.get("progress")[0].proto.text


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
    app = trained(at_training(**SMALL))
    before = app.session_state["tiny_lm_own"]
    job = gone_wrong(state)
    assert DESK.start(job)
    wait_for_end(job)
    assert (job.state, job.step > 0) == (state, True)
    app.session_state["tiny_lm_job"] = job
    rerun(app)
    assert ("learning rate was too large" in progress(app)) == blames_the_rate
    assert app.session_state["tiny_lm_own"] is before
    assert not [button for button in app.button if button.key == "tiny_lm_put_open_own"]


def train_button(app):
    return app.button(key="tiny_lm_train")


def test_a_tab_that_trains_with_other_settings_ends_its_own_run():
    app = press(at_training(**SMALL | {"steps": "2000"}), "Train it")
    first = app.session_state["tiny_lm_job"]
    assert train_button(rerun(app)).disabled  # with the same settings there is nothing to begin
    set_to(app, tiny_lm_train_seed=3.0, tiny_lm_steps=50)
    trained(app)
    second = app.session_state["tiny_lm_job"]
    wait_for_end(first)
    assert (first.state, second.state, second.plan.seed) == ("stopped", "done", 3)
    assert app.query_params["tiny_lm_run"] == second.token
    assert app.session_state["tiny_lm_own"].steps[-1] == 50


def test_the_page_says_that_runs_take_turns_while_others_wait(monkeypatch):
    desk = Desk(0, present=lambda owner: True)  # without threads a look at the page gives a turn
    monkeypatch.setattr(page_module, "DESK", desk)
    app = press(at_training(**SMALL | {"steps": "2000"}), "Train it")
    job = app.session_state["tiny_lm_job"]
    assert (job.state, "take turns" in progress(app)) == ("working", False)
    desk.start(Job(job.plan, job.source, "another"))
    rerun(app)
    rerun(app)
    assert (job.state, job.step > 0, "take turns" in progress(app)) == ("waiting", True, True)


def test_the_page_says_that_a_run_waits_for_memory(monkeypatch):
    desk = Desk(0, present=lambda owner: True)
    monkeypatch.setattr(page_module, "DESK", desk)
    monkeypatch.setattr(desk_module, "ROOM", 1)
    app = press(at_training(**SMALL), "Train it")
    assert app.session_state["tiny_lm_job"].state == "waiting"
    assert "waits for memory" in progress(app)


def test_a_model_that_made_room_for_others_is_no_longer_there_and_the_page_says_so(monkeypatch):
    app = trained(at_training(**SMALL))
    monkeypatch.setattr(desk_module, "MOST_KEPT", 0)
    DESK.hold(Own((), (), source_of("pronoun").vocabulary, "word", "", ""))
    assert app.session_state["tiny_lm_own"].models == ()
    assert GONE in said(rerun(app))
    assert "done" in progress(app)
    assert not [button for button in app.button if button.key == "tiny_lm_put_open_own"]
    app = visit("tiny_lm", model="your own")
    app.session_state["tiny_lm_own"] = Own((), (50,), source_of("pronoun").vocabulary, "word", "", "")
    assert GONE in said(rerun(app))


def test_a_run_that_would_take_too_long_is_not_begun():
    huge = {"learn": "King James Bible", "sizes": "true", "width": "128", "layers": "4", "length": "96"}
    app = at_training(**huge, steps="2000", batch="64", hidden="true")
    assert "choose fewer steps" in said(app)
    (button,) = [button for button in app.button if button.label == "Train it"]
    assert button.disabled


def test_sizes_that_do_not_fit_are_said():
    app = at_training(sizes="true", width="16", heads="3.0")
    assert "n_heads must divide d_model" in said(app)
    assert runs.has_counted_targets(source_of("pronoun"), 8)
    assert not runs.has_counted_targets(source_of("pronoun"), 7)


@pytest.mark.parametrize("unit", ["character", "word"])
def test_a_text_of_ones_own_is_learned_from(unit):
    app = at_training(learn="a text of your own", unit=unit, **SMALL)
    app.text_area(key="tiny_lm_own_text").set_value("the cat sat. the dog sat. it ran away! " * 12)
    trained(rerun(app))
    job = app.session_state["tiny_lm_job"]
    assert job.state == "done"
    assert job.source.unit == unit
    assert ("cat" in job.source.vocabulary) == (unit == "word")
    assert "a text of your own" in app.session_state["tiny_lm_own"].says


@pytest.mark.parametrize("text", ["", "short", "👩‍👩‍👧", "\u202e" * 30])
def test_a_text_too_short_is_said(text):
    app = at_training(learn="a text of your own")
    app.text_area(key="tiny_lm_own_text").set_value(text)
    rerun(app)
    assert "cannot be learned from" in said(app)


@pytest.mark.parametrize("content", [b"\xff\xfe\x00bad", b"", b"a" * 10])
def test_a_file_that_is_no_text_is_said(content):
    app = at_training(learn="a text of your own")
    app.file_uploader(key="tiny_lm_own_file").upload("text.txt", content, "text/plain")
    rerun(app)
    assert "no plain text" in said(app) or "cannot be learned from" in said(app)


@pytest.mark.parametrize("content", [b"the cat sat. " * 20, b"a" * 10])
def test_a_text_is_read_once_for_each_way_to_cut_it_also_where_it_is_refused(content, monkeypatch):
    read, own_text = [], plan_module.own_text

    def noted(text, unit):
        read.append(unit)
        return own_text(text, unit)

    app = at_training(learn="a text of your own")
    app.file_uploader(key="tiny_lm_own_file").upload("text.txt", content, "text/plain")
    monkeypatch.setattr(plan_module, "own_text", noted)
    rerun(rerun(app))
    assert read == ["character"]
    rerun(set_to(app, tiny_lm_unit="word"))
    assert read == ["character", "word"]


def test_the_first_question_stands_before_the_button():
    app = visit("tiny_lm", step="train")
    assert "Train it" not in [button.label for button in app.button]
    reveal(app)
    assert "Train it" in [button.label for button in app.button]


def test_a_run_goes_on_while_its_student_reads_another_page():
    link = {"step": "train", "ask": "no"} | SMALL | {"steps": "300"}
    app = opened("tiny_lm", {f"tiny_lm_{name}": value for name, value in link.items()}, "streamlit_app.py")
    press(app, "Train it")
    job = app.session_state["tiny_lm_job"]
    app.switch_page("pages/1_qkv.py").run()
    for _ in range(3000):
        if job.ended:
            break
        time.sleep(0.02)
    app.switch_page("pages/6_tiny_lm.py")
    app.query_params = {"tiny_lm_step": "train"}
    rerun(app)
    assert job.state == "done"
    assert app.session_state["tiny_lm_job"] is job


def test_a_page_loaded_anew_takes_its_run_up_and_a_shared_link_does_not_name_it():
    app = trained(at_training(**SMALL))
    job = app.session_state["tiny_lm_job"]
    again = at_training(run=job.token)
    assert again.session_state["tiny_lm_job"] is job
    other = at_training(run="somebody-elses")
    assert "tiny_lm_job" not in other.session_state
    app.session_state["tiny_lm_share"] = True
    rerun(app)
    assert all(job.token not in code.value for code in app.code)


def test_when_too_many_wait_the_page_says_so(monkeypatch):
    monkeypatch.setattr(page_module.DESK, "start", lambda job: False)
    app = press(at_training(), "Train it")
    assert "So many runs wait" in said(app)


def test_plans_fit_into_a_lesson():
    for name, plan in PLANS.items():
        assert 0 < nominal_seconds(plan) < MOST_SECONDS, name
        assert "numbers" in size_of(plan)


def test_findings_are_those_of_the_core():
    source, model = source_of("recall"), model_at("recall")
    found = {finding.what: finding.value for finding in findings(model, source)}
    assert found["the digit guessed right"] == accuracy(model, source) > 0.99
    assert found["mean weight from a letter to its digit"] == recall_scores(model, source).max() > 0.9


def file_of(model, vocabulary):
    target = io.BytesIO()
    core.save(target, model, vocabulary)
    return target.getvalue()


def test_a_saved_model_comes_back_bit_for_bit():
    model, vocabulary = model_at("pronoun"), source_of("pronoun").vocabulary
    own = from_file(file_of(model, vocabulary))
    np.testing.assert_array_equal(own.models[-1].flat, model.flat)
    assert (own.vocabulary.tokens, own.unit) == (vocabulary.tokens, "word")
    assert from_file(file_of(model_at("recall"), source_of("recall").vocabulary)).unit == "character"


def test_files_that_are_no_models_are_refused():
    model, vocabulary = model_at("pronoun"), source_of("pronoun").vocabulary
    good = file_of(model, vocabulary)
    large = core.init_model(core.Config(1000, 512, 8, 3, 64), 0)
    bad = [b"", b"PK", b"not a zip", good[: len(good) // 2], file_of(model, None), file_of(large, None), good[::-1]]
    for content in bad:
        with pytest.raises(ValueError, match=r"."):
            from_file(content)


def test_a_model_is_brought_through_the_page():
    app = at_training()
    app.session_state["tiny_lm_bring"] = True
    rerun(app)
    upload = app.file_uploader(key="tiny_lm_file")
    upload.upload("model.npz", file_of(model_at("recall"), source_of("recall").vocabulary), "application/zip")
    rerun(app)
    press(app, "Look inside it")
    assert "a model that you brought" in said(app)
    app = at_training()
    app.session_state["tiny_lm_bring"] = True
    rerun(app)
    app.file_uploader(key="tiny_lm_file").upload("model.npz", b"nonsense", "application/zip")
    rerun(app)
    assert "cannot be used" in said(app)


def test_a_model_that_was_trained_after_one_was_brought_stays_the_students_own():
    app = at_training(**SMALL)
    app.session_state["tiny_lm_bring"] = True
    rerun(app)
    content = file_of(model_at("recall"), source_of("recall").vocabulary)
    app.file_uploader(key="tiny_lm_file").upload("model.npz", content, "application/zip")
    rerun(app)
    brought = app.session_state["tiny_lm_own"]
    assert rerun(app).session_state["tiny_lm_own"] is brought  # read once
    trained(app)
    assert rerun(app).session_state["tiny_lm_own"].steps[-1] == 50
    press(app, "Look inside it")
    again = app.session_state["tiny_lm_own"]
    assert again.says == brought.says
    np.testing.assert_array_equal(again.models[-1].flat, model_at("recall").flat)


def test_the_recipes_of_the_page_are_those_of_the_models_that_ship():
    assert PLANS["pronoun"] == PRONOUN.plan
    assert PLANS["recall"] == RECALL.plan
    assert PLANS["english"].config == MODELS["english"].plan.config
