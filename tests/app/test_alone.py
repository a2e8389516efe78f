"""Without a server, as in a browser: no thread but Streamlit's own, no process, no network."""

import itertools
import os
import socket
import subprocess
import sys
import threading

import numpy as np
import pandas as pd
import pyarrow
import pytest

from attention_core.shipped.runs import start_training
from pages.charts.heatmap import ROW_SUMS, attention_heatmap
from pages.exercises.catalogue import exercises_of
from pages.exercises.runner import service
from pages.exercises.runner.service import Service
from pages.tiny_lm.train import queue
from pages.tiny_lm.train.queue import QUEUE
from tests.app.tiny_lm.runs import Class
from tests.app.visits import FILES, ROOT, components, press, rerun, stages, visit
from tests.test_layers import packages

pytestmark = pytest.mark.nightly
SIZES = {"sizes": "true", "width": "16", "heads": "2", "layers": "1", "length": "16", "batch": "4"}
IN_PYODIDE = {"PIL", "markupsafe", "numpy", "pandas", "altair", "streamlit", "segno"}  # or installed there
BESIDE = {"redis", "vl_convert", "pyarrow"}  # not asked for in a browser
SANDBOX = {path.stem for path in (ROOT / "pages/exercises/sandbox").glob("*.py")}  # for processes of their own


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

    def refuse(*arguments, **options):
        asked.append("system")
        raise OSError(138, "emscripten does not support that")

    monkeypatch.setattr(threading.Thread, "start", start_none_of_ours)
    monkeypatch.setattr(subprocess.Popen, "__init__", refuse)
    monkeypatch.setattr(os, "fork", refuse, raising=False)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(sys, "platform", "emscripten")
    monkeypatch.setitem(sys.modules, "vl_convert", None)  # an import of it fails
    monkeypatch.setattr(service, "SERVICE", Service())
    return asked


@pytest.mark.parametrize("page", FILES)
def test_every_step_of_every_page_is_drawn(page, refused):
    names = stages(visit(page, ask="no"))
    claims = {visit(page, ask="no", step=name).title[0].value for name in names}
    assert len(claims) == len(names)
    assert refused == []


def test_no_page_needs_a_package_that_a_browser_has_not():
    wanted = set().union(*(packages(path) for path in [ROOT / FILES["home"], *(ROOT / "pages").rglob("*.py")]))
    assert wanted - sys.stdlib_module_names - SANDBOX <= IN_PYODIDE | BESIDE | {"attention_core", "pages"}
    chart = attention_heatmap(np.full((2, 2), 0.5), ["a", "b"], ROW_SUMS, name="weights", sentence="")
    assert isinstance(chart.sent(), pd.DataFrame)


def test_the_lesson_trains_a_model_pauses_and_goes_on(monkeypatch):
    monkeypatch.setattr(QUEUE, "clock", itertools.count().__next__)
    monkeypatch.setattr(QUEUE, "present", lambda owner: True)
    monkeypatch.setattr(queue, "MOMENT", 20)
    app = press(visit("tiny_lm", step="train", ask="no", train_seed=4.0, steps="100", **SIZES), "Train it")
    one = app.session_state["tiny_lm_training"]
    assert (one.state, 0 < one.step < 100, QUEUE.n_busy) == ("running", True, 0)
    press(app, "Pause")
    at = one.step
    assert (rerun(app).session_state["tiny_lm_training"].state, one.step) == ("paused", at)
    monkeypatch.setattr(queue, "MOMENT", np.inf)
    press(app, "Resume")
    assert (one.end, one.step) == ("finished", 100)
    alone = start_training(one.plan, one.source)
    assert sum(1 for _ in alone.steps) == one.step == 100
    np.testing.assert_array_equal(one.moments[-1].model.flat, alone.model.flat)


def test_a_look_takes_a_moment_of_two_runs_in_turn_and_stopping_takes_hold_at_once():
    students = Class()
    one, other = (students.run(name) for name in ("ada", "ben"))
    students.look(one)  # a step takes longer than a moment by this clock
    assert (one.state, one.step, other.step, students.number(one)) == ("waiting", 1, 0, 2)
    students.look(one)
    assert (one.step, other.state, other.step) == (1, "waiting", 1)
    students.stop(one)
    assert (one.end, one.moments[-1].step) == ("stopped", 1)


def test_students_code_is_not_run_and_only_what_can_be_made_is_offered(refused):
    exercise = exercises_of("qkv")[0]
    app = visit("qkv", exercise=exercise.id)
    assert not [button for button in app.button if button.label == "Run"]
    press(app, "Show a solution anyway")
    assert app.code[-1].value.strip() == exercise.solution.strip()
    assert refused == []
    app.session_state["qkv_keep"] = True
    labels = [button.label for button in rerun(app).get("download_button")]
    assert labels == ["Script", "Notebook", "Arrays", "CSV"]
