"""Training in the page: its settings, and a run that is watched while other controls stay alive."""

import io
import json

import numpy as np
import streamlit as st

from attention_core.model.checkpoint import save
from attention_core.shipped.runs import Plan
from attention_core.text.corpora import Source
from pages.look.facts import several
from pages.page.buttons import put_button
from pages.page.page import Page
from pages.page.steps import Step
from pages.server.shares import visitor
from pages.tiny_lm.model_in_view import OWN, Subject, own_model, step_inside
from pages.tiny_lm.train.form import MOST_SECONDS, OWN_TEXT, SOURCES, nominal_seconds, size_of, wanted
from pages.tiny_lm.train.job import FULL, Job, is_full, nbytes
from pages.tiny_lm.train.live import probe, watch
from pages.tiny_lm.train.queue import QUEUE
from pages.tiny_lm.train.remarks import OVERLAP
from pages.tiny_lm.train.upload import LARGEST_MODEL, bring

STEP = Step(
    "train",
    "Train one yourself",
    "A new model has random parameters. In each step it predicts next tokens of some sequences, and **AdamW** "
    "moves each parameter a little, mostly against its slope. The **validation loss** is measured on text "
    "kept out of training. Beside it stand **baselines**, which only count tokens (**unigram**), pairs (**bigram**) or "
    "triples (**trigram**).",
    words="batch heads hidden layers learn length positions rate sizes steps train_seed unit width without",
)

ANSWERS = ("pronoun", "recall")  # sources of which a model learns answers alone, so that it writes no text
TICK = 0.8  # seconds between two looks at a run, of 40 ms of the processor
TOO_LONG = (
    "This would take about {minutes} minutes, and others use this server too. Choose fewer steps or a smaller model."
)
TAKES = "Training data: {data}. {size}; {steps}, about {seconds} if no one else trains here."
RUN = "{data}; {size}; {steps} of {sequences}, learning rate {rate:g}, seed {seed}"
OTHER = "The run below has other settings. Training with these ends it."


def draw(page: Page, scene: Subject) -> None:
    """Draw what decides a run, the buttons, and the run itself."""
    wish, job = wanted(page), training()
    drawn = job.state if job else ""
    busy = job is not None and job.state != "done"
    same = job is not None and job.plan == wish.plan and job.source is wish.source
    expected, full = nominal_seconds(wish.plan), is_full(nbytes(wish.plan))
    seconds, problem = QUEUE.pace * expected, wish.problem
    if not problem and expected > MOST_SECONDS:
        problem = TOO_LONG.format(minutes=round(seconds / 60))
    with st.container():
        words = {"steps": several(wish.plan.steps, "step"), "seconds": several(max(1, round(seconds)), "second")}
        told = {"size": size_of(wish.plan), "data": wish.source and wish.source.says}
        page.write(problem or TAKES.format(**told, **words), "note")
        if busy and not same:
            page.write(OTHER, "note")
    with st.container(horizontal=True):
        cannot, icon = bool(problem) or (busy and same) or wish.source is None or full, ":material/play_arrow:"
        begins = (wish.plan, wish.source)
        st.button("Train it", "tiny_lm_train", None, begin_run, begins, icon=icon, disabled=cannot)
        if job is not None:
            paused, done = job.state == "paused", job.state == "done"
            pause = ("Resume", "play_arrow", QUEUE.start) if paused else ("Pause", "pause", QUEUE.pause)
            for key, (label, icon, act) in {"pause": pause, "stop": ("Stop", "stop", QUEUE.stop)}.items():
                st.button(
                    label, icon=f":material/{icon}:", key=f"tiny_lm_{key}", disabled=done, on_click=act, args=(job,)
                )
    if full:
        page.write(FULL, "note")
    if job is not None:
        by, made_of = job.plan, next((label for label, name in SOURCES.items() if name == job.source.name), OWN_TEXT)
        words = {"steps": several(by.steps, "step"), "sequences": several(by.batch_size, "sequence")}
        made = RUN.format(data=made_of, size=size_of(by), rate=by.learning_rate, seed=by.seed, **words)
        with st.container() if busy or same else st.expander(f"The last run: {made}"):
            with st.container():  # or a run of this part could take the place of what follows
                st.fragment(watch, run_every=None if job.rests else TICK)(job, drawn)
            if job.good:
                keep_and_open(page, job)
    bring(page)


def training() -> Job | None:
    return st.session_state.get("tiny_lm_training")


def begin_run(plan: Plan, source: Source) -> None:
    """Begin a run in place of the one before, unless the server has filled up since the button was drawn."""
    if is_full(nbytes(plan)):
        return
    if before := training():
        QUEUE.stop(before)
    job = Job(plan, source, visitor(), nominal_seconds(plan))
    st.session_state["tiny_lm_training"] = job
    QUEUE.start(job)


def keep_and_open(page: Page, job: Job) -> None:
    """Offer the trained model: to look at in every step of the lesson, or as a file."""

    def file() -> bytes:
        target, last = io.BytesIO(), job.moments[-1].model
        whole = last.flat.nbytes * len(job.moments) <= LARGEST_MODEL
        run = {moment.step: moment.model for moment in job.moments if whole}
        told = {"prompt": probe(job)[1], "curve": [*map(np.ndarray.tolist, job.curve)], "baselines": job.baselines}
        notes = {"training": json.dumps(told | {"knows": job.again > OVERLAP, "says": job.source.says})}
        save(target, last, job.source.vocabulary, run=run, notes=notes)
        return target.getvalue()

    with st.container(horizontal=True):
        own = own_model()
        there = {"model": OWN, "when": "trained", "prompt": own.prompt if own else ""}
        does = "predict" if job.source.name in ANSWERS else "write"
        put_button(page, f"Let it {does}", there | {"step": "bet"}, "open_own", ":material/arrow_back:")
        put_button(page, "Show its checkpoints", there | {"step": "time"}, "time_own", ":material/history:")
        if own:
            inside = there | {"step": step_inside(own)}
            put_button(page, "Look into it", inside, "inside_own", ":material/arrow_forward:")
        st.download_button(
            "Save the model", file, "tiny-lm.safetensors", "application/octet-stream", key="tiny_lm_save",
            icon=":material/download:", on_click="ignore",
        )  # fmt: skip
    page.say("From now on, each step shows this model where it can. A reload forgets it. Save it to keep it.", "note")
