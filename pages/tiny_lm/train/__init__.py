"""Training in the page: what is to be learned, and a run that is watched while other controls stay alive."""

import io
import os
from html import escape
from typing import Any

import numpy as np
import streamlit as st
from markupsafe import Markup
from streamlit.runtime import Runtime, get_instance
from streamlit.runtime.scriptrunner import get_script_run_ctx

from attention_core.arrays import Tokens
from attention_core.model.checkpoint import save
from attention_core.model.forward import attention_weights, logits
from attention_core.model.generate import decisions
from attention_core.shipped.models import MODELS, RECALL, Curve, curve_of
from attention_core.shipped.runs import Record
from attention_core.text.corpora import Source, uniform_loss, unigram_loss
from attention_core.text.word_vectors import position_labels
from pages.charts.head_map import head_map
from pages.charts.lines import line_chart
from pages.look.thumbnails import bars
from pages.look.thumbnails import thumbnail as thumbnail_of
from pages.page.buttons import put_button
from pages.page.page import Page
from pages.page.page import draw as draw_chart
from pages.page.steps import Step
from pages.tiny_lm.model_in_view import GONE, OWN, PROMPTS, Own, Subject, prompt_words, shown_text, visible
from pages.tiny_lm.questions import start_question
from pages.tiny_lm.time import LOOKS
from pages.tiny_lm.train.findings import findings, table
from pages.tiny_lm.train.form import MOST_SECONDS, nominal_seconds, size_of, wanted
from pages.tiny_lm.train.job import Job, Moment
from pages.tiny_lm.train.queue import Desk
from pages.tiny_lm.train.upload import bring

STEP = Step(
    "train",
    "Train one yourself",
    "It starts with random numbers. Each step draws fresh rows of text, bets on every next token at once, and "
    "moves every number a little against its slope. Watch the loss fall, and heads find what to look at.",
)

TICK = 0.5  # seconds between two looks at a run
SAMPLE = {"word": 16, "character": 80}  # tokens that a model writes to be judged by
TRIED = 4  # rows that it completes, where only some targets count


def draw(page: Page, scene: Subject) -> None:
    """Draw the step."""
    page.pictured = train_stage(page)


def thumbnail(scene: Subject) -> Markup:
    """Return the small picture of the step."""
    losses = curve_of(RECALL.name).tested[::12]
    return thumbnail_of(bars((losses / losses.max()).tolist()), None)


def present(session: str) -> bool:
    """Tell whether a student's page is still connected."""
    return Runtime.exists() and get_instance().is_active_session(session)


def places() -> int:
    """Return how many runs this machine carries at once beside the lessons."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(2, cores)


DESK = Desk(places(), present)


def session() -> str:
    """Return who this student is, as long as the page is open."""
    context = get_script_run_ctx()
    return context.session_id if context else ""


def current_job() -> Job | None:
    """Return this student's run: the one of this session, or the one that the address names if it was left alone."""
    job: Job | None = st.session_state.get("tiny_lm_job")
    token = st.query_params.get("tiny_lm_run")
    if job is None and token:
        job = DESK.found(token, session())
        if job is None:
            st.query_params.pop("tiny_lm_run", None)
        else:
            st.session_state["tiny_lm_job"] = job
    elif job is not None and not job.ended and token != job.token:
        st.query_params["tiny_lm_run"] = job.token
    return job


