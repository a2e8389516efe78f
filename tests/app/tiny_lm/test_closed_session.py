"""Once a session is closed, nothing in the process holds the models that were trained or brought in it."""

import gc
import weakref

import pytest

from pages.server.model_cache import KEPT
from pages.tiny_lm.train.job import Job
from pages.tiny_lm.train.live import own_of
from pages.tiny_lm.train.upload import from_file
from tests.app.tiny_lm.models import odd
from tests.app.tiny_lm.runs import SMALL, SOURCE
from tests.app.tiny_lm.test_upload import FILES_LET_IN
from tests.app.visits import rerun, reveal, visit
from tests.lessons import steps_of

UNFOLDED = ("tiny_lm_keep", "tiny_lm_code", "tiny_lm_bring")
SOME = ("cache", "lens", "time", "train")
ALL = steps_of("tiny_lm")


def trained():
    job = Job(SMALL, SOURCE, state="done", end="finished")
    job.work(lambda: True)
    return own_of(job), job


def from_a_file():
    return from_file(FILES_LET_IN["usual"]), None


def looks_ahead():
    return odd("looks ahead", n_models=5), None


def visit_own(brought, step):
    """Return the page with a model of the student's own, its questions waved away."""
    app = visit("tiny_lm", model="your own", step=step, ask="no")
    app.session_state["tiny_lm_own"] = brought
    return reveal(rerun(app))


@pytest.mark.parametrize(
    ("made", "steps"),
    [
        (trained, SOME),
        *(pytest.param(made, ALL, marks=pytest.mark.nightly) for made in (trained, from_a_file, looks_ahead)),
    ],
)
def test_nothing_holds_the_model_of_a_closed_session(made, steps):
    brought, job = made()
    apps = [visit_own(brought, step) for step in steps]
    for app in apps:
        for key in UNFOLDED:
            app.session_state[key] = True
        if job:
            app.session_state["tiny_lm_training"] = job
        reveal(rerun(app))
    seen = [weakref.ref(thing) for model in brought.models for thing in (model, model.flat)]
    assert brought.models[-1] in KEPT
    del app, apps, brought, job
    visit("home")  # Streamlit itself keeps the names of the page that was drawn last
    gc.unfreeze()  # as pages/server/process.py does now and then
    gc.collect()
    assert [found() for found in seen if found() is not None] == []
