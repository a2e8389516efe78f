"""A training run: its progress, its losses, what its model generates, and its attention."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Tokens
from attention_core.experiments.language.next_token import decisions
from attention_core.model.forward import attention_weights, logits
from attention_core.shipped.models import curve_of
from attention_core.shipped.plans import MODELS
from attention_core.text.corpora import Source
from attention_core.text.word_vectors import position_labels
from pages.charts.heatmap import head_map
from pages.charts.lines import line_chart
from pages.look.colours import ATTENTION, INK
from pages.look.facts import largest
from pages.look.html import number
from pages.page.canvas import draw_chart
from pages.page.page import Page
from pages.tiny_lm.common import long_name
from pages.tiny_lm.model_in_view import PROMPTS, Own, make_own, own_model, prompt_words, show_own, visible
from pages.tiny_lm.train.findings import findings, findings_table
from pages.tiny_lm.train.form import size_of
from pages.tiny_lm.train.job import Job, Moment
from pages.tiny_lm.train.queue import QUEUE
from pages.tiny_lm.train.remarks import OVERLAP, remarks
from pages.tiny_lm.units import as_text, joined

FRESH = "tiny_lm_fresh"  # whether the model of a run is not in view yet
SAMPLE = {"word": 16, "character": 80, "piece": 32}  # tokens that a model generates to be judged by
BESIDE = 4  # maps under the losses
PROBED = 12  # tokens of the prompt
STARTS = 3  # prompts
TRIED = 4  # sequences that it completes, where the loss includes only some targets
ENDS = {
    "stopped": " · stopped",
    "diverged": " · diverged: the loss is not finite, so lower the learning rate",
    "failed": " · failed, and this run is lost",
}


def watch(job: Job, drawn: str) -> None:
    """Draw a run as it stands; when it rests, and the page was drawn before it did, the whole page follows."""
    job.seen = QUEUE.clock()
    st.progress(job.step / job.plan.steps, text=how_it_stands(job))
    moment = job.latest
    if moment:
        left, right = st.columns([1.2, 1], gap="large")
        with left:
            draw_losses(job)
            found = list(findings(moment.model, job.source))
            for remark in remarks(job.plan, job.source, list(job.records), found[0], moment.model, job.again):
                write("remark", remark)
        with right:
            write("", sample(job, moment))
            write("", findings_table(found))
        config = job.plan.config
        with left if config.n_layers * config.n_heads <= BESIDE else st.container():  # few maps have room beside text
            draw_maps(job, moment)
        before = [kept for kept in job.moments if kept.step < moment.step]
        for kept in before:
            if kept.step not in job.samples:
                job.samples[kept.step] = sample(job, kept)
        if before:
            texts = Markup("").join(job.samples[kept.step] for kept in before)
            write("log", Markup("<details><summary>Earlier in this run</summary>{}</details>").format(texts))
    if job.shown != job.state:
        if job.good:
            make_own(own_of(job))
            st.session_state[FRESH] = True
        job.shown = job.state
    if job.rests and job.state != drawn:  # again, if the run of the page that drew it was broken off
        st.rerun()


def take_trained(page: Page) -> None:
    """Have the model of a run in view from its end on; widgets have read the old address, so the page begins again."""
    if st.session_state.pop(FRESH, False) and (own := own_model()):
        show_own(page, own)
        st.rerun()


def write(look: str, text: str) -> None:
    """Write a block of a run, which comes anew again and again and is no part of what the page has shown."""
    st.html(Markup('<div class="course {}">{}</div>').format(look, text))


def how_it_stands(job: Job) -> str:
    left = (job.plan.steps - job.step) * job.worked / max(1, job.step)  # seconds, at the pace so far
    told = {
        "waiting": f" · waiting, number {QUEUE.number(job)} in line",
        "running": f" · about {left:.0f} s of work left" if job.step > 3 else "",
        "paused": " · paused",
        "done": ENDS.get(job.end or "", f" · done in {job.worked:.1f} s of work"),
    }
    return f"step {job.step:,} of {job.plan.steps:,}{told[job.state]}"


def draw_losses(job: Job) -> None:
    """Draw the losses of a run over all its steps, beside those of baselines that only count."""
    curve, unit, baselines = job.curve, job.source.unit, job.baselines._asdict()
    if usual := MODELS.get(job.source.name):
        baselines["model of the course"] = float(curve_of(usual.name).tested[-1])
    if not len(curve.steps):
        return
    chart = line_chart(
        curve.steps,
        {"training loss": curve.learned, "validation loss": curve.tested},
        x_title="training step",
        y_title=f"loss · nats per {unit}",
        x_domain=(0, job.plan.steps),
        y_domain=(0.0, max(1.0, float(np.ceil(1.2 * job.baselines.uniform)))),
        baselines=baselines,
        name="loss during training",
        sentence="Training and validation loss, beside models that only count.",
        colours=(ATTENTION, INK),
    )
    draw_chart("tiny_lm", chart)


def sample(job: Job, moment: Moment) -> Markup:
    """Return what the model generates now: after the usual prompt, or at the targets that the loss includes."""
    source, space = job.source, " " if job.source.unit == "word" else ""
    rows, counted = source.held_out(job.plan.config.max_len)
    if counted is not None:
        lines: list[Markup] = []
        for row, own in zip(rows, counted, strict=True):
            if own.any() and len(lines) < TRIED:
                place = int(own.nonzero()[0][-1])
                guess = largest(logits(moment.model, row[: place + 1])[-1], 4).first
                lines.append(completed_row(source, row[: place + 1], guess, int(row[place + 1])))
        return Markup('<div class="title">After step {:,}</div>{}').format(moment.step, Markup("").join(lines))
    words, vocabulary = probe(job)[0], as_text(source.vocabulary, source.unit)
    found = decisions(moment.model, vocabulary.encode(words), SAMPLE[source.unit], 0.7, seed=job.plan.seed)
    block = Markup('<div class="title">Generated after step {:,}</div><div class="spoken"><b>{}</b>{}{}</div>')
    return block.format(moment.step, space.join(words), space, joined(vocabulary, found.tokens, source.unit))


def completed_row(source: Source, row: Tokens, guess: int, right: int) -> Markup:
    """Return a held-out sequence with the model's top prediction, and the right token if that was wrong."""
    space = " " if source.unit == "word" else ""
    tokens = source.vocabulary.tokens
    look, mark = ("right", "✓") if guess == right else ("wrong", f"✕ {tokens[right]}")
    text = space.join(source.vocabulary.decode(row)).rpartition(". ")[2] + space  # its animal is in it
    block = Markup('<div class="spoken small">{}<b>{}</b> <span class="{}">{}</span></div>')
    return block.format(text, tokens[guess], look, mark)


