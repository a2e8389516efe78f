"""Alone, as in a browser: no thread but Streamlit's own, no process, no network; see .github/docs/alone.md."""

import os
import socket
import subprocess
import sys
import threading
import time

import numpy as np
import pandas as pd
import pyarrow
import pytest

from attention_core.shipped.runs import start_training
from pages.charts.heatmap import ROW_SUMS, attention_heatmap
from pages.exercises.catalogue import exercises_of
from pages.exercises.runner import service
from pages.exercises.runner.service import Service
from pages.reproduce import files
from pages.tiny_lm.train import session
from pages.tiny_lm.train.job import Job
from pages.tiny_lm.train.queue import MOMENT, Scheduler
from tests.app.tiny_lm.runs import SMALL, SOURCE, job
from tests.app.visits import FILES, ROOT, components, press, rerun, said, stages, visit
from tests.test_layers import packages

SIZES = {"sizes": "true", "width": "16", "heads": "2", "layers": "1", "length": "16", "batch": "4"}
IN_PYODIDE = {
    "markupsafe",
    "numpy",
    "pandas",
    "altair",
    "streamlit",
    "segno",
}  # or installed there; vl_convert is asked for first
BESIDE = {"vl_convert", "pyarrow"}  # only where they are; without them files and charts are made otherwise
SANDBOX = {path.stem for path in (ROOT / "pages/exercises/sandbox").glob("*.py")}  # for processes of their own
each_page = pytest.mark.parametrize("page", FILES)


@pytest.fixture(autouse=True)
def refused(monkeypatch):
    """Refuse what a browser refuses, the way it does, and note what was asked for."""
    components()  # Streamlit looks for them with threads of its own, and pyarrow, which no browser has, wants some too
    monkeypatch.setattr(pyarrow, "cpu_count", lambda: 1)
    asked, start = [], threading.Thread.start

    def start_none_of_ours(thread):  # what Streamlit does with threads is done without them by what stlite makes of it
        if not sys._getframe(1).f_globals["__name__"].startswith("streamlit."):
            asked.append("thread")
            raise RuntimeError("can't start new thread")
        start(thread)

    def refuse(what):
        def refusing(*arguments, **options):
            asked.append(what)
            raise OSError(138, f"emscripten does not support {what}")

        return refusing

    monkeypatch.setattr(threading.Thread, "start", start_none_of_ours)
    monkeypatch.setattr(subprocess.Popen, "__init__", refuse("processes"))
    monkeypatch.setattr(os, "fork", refuse("processes"), raising=False)
    monkeypatch.setattr(socket.socket, "connect", refuse("sockets"))
    monkeypatch.setattr(sys, "platform", "emscripten")
    monkeypatch.setitem(sys.modules, "vl_convert", None)  # an import of it fails
    monkeypatch.setattr(service, "SERVICE", Service())
    monkeypatch.setattr(session, "SCHEDULER", Scheduler(1, present=lambda owner: True))
    return asked


@each_page
def test_every_page_and_every_stage_of_it_is_drawn(page, refused):
    app = visit(page, ask="no")
    names = stages(app)
    assert (page == "home") == (not names)
    claims = {visit(page, ask="no", step=name).title[0].value for name in names}
    assert len(claims) == len(names)
    assert refused == []


def test_no_page_needs_a_package_that_a_browser_has_not():
    wanted = set().union(*(packages(path) for path in [ROOT / FILES["home"], *(ROOT / "pages").rglob("*.py")]))
    assert wanted - sys.stdlib_module_names - SANDBOX <= IN_PYODIDE | BESIDE | {"attention_core", "pages"}


def test_charts_are_sent_without_arrow_where_streamlit_has_none(refused):
    chart = attention_heatmap(np.full((2, 2), 0.5), ["a", "b"], ROW_SUMS, name="weights", sentence="")
    assert isinstance(chart.sent(), pd.DataFrame)


def test_a_run_is_worked_on_by_whoever_looks_at_it_and_by_nobody_else(refused):
    scheduler, one = Scheduler(1), job(seed=5, steps=400)
    assert scheduler.start(one)
    assert (one.state, one.step) == ("waiting", 0)
    before = -1
    while not one.ended:
        scheduler.see(one)
        assert before < one.step
        before = one.step
        assert (one.state, scheduler.place(one)) == ("working" if one.step < 400 else "done", 0)
    assert scheduler.n_threads == 0
    assert not scheduler.queue
    assert set(refused) == {"thread"}
    alone = start_training(one.plan, SOURCE)
    losses = [step.loss for step in alone.steps]
    np.testing.assert_array_equal(one.moments[-1].model.flat, alone.model.flat)
    assert sum(record.learned for record in one.records[:1]) == losses[0]