def train_stage(page: Page) -> str | None:
    """Draw what decides a run, the buttons, and the run itself."""
    wish = wanted(page)
    DESK.clear_up()
    job = current_job()
    busy = job is not None and not job.ended
    same = job is not None and job.plan == wish.plan and job.source is wish.source
    expected = nominal_seconds(wish.plan)
    seconds, problem = DESK.pace * expected, wish.problem
    if not problem and expected > MOST_SECONDS:
        problem = (
            f"That would take about {round(seconds / 60)} minutes, and others use this server too: choose fewer steps, "
            "or a smaller model."
        )
    with st.container():
        about = f"about {seconds:.0f} seconds" if seconds >= 1.5 else "about a second"
        says = f"{size_of(wish.plan)}; {wish.plan.steps:,} steps, {about} if nobody else trains here."
        page.write(escape(problem or says), "note")
        if busy and not same:
            page.write("The run below has other settings. Training with these ends it.", "note")
    if job is None and wish.source and not page.ask(start_question(wish.source, page.variant("start"))):
        bring(page, make_own)
        return None
    with st.container(horizontal=True):
        st.button(
            "Train it",
            icon=":material/play_arrow:",
            key="tiny_lm_train",
            disabled=bool(problem) or (busy and same) or wish.source is None,
            on_click=begin_run,
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
    bring(page, make_own)
    return None


def make_own(own: Own) -> None:
    """Make a model the student's own; the session holds it, and the desk counts it among all that are held."""
    own.owner = session()
    st.session_state["tiny_lm_own"] = own
    DESK.hold(own)


def begin_run(plan: Any, source: Source) -> None:
    """Queue a run; it ends the one that this tab has."""
    job = Job(plan, source, session(), nominal_seconds(plan))
    if DESK.start(job):
        st.session_state["tiny_lm_job"] = job
        st.query_params["tiny_lm_run"] = job.token
    else:
        st.session_state["tiny_lm_full"] = True


def run_buttons(job: Job) -> None:
    """Draw the buttons that pause, resume and stop a run."""
    paused = job.state == "paused"
    label, icon, act = (
        ("Resume", ":material/play_arrow:", DESK.resume) if paused else ("Pause", ":material/pause:", DESK.pause)
    )
    st.button(label, icon=icon, type="tertiary", key="tiny_lm_pause", disabled=job.ended, on_click=act, args=(job,))
    stop = "tiny_lm_stop"
    st.button(
        "Stop", icon=":material/stop:", type="tertiary", key=stop, disabled=job.ended, on_click=DESK.stop, args=(job,)
    )


def watch(job: Job) -> None:
    """Draw a run as it stands; when it ends, the whole page follows."""
    DESK.see(job)
    ended = job.ended or job.state == "paused"
    st.progress(job.step / job.plan.steps, text=how_it_stands(job))
    moment = job.latest
    if moment is None:
        if ended and job.step:
            st.html(f'<div class="course note">{GONE}: the same settings give the same numbers.</div>')
        return
    left, right = st.columns([1.2, 1], gap="large")
    with left:
        losses(job)
    with right:
        st.html(f'<div class="course">{sample(job, moment)}</div>')
        st.html(f'<div class="course">{table(findings(moment.model, job.source))}</div>')
    maps(job, moment)
    if ended and st.session_state.get("tiny_lm_told") != (job.token, job.state, job.step):
        st.session_state["tiny_lm_told"] = (job.token, job.state, job.step)
        if job.good:
            make_own(own_of(job, job.moments))
        st.rerun()


def how_it_stands(job: Job) -> str:
    """Return in words where a run is."""
    at = f"step {job.step:,} of {job.plan.steps:,}"
    before = DESK.place(job)
    left = job.seconds_left
    turns = " · others wait, so runs take turns"
    return {
        "waiting": at
        + (turns if job.step else " · waits for memory until a run of this size has ended" * DESK.lacks_room(job))
        + (f" · waiting, {before} before this one" if before else " · next in line"),
        "working": at
        + (f" · about {left:.0f} s of work left" if left is not None and job.step > 3 else "")
        + turns * DESK.others_wait(job),
        "paused": f"{at} · paused",
        "done": f"{at} · done in {job.worked:.1f} s of work",
        "stopped": f"{at} · stopped",
        "left": f"{at} · ended, because nobody was there",
        "diverged": f"{at} · the loss is no longer a number: the learning rate was too large",
        "failed": f"{at} · something went wrong, and this run is lost",
    }[job.state]


def losses(job: Job) -> None:
    """Draw the losses of a run over the whole way that it has to go, with what ignorance would lose."""
    records = list(job.records)
    uniform, unigram = uniform_loss(job.source), unigram_loss(job.source, job.plan.config.max_len)
    baselines = {"uniform": uniform, "unigram": unigram}
    usual = MODELS.get(job.source.name)
    if usual is not None:
        baselines["the one that ships"] = float(curve_of(usual.name).tested[-1])
    curve = curve_so_far(records)
    if not records:
        return
    chart = line_chart(
        curve.steps,
        {"learned": np.minimum(curve.learned, 1.5 * uniform), "held out": np.minimum(curve.tested, 1.5 * uniform)},
        x_title="step",
        y_title=f"loss · nats per {job.source.unit}",
        x_domain=(0, job.plan.steps),
        y_domain=(0.0, float(np.ceil(1.2 * uniform))),
        baselines=baselines,
        name="live loss",
        sentence=f"The loss begins at {curve.learned[0]:.2f} nats a {job.source.unit}; a model that knows nothing "
        f"has {uniform:.2f}.",
    )
    draw_chart("tiny_lm", chart)


def curve_so_far(records: list[Record]) -> Curve:
    """Return records as columns."""
    columns = list(zip(*records, strict=True)) or [(), (), (), ()]
    return Curve(np.array(columns[0], int), *(np.array(column, float) for column in columns[1:]))


def sample(job: Job, moment: Moment) -> str:
    """Return what the model writes as it stands: after the usual prompt, or where only some targets count, those."""
    source = job.source
    rows, counted = source.held_out(job.plan.config.max_len)
    space = " " if source.unit == "word" else ""
    if counted is not None:
        lines = []
        for row, own in zip(rows, counted, strict=True):
            if own.any() and len(lines) < TRIED:
                place = int(own.nonzero()[0][-1])
                guess = int(logits(moment.model, row[: place + 1])[-1].argmax())
                lines.append(tried(source, row[: place + 1], guess, int(row[place + 1])))
        return f'<div class="title">After step {moment.step:,}</div>{"".join(lines)}'
    words, _ = probe(job)
    found = decisions(moment.model, source.vocabulary.encode(words), SAMPLE[source.unit], 0.7, seed=job.plan.seed)
    text = shown_text(found.tokens, source.vocabulary, source.unit)
    return (
        f'<div class="title">After step {moment.step:,} it writes</div>'
        f'<div class="spoken"><b>{escape(space.join(words))}</b>{space}{escape(text)}</div>'
    )


def tried(source: Source, row: Tokens, guess: int, right: int) -> str:
    """Return a row that is held out with the model's guess, and the right token if it was wrong."""
    space = " " if source.unit == "word" else ""
    words = source.vocabulary.decode(row)[-9:]
    told = source.vocabulary.tokens[guess]
    mark = "✓" if guess == right else f"✕ {source.vocabulary.tokens[right]}"
    look = "right" if guess == right else "wrong"
    return (
        f'<div class="spoken small">{escape(space.join(words))}{space}<b>{escape(told)}</b> '
        f'<span class="{look}">{escape(mark)}</span></div>'
    )


def probe(job: Job) -> tuple[list[str], str]:
    """Return the prompt that a run is judged by, and how it is typed."""
    usual = PROMPTS.get(job.source.name, ("", ""))[1]
    words, _ = prompt_words(usual, usual, job.source.vocabulary, job.source.unit, min(12, job.plan.config.max_len))
    return words, usual


def maps(job: Job, moment: Moment) -> None:
    """Draw every head over the usual prompt."""
    words, _ = probe(job)
    labels = position_labels([visible(word) for word in words])
    weights = attention_weights(moment.model, job.source.vocabulary.encode(words))
    n_layers, n_heads = weights.shape[:2]
    grid = st.grid(4, min_column_width=150, gap="medium")
    for layer in range(n_layers):
        for head in range(n_heads):
            name = f"layer {layer + 1} head {head + 1}" if n_layers > 1 else f"head {head + 1}"
            with grid.cell():
                st.html(f'<div class="course note">{name.capitalize()}</div>')
                shown = weights[layer, head]
                sentence = f"{name.capitalize()} over the prompt {' '.join(labels)}."
                draw_chart("tiny_lm", head_map(shown, labels, name=f"live {name}", sentence=sentence))


def own_of(job: Job, moments: list[Moment]) -> Own:
    """Return what a run has learned so far as the student's own model."""
    return Own(
        tuple(moment.model for moment in moments),
        tuple(moment.step for moment in moments),
        job.source.vocabulary,
        job.source.unit,
        job.source.says,
        probe(job)[1] or "".join(probe(job)[0]),
        curve_so_far(list(job.records)),
        size_of(job.plan),
    )


def keep_and_open(page: Page, job: Job) -> None:
    """Offer what was learned: to look at in every step of the lesson, or as a file."""

    def file() -> bytes:  # it holds no model itself, so that the desk can drop them
        target = io.BytesIO()
        save(target, job.moments[-1].model, job.source.vocabulary)
        return target.getvalue()

    with st.container(horizontal=True):
        there = {"model": OWN, "when": "trained"}
        put_button(
            page, "Look inside this model", there | {"step": "bet"}, "open_own", ":material/arrow_forward:", "secondary"
        )
        back = there | {"step": "time", "time_look": LOOKS[0]}
        put_button(page, "Travel through its training", back, "time_own", ":material/history:")
        st.download_button(
            "Save the model", file, "tiny-lm.npz", "application/zip", key="tiny_lm_save", icon=":material/download:",
            on_click="ignore", type="tertiary",
        )  # fmt: skip