def probe(job: Job) -> tuple[list[str], str]:
    """Return the prompt that a run is judged by, and how it is typed."""
    usual = PROMPTS.get(job.source.name, ("", ""))[1]
    vocabulary, unit = as_text(job.source.vocabulary, job.source.unit), job.source.unit
    longest = min(PROBED, job.plan.config.max_len)
    if not usual:  # a text of one's own is probed with its own: the beginning of a held-out row
        row = job.source.held_out(job.plan.config.max_len).rows[0, :longest]
        return vocabulary.decode(row), joined(vocabulary, row, unit)
    words, _ = prompt_words(usual, usual, vocabulary, unit, longest)
    return words, usual


def draw_maps(job: Job, moment: Moment) -> None:
    """Draw the attention map of every head over the usual prompt."""
    words, vocabulary = probe(job)[0], as_text(job.source.vocabulary, job.source.unit)
    labels = position_labels([visible(word) for word in words])
    weights = attention_weights(moment.model, vocabulary.encode(words))
    n_layers = len(weights)
    grid = st.grid(4, min_column_width=150, gap="medium")
    for layer, head in np.ndindex(*weights.shape[:2]):
        name = long_name(n_layers, layer, head)
        with grid.cell():
            write("note", name.capitalize())
            shown, said = weights[layer, head], f"{name.capitalize()}: its weights over the prompt."
            draw_chart("tiny_lm", head_map(shown, labels, name=f"live {name}", sentence=said, words_along=True))
            key = largest(shown[-1]).first
            write("note", f"{labels[-1]} → {labels[key]}: {number(float(shown[-1, key]))}")
    write("note", "Rows are queries, columns are keys.")


def own_of(job: Job) -> Own:
    """Return the models of a run so far as the student's own model."""
    models, steps = zip(*((moment.model, moment.step) for moment in job.moments), strict=True)
    source, known = job.source, tuple(job.baselines._asdict().items())
    text = source.vocabulary, source.unit, source.says, probe(job)[1]
    vocabulary = as_text(source.vocabulary, source.unit)
    rows = source.held_out(job.plan.config.max_len).rows[:STARTS, :PROBED]
    starts = tuple(joined(vocabulary, row, source.unit).strip() for row in rows)
    return Own(
        models, steps, *text, job.curve, size_of(job.plan), baselines=known, knows=job.again > OVERLAP, starts=starts
    )
