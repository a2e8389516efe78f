"""Training in the page: what is to be learned, and a run that is watched while other controls stay alive."""

import io

import streamlit as st
from markupsafe import Markup

from attention_core.model.checkpoint import save
from attention_core.shipped.models import RECALL, curve_of
from attention_core.text.corpora import Source, uniform_loss
from pages.look import thumbnails
from pages.look.html import number
from pages.page.buttons import put_button
from pages.page.page import Page
from pages.page.questions import Choice
from pages.page.steps import Step
from pages.tiny_lm.model_in_view import OWN, Subject
from pages.tiny_lm.train import session
from pages.tiny_lm.train.form import MOST_SECONDS, nominal_seconds, size_of, wanted
from pages.tiny_lm.train.job import Job
from pages.tiny_lm.train.live import watch
from pages.tiny_lm.train.upload import bring

STEP = Step(
    "train",
    "Train one yourself",
    "It starts with random numbers. Each step draws fresh rows of text, bets on every next token at once, and "
    "moves every number a little against its slope. Watch the loss fall, and heads find what to look at.",
)

TICK = 0.5  # seconds between two looks at a run


def draw(page: Page, scene: Subject) -> bool:
    """Draw what decides a run, the buttons, and the run itself."""
    wish = wanted(page)
    scheduler = session.SCHEDULER
    scheduler.clear_up()
    job = session.current_job()
    busy = job is not None and not job.ended
    same = job is not None and job.plan == wish.plan and job.source is wish.source
    expected = nominal_seconds(wish.plan)
    seconds, problem = scheduler.pace * expected, wish.problem
    if not problem and expected > MOST_SECONDS:
        problem = (
            f"That would take about {round(seconds / 60)} minutes, and others use this server too: choose fewer steps, "
            "or a smaller model."
        )
    with st.container():
        about = f"about {seconds:.0f} seconds" if seconds >= 1.5 else "about a second"
        says = f"{size_of(wish.plan)}; {wish.plan.steps:,} steps, {about} if nobody else trains here."
        page.write(problem or says, "note")
        if busy and not same:
            page.write("The run below has other settings. Training with these ends it.", "note")
    if job is None and wish.source and not page.ask(start_question(wish.source, page.variant("start"))):
        bring(page, session.make_own)
        return False
    with st.container(horizontal=True):
        st.button(
            "Train it",
            icon=":material/play_arrow:",
            key="tiny_lm_train",
            disabled=bool(problem) or (busy and same) or wish.source is None,
            on_click=session.begin_run,
            args=(wish.plan, wish.source),
        )
        if job is not None:
            run_buttons(job)
    if st.session_state.pop("tiny_lm_full", False):
        page.write("So many runs wait already that this one could not join them. Please try again in a minute.", "note")
    if job is not None:
        st.fragment(watch, run_every=TICK if busy and job.state != "paused" else None)(job)
        if job.good:
            keep_and_open(page, job)
    bring(page, session.make_own)
    return True


def run_buttons(job: Job) -> None:
    """Draw the buttons that pause, resume and stop a run."""
    scheduler = session.SCHEDULER
    buttons = {
        "pause": ("Pause", ":material/pause:", scheduler.pause),
        "stop": ("Stop", ":material/stop:", scheduler.stop),
    }
    if job.state == "paused":
        buttons["pause"] = ("Resume", ":material/play_arrow:", scheduler.resume)
    for name, (label, icon, act) in buttons.items():
        key = f"tiny_lm_{name}"
        st.button(label, icon=icon, type="tertiary", key=key, disabled=job.ended, on_click=act, args=(job,))


def keep_and_open(page: Page, job: Job) -> None:
    """Offer what was learned: to look at in every step of the lesson, or as a file."""

    def file() -> bytes:  # it holds no model itself, so that the scheduler can drop them
        target = io.BytesIO()
        save(target, job.moments[-1].model, job.source.vocabulary)
        return target.getvalue()

    with st.container(horizontal=True):
        there = {"model": OWN, "when": "trained"}
        put_button(
            page, "Look inside this model", there | {"step": "bet"}, "open_own", ":material/arrow_forward:", "secondary"
        )
        back = there | {"step": "time", "time_look": "back in time"}
        put_button(page, "Travel through its training", back, "time_own", ":material/history:")
        st.download_button(
            "Save the model", file, "tiny-lm.npz", "application/zip", key="tiny_lm_save", icon=":material/download:",
            on_click="ignore", type="tertiary",
        )  # fmt: skip


def thumbnail(scene: Subject) -> Markup:
    """Return the small picture of the step."""
    losses = curve_of(RECALL.name).tested[::12]
    return thumbnails.thumbnail(thumbnails.bars((losses / losses.max()).tolist()), None)


def start_question(source: Source, variant: int) -> Choice:
    """Ask how large the loss is before the first step."""
    n_tokens = len(source.vocabulary)
    uniform = uniform_loss(source)
    right = f"about {number(uniform, 1)}"
    reasons = {
        "0": "A loss of 0 means that every token was certain, and right. That would be the end of training, not its "
        "start.",
        right: "",
        f"about {number(uniform / 4, 1)}": "That is what a model has that already hesitates among few tokens only.",
        str(n_tokens): f"Among {n_tokens} tokens it hesitates, but a loss counts in nats: it is the logarithm of that.",
    }
    return Choice.shuffled(
        "start",
        f"Before its first step the model has random numbers. There are {n_tokens} tokens. How large is its loss?",
        [right],
        f"Knowing nothing, it gives each token about 1/{n_tokens}, and −log(1/{n_tokens}) = {number(uniform)} nats. "
        "Random numbers are a little worse than that: now and then they are sure, and wrong.",
        reasons,
        [variant],
    )
