"""The training run and the model of this session: begun, found again, and handed to the scheduler."""

import os

import streamlit as st
from streamlit.runtime import Runtime, get_instance
from streamlit.runtime.scriptrunner import get_script_run_ctx

from attention_core.shipped.runs import Plan
from attention_core.text.corpora import Source
from pages.tiny_lm.model_in_view import Own
from pages.tiny_lm.train.form import nominal_seconds
from pages.tiny_lm.train.job import Job
from pages.tiny_lm.train.queue import Scheduler
from pages.tiny_lm.train.result import Result, result_of

SLOW = 2  # steps of a slow run at each look of its page


def present(session: str) -> bool:
    """Tell whether a student's page is still connected."""
    return Runtime.exists() and get_instance().is_active_session(session)


def places() -> int:
    """Return how many runs this machine carries at once beside the lessons."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(2, cores)


SCHEDULER = Scheduler(places(), present)


def session_id() -> str:
    """Return the session of this student, which lasts as long as the page is open."""
    context = get_script_run_ctx()
    return context.session_id if context else ""


def current_job() -> Job | None:
    """Return this student's run: the one of this session, or the one that the address names if it was left alone."""
    job: Job | None = st.session_state.get("tiny_lm_training")
    token = st.query_params.get("tiny_lm_run")
    if job is None and token:
        job = SCHEDULER.found(token, session_id())
        if job is None:
            st.query_params.pop("tiny_lm_run", None)
        else:
            st.session_state["tiny_lm_training"] = job
    elif job is not None and not job.ended and token != job.token:
        st.query_params["tiny_lm_run"] = job.token
    return job


def begin_run(plan: Plan, source: Source, few: int | None = None, slow: bool = False) -> None:
    """Queue a run, which pauses after a few steps if so many are named; it ends the one that this tab has."""
    keep_result()
    job = Job(plan, source, session_id(), nominal_seconds(plan))
    job.until, job.slow = few, slow
    if SCHEDULER.start(job):
        st.session_state["tiny_lm_training"] = job
        st.query_params["tiny_lm_run"] = job.token
    else:
        st.session_state["tiny_lm_full"] = True


def take_steps(job: Job, few: int | None = None) -> None:
    """Resume a paused run, for a few steps or to its end, at full speed."""
    job.slow = False
    resume(job, few)


def resume(job: Job, few: int | None) -> None:
    """Let a paused run take a few steps, or all that are left."""
    if job.state == "paused":
        job.until = None if few is None else job.step + few
        SCHEDULER.resume(job)


def pause(job: Job) -> None:
    """Let a run rest."""
    job.slow = False
    SCHEDULER.pause(job)


def slow_down(job: Job, few: int) -> None:
    """Let a run take a few steps at each look of its page; it holds no place in between."""
    job.slow = True
    SCHEDULER.pause(job)
    resume(job, few)


def speed_up(job: Job) -> None:
    """Let a slow run go on at full speed."""
    job.slow, job.until = False, None
    SCHEDULER.resume(job)


def look_at(job: Job) -> None:
    """Note that the page shows a run; a slow one takes its next steps."""
    SCHEDULER.see(job)
    if job.slow:
        resume(job, SLOW)


def keep_result() -> None:
    """Keep what the run so far has come to, beside which the next one is shown."""
    job: Job | None = st.session_state.get("tiny_lm_training")
    if job is not None and (result := result_of(job)):
        st.session_state["tiny_lm_before"] = result


def result_before(job: Job) -> Result | None:
    """Return what the run before this one came to, if it read the same text by another plan."""
    result: Result | None = st.session_state.get("tiny_lm_before")
    return result if result and result.source is job.source and result.plan != job.plan else None


def make_own(own: Own) -> None:
    """Make a model the student's own; the session holds it, and the scheduler counts it among all that are held."""
    own.owner = session_id()
    st.session_state["tiny_lm_own"] = own
    SCHEDULER.hold(own)
