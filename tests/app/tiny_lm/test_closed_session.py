"""Once a session is closed, nothing in the process holds the models that were trained or brought in it."""

import gc
import weakref

import pytest

from pages.server.model_cache import KEPT
from pages.tiny_lm.train.job import Job
from pages.tiny_lm.train.live import own_of
from pages.tiny_lm.train.session import SCHEDULER
from pages.tiny_lm.train.upload import from_file
from tests.app.own_models import KINDS, own, visit_own
from tests.app.tiny_lm.runs import SMALL, SOURCE, ended
from tests.app.tiny_lm.test_upload import FILES_LET_IN
from tests.app.visits import rerun, reveal, visit
from tests.lessons import steps_of
from tests.tiers import first

UNFOLDED = ("tiny_lm_keep", "tiny_lm_code", "tiny_lm_bring")


def session(step, brought, job):
    """Return a visit that draws a step with the student's own model, with all that can be unfolded."""
    app = visit_own(brought, step=step, ask="no")
    for key in UNFOLDED:
        app.session_state[key] = True
    if job:
        app.session_state["tiny_lm_training"] = job
    SCHEDULER.hold(brought)
    return reveal(rerun(app))


def trained():
    job = Job(SMALL, SOURCE)
    assert SCHEDULER.start(job)
    ended(job)
    return own_of(job), job


def from_a_file():
    return from_file(FILES_LET_IN["usual"]), None


def odd():
    return own(next(iter(KINDS)), n_models=5), None


SOME = ("cache", "lens", "time", "train")
ALL = steps_of("tiny_lm")


@pytest.mark.parametrize(("made", "steps"), first(1, [(trained, SOME), (trained, ALL), (from_a_file, ALL), (odd, ALL)]))
def test_nothing_holds_the_model_of_a_closed_session(made, steps):
    brought, job = made()
    apps = [session(step, brought, job) for step in steps]
    seen = [weakref.ref(thing) for model in brought.models for thing in (model, model.flat)]
    assert brought.models[-1] in KEPT
    assert brought in SCHEDULER.holders
    del apps, brought, job
    visit("home")  # Streamlit itself keeps the names of the page that was drawn last
    gc.unfreeze()  # as pages/server/garbage.py does now and then
    gc.collect()
    assert [found() for found in seen if found() is not None] == []