def test_a_look_takes_a_moment_and_no_more():
    scheduler, one = Scheduler(1), job(steps=10**6)
    steps = []
    work = one.work

    def noted(may_go_on, apart):
        began = time.monotonic()
        work(lambda: steps.append(time.monotonic() - began) or may_go_on(), apart)

    one.work = noted
    scheduler.start(one)
    scheduler.see(one)
    assert all(passed <= MOMENT for passed in steps[:-1])  # every question but the last was answered with yes
    scheduler.stop(one)


def test_pausing_resuming_and_stopping_take_hold_at_once_and_nothing_is_lost():
    scheduler, one = Scheduler(1), job(steps=10**6)
    scheduler.start(one)
    scheduler.see(one)
    scheduler.pause(one)
    at = one.step
    assert one.state == "paused"
    scheduler.see(one)
    assert one.step == at > 0
    scheduler.resume(one)
    scheduler.see(one)
    assert one.step > at
    scheduler.stop(one)
    at = one.step
    assert one.state == "stopped"
    scheduler.see(one)
    assert one.moments[-1].step == one.step == at
    alone = start_training(one.plan, SOURCE)
    for _ in range(at):
        next(alone.steps)
    np.testing.assert_array_equal(one.moments[-1].model.flat, alone.model.flat)


def test_what_a_paused_run_has_learned_is_kept_when_it_is_stopped():
    scheduler, one = Scheduler(1), job(steps=10**6)
    scheduler.start(one)
    scheduler.see(one)
    scheduler.pause(one)
    scheduler.stop(one)
    assert (one.state, one.moments[-1].step) == ("stopped", one.step)


def test_two_runs_take_turns():
    scheduler, one, other = Scheduler(1), job(steps=10**6), job(seed=1, steps=10**6)
    scheduler.start(one)
    scheduler.start(other)
    scheduler.see(one)
    assert (one.state, scheduler.place(one)) == ("waiting", 1)
    assert one.step > other.step == 0
    scheduler.see(one)
    assert other.step > 0
    assert (other.state, scheduler.place(one)) == ("waiting", 0)


def test_a_run_that_fails_leaves_the_desk_as_it_was(caplog):
    def broken(rng, n_rows, length):
        raise RuntimeError("no rows")

    scheduler, one, other = Scheduler(1), Job(SMALL, SOURCE._replace(draw=broken)), job()
    scheduler.start(one)
    scheduler.start(other)
    for _ in range(100):
        scheduler.see(other)
    assert (one.state, other.state, scheduler.n_threads) == ("failed", "done", 0)


def test_the_lesson_trains_a_model_pauses_and_goes_on():
    app = press(visit("tiny_lm", step="train", ask="no", train_seed=4.0, steps="800", **SIZES), "Train it")
    one = app.session_state["tiny_lm_training"]
    assert 0 < one.step < 800
    assert "of work left" in app.get("progress")[0].proto.text
    press(app, "Pause")
    at = one.step
    assert "paused" in app.get("progress")[0].proto.text
    assert rerun(app).session_state["tiny_lm_training"].step == at
    press(app, "Resume")
    for _ in range(800):
        if one.ended:
            break
        rerun(app)
    assert (one.state, one.step) == ("done", 800)
    alone = start_training(one.plan, one.source)
    for _ in alone.steps:
        pass
    np.testing.assert_array_equal(one.moments[-1].model.flat, alone.model.flat)
    press(app, "Look inside this model")
    assert "trained for 800 steps" in said(app)


def test_a_run_that_is_stopped_can_be_looked_at():
    app = press(visit("tiny_lm", step="train", ask="no", steps="2000", **SIZES), "Train it")
    one = app.session_state["tiny_lm_training"]
    press(app, "Stop")
    assert one.state == "stopped"
    assert "stopped" in app.get("progress")[0].proto.text
    assert app.session_state["tiny_lm_own"].steps[-1] == one.step


def test_students_code_is_not_run_and_all_around_it_is_there(refused):
    exercise = exercises_of("qkv")[0]
    app = visit("qkv", exercise=exercise.id)
    assert "cannot run safely here" in said(app)
    assert not [button for button in app.button if button.label == "Run"]
    assert "import numpy as np" in app.code[-1].value
    press(app, "Show a solution anyway")
    assert app.code[-1].value.strip() == exercise.solution.strip()
    assert refused == []


def test_only_what_can_be_made_is_offered_to_keep():
    app = visit("qkv")
    app.session_state["qkv_keep"] = True
    labels = [button.label for button in rerun(app).get("download_button")]
    assert labels == ["Script", "Notebook", "Arrays", "CSV"]
    assert not files.can_draw()
