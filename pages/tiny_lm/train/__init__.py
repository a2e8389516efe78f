"""Training in the page: its settings, and a run that is watched while other controls stay alive."""

import io
import math

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from attention_core.model.checkpoint import save
from attention_core.shipped.runs import Plan
from attention_core.text.corpora import Source, uniform_loss
from pages.look.html import number
from pages.page.fields.buttons import put_button
from pages.page.page import Page
from pages.page.questions.kinds import Choice
from pages.page.steps import Step
from pages.tiny_lm.common import box_on_adamw, several
from pages.tiny_lm.model_in_view import OWN, Subject
from pages.tiny_lm.train.form import MOST_SECONDS, OWN_TEXT, SOURCES, nominal_seconds, size_of, wanted
from pages.tiny_lm.train.job import Job
from pages.tiny_lm.train.live import watch
from pages.tiny_lm.train.queue import QUEUE
from pages.tiny_lm.train.room import FULL, is_full
from pages.tiny_lm.train.upload import bring

STEP = Step(
    "train",
    "Train a model yourself",
    "A new model starts with random parameters. In each step it predicts every next token of some sequences, and "
    "**AdamW** changes each parameter a little. Watch the training loss and the **validation loss**, measured on text "
    "kept out of training.",
    asks="What is the loss before training?",
    runs_alone=False,  # a trained model is one that the settings offer
    words="batch heads hidden layers learn length penalty positions rate sizes steps train_seed unit width without",
)

TICK = 0.5  # seconds between two looks at a run


def draw(page: Page, scene: Subject) -> bool:
    """Draw what decides a run, the buttons, and the run itself."""
    wish = wanted(page)
    job: Job | None = st.session_state.get("tiny_lm_training")
    busy = job is not None and job.state != "done"
    same = job is not None and job.plan == wish.plan and job.source is wish.source
    expected = nominal_seconds(wish.plan)
    seconds, problem = QUEUE.pace * expected, wish.problem
    if not problem and expected > MOST_SECONDS:
        problem = (
            f"This would take about {round(seconds / 60)} minutes, and others use this server too. Choose fewer steps "
            "or a smaller model."
        )
    with st.container():
        about = f"about {seconds:.0f} seconds" if seconds >= 1.5 else "about a second"
        says = f"{size_of(wish.plan)}; {several(wish.plan.steps, 'step')}, {about} if no one else trains here."
        page.write(problem or says, "note")
        if busy and not same:
            page.write("The run below has other settings. Training with the new ones ends it.", "note")
    if job is None and wish.source and not page.ask(start_question(wish.source)):
        bring(page)
        return False
    with st.container(horizontal=True):
        st.button(
            "Train it",
            icon=":material/play_arrow:",
            key="tiny_lm_train",
            disabled=bool(problem) or (busy and same) or wish.source is None or is_full(),
            on_click=begin_run,
            args=(wish.plan, wish.source),
        )
        if job is not None:
            run_buttons(job)
    if is_full():
        page.write(FULL, "note")
    if job is not None:
        with st.container() if busy or same else st.expander(f"The last run: {settings_of(job)}"):
            st.fragment(watch, run_every=None if job.rests else TICK)(job)
            if job.good:
                keep_and_open(page, job)
    box_on_adamw(page)
    bring(page)
    return True


def begin_run(plan: Plan, source: Source) -> None:
    """Queue a run; it ends the one that this session has."""
    if "tiny_lm_training" in st.session_state:
        QUEUE.stop(st.session_state["tiny_lm_training"])
    context = get_script_run_ctx()
    job = Job(plan, source, context.session_id if context else "", nominal_seconds(plan))
    st.session_state["tiny_lm_training"] = job
    QUEUE.start(job)


def settings_of(job: Job) -> str:
    """Return by which settings a run was trained, in words."""
    plan, data = job.plan, next((label for label, name in SOURCES.items() if name == job.source.name), OWN_TEXT)
    steps = f"{several(plan.steps, 'step')} of {several(plan.batch_size, 'sequence')}"
    return f"{data}; {size_of(plan)}; {steps}, learning rate {plan.learning_rate:g}, seed {plan.seed}"


def run_buttons(job: Job) -> None:
    """Draw the buttons that pause, resume and stop a run."""
    pause = ("Pause", ":material/pause:", QUEUE.pause)
    if job.state == "paused":
        pause = ("Resume", ":material/play_arrow:", QUEUE.start)
    for key, (label, icon, act) in {"pause": pause, "stop": ("Stop", ":material/stop:", QUEUE.stop)}.items():
        done = job.state == "done"
        st.button(label, icon=icon, key=f"tiny_lm_{key}", disabled=done, on_click=act, args=(job,))


def keep_and_open(page: Page, job: Job) -> None:
    """Offer the trained model: to look at in every step of the lesson, or as a file."""

    def file() -> bytes:
        target = io.BytesIO()
        save(target, job.moments[-1].model, job.source.vocabulary)
        return target.getvalue()

    with st.container(horizontal=True):
        there = {"model": OWN, "when": "trained"}
        put_button(page, "Look inside this model", there | {"step": "bet"}, "open_own", ":material/arrow_forward:")
        known = page.controls.known.get("time_look")  # not if the step was never visited: then it is at its first view
        back = there | {"step": "time"} | ({"time_look": known.default} if known else {})
        put_button(page, "Show its checkpoints", back, "time_own", ":material/history:")
        st.download_button(
            "Save the model", file, "tiny-lm.safetensors", "application/octet-stream", key="tiny_lm_save",
            icon=":material/download:", on_click="ignore",
        )  # fmt: skip


def start_question(source: Source) -> Choice:
    """Ask how large the loss is before the first step."""
    n_tokens = len(source.vocabulary)
    uniform = uniform_loss(source)
    right = f"about {number(uniform, 1)}"
    reasons = {
        "0": "A loss of 0 means that every prediction is certain and right. You gave the goal, not the start.",
        right: "",
        f"about {number(uniform / 4, 1)}": f"This loss means a choice among about {math.exp(uniform / 4):.0f} tokens. "
        "Without training, the model cannot exclude the others.",
        str(n_tokens): f"You gave the number of tokens, {n_tokens}. The loss is its natural logarithm.",
    }
    return Choice.shuffled(
        "start",
        f"Before the first step, the parameters are random. The vocabulary has {n_tokens} tokens. What is the loss in "
        "nats?",
        [right],
        f"An untrained model gives each token a probability near 1/{n_tokens}, and −ln(1/{n_tokens}) = "
        f"{number(uniform)} nats. Random parameters are usually a little worse than that.",
        reasons,
        [0],
    )
