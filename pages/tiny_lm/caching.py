"""The KV cache: what it saves, what it takes, that it changes nothing, and when it cannot help."""

from html import escape

import numpy as np
import streamlit as st

from attention_core.experiments.kv_cache_proof import (
    Reads,
    affordable,
    cache_proof,
    cache_savings,
    check_cache_validity,
    positions_read,
)
from attention_core.model.generate import decisions
from pages.charts.chart import rung
from pages.charts.heatmap import Axes, heatmap
from pages.charts.step_spans import COLOURS, stretches
from pages.look.html import memory, number, pairs, quoted, tiny
from pages.page.buttons import put_button
from pages.page.page import Page
from pages.tiny_lm.betting import written
from pages.tiny_lm.caching_questions import ahead_question, anew_question, kept_question, query_question
from pages.tiny_lm.sampling import MOST_NEW, Sampling
from pages.tiny_lm.subject import Subject

USUAL = 12  # new tokens
FRAMES = (8, 16, 32, 64)  # rows of the pictures, which so seldom jump
PROVED = 24  # tokens that are written twice, at most
AFFORDED = 100_000_000  # operations of the proof: ten tokens of the largest model that ships
SHOWN = 12  # positions in the map of what moved
MOVED_AXES = Axes("layer", "position", "largest change", words=True)
MASKS = ("taken off", "on")


def caching(page: Page, subject: Subject, sampling: Sampling) -> None:
    """Show for each new token what is computed with the cache and without, and prove that both are the same."""
    model, n_prompt, unit = subject.model, len(subject.tokens), subject.unit
    with st.container(border=True):
        text = st.container()
        n_new = page.controls.slider("written", f"New {unit}s", 1, MOST_NEW, USUAL, 1)
        found = page.recipe.run("text_written", decisions, model, subject.tokens, n_new, *sampling)
        with text:
            page.write(written(subject, found, n_new, ends=False))
    if not page.ask(anew_question(model, n_prompt, unit, page.variant("anew"))):
        return
    labels = [subject.token(int(token)) for token in found.tokens]
    known = page.ask(kept_question(model, n_prompt, unit, page.variant("kept")))
    left, right = st.columns(2, gap="medium")
    with left:
        st.subheader("Without the cache", anchor=False)
        anew = page.recipe.run("read_anew", positions_read, model, n_prompt, n_new, False)
        triangle(page, subject, labels, anew, "without the cache")
    if not known:
        return
    with right:
        st.subheader("With the cache", anchor=False)
        kept = page.recipe.run("read_kept", positions_read, model, n_prompt, n_new)
        triangle(page, subject, labels, kept, "with the cache")
    page.write(legend() + outgrown(subject), "note")
    st.header("What it saves, takes and changes", anchor=False)
    if not page.ask(query_question(page.variant("query"))):
        return
    balance(page, subject, sampling, n_new)
    st.header("Only because nobody looks ahead", anchor=False)
    looking_ahead(page, subject, int(found.tokens[0]))


def triangle(page: Page, subject: Subject, labels: list[str], read: Reads, name: str) -> None:
    """Draw for each new token which positions go through the model."""
    n_prompt, unit = len(subject.tokens), subject.unit
    n_rows = next(frame for frame in FRAMES if frame >= len(labels))
    total = int(read.computed.sum())
    chart = stretches(
        labels,
        read.first,
        read.fresh,
        read.stop,
        n_rows=n_rows,
        n_columns=n_prompt + n_rows - 1,
        boundary=n_prompt,
        name=name,
        sentence=f"{name.capitalize()} {total:,} positions go through the model for {len(labels)} new {unit}s: "
        f"{read.computed[0]} for the first, {read.computed[-1]} for the last.",
    )
    page.show(chart)


def legend() -> str:
    """Return what the colours of the pictures mean."""
    patches = "".join(
        f'<span style="white-space:nowrap"><span class="patch" style="background:{pair.css}"></span>{kind}</span> '
        for kind, pair in COLOURS.items()
    )
    return f"A row for each new token, a column for each position; the prompt ends at the dashed line. {patches}<br>"


def outgrown(subject: Subject) -> str:
    """Return when the cache stops being of use."""
    longest, unit = subject.model.config.max_len, subject.unit
    if not subject.model.config.causal:
        return (
            "This model looks ahead as well, so what it computed for a position is no longer true once another "
            f"{unit} follows: nothing is kept, and both pictures are the same."
        )
    return (
        f"This model reads {longest} positions. From new {unit} {max(longest - len(subject.tokens) + 2, 1)} on the "
        "first one drops out and all others move up a place: all is computed anew, with the cache as without."
    )


def balance(page: Page, subject: Subject, sampling: Sampling, n_new: int) -> None:
    """Write operations, memory, and the differences between both ways."""
    model, n_prompt, unit = subject.model, len(subject.tokens), subject.unit
    cost = page.recipe.run("balance", cache_savings, model, n_prompt, n_new)
    n_proved = affordable(model, n_prompt, min(n_new, PROVED), AFFORDED)
    proof = page.recipe.run("proof", cache_proof, model, subject.tokens, n_proved, *sampling)
    exact = page.recipe.run("exact_proof", cache_proof, model, subject.tokens, n_proved, *sampling, 64)
    config, same = model.config, int((proof.tokens == proof.tokens_anew).sum())
    work, kept, proved = st.columns(3, gap="medium", border=True)
    with work:
        fewer = f"{number(cost.anew / cost.kept, 1)} times fewer" if cost.kept < cost.anew else "none saved"
        page.write(card("Operations", fewer))
        lines = [("all anew", number(cost.anew, 0)), ("with the cache", number(cost.kept, 0))]
        page.write(pairs(lines))
        page.write(
            f"Of all products of matrices, by formula. A new {unit} costs as much as a text of one, and 4 · d_model = "
            f"{4 * config.d_model} in each layer for each position that it looks back at.",
            "note",
        )
    with kept:
        page.write(card("Memory", memory(cost.held_bytes)))
        page.write(pairs([("positions held", str(cost.held)), ("if full", memory(full_bytes(subject)))]))
        page.write(
            f"2 (key and value) · {config.n_layers} {'layers' if config.n_layers > 1 else 'layer'} · {cost.held} "
            f"positions · {config.d_model} numbers · {model.flat.itemsize} bytes. Twice the text takes twice as much.",
            "note",
        )
    with proved:
        page.write(card("Largest difference", tiny(proof.largest)))
        page.write(pairs([("the same text", f"{same} of {n_proved}"), ("in 64 bits", tiny(exact.largest))]))
        few = f"the first {n_proved} of {n_new}" if n_proved < n_new else f"all {n_new}"
        page.write(
            f"Written both ways, over {few} {unit}s; all {len(proof.differences) * config.vocab_size:,} logits "
            f"compared, the largest {number(proof.scale)}. What differs is rounding: in 64 bits it shrinks.",
            "note",
        )


def full_bytes(subject: Subject) -> int:
    """Return the memory of a cache that holds as much as the model reads."""
    return cache_savings(subject.model, subject.model.config.max_len, 1).held_bytes


def card(title: str, result: str) -> str:
    """Return the head of a card: what it is about, and its one large number."""
    return f'<div class="title">{title}</div><div class="figure">{result}</div>'


def looking_ahead(page: Page, subject: Subject, next_token: int) -> None:
    """Take off the mask, and show which of the kept keys and values are no longer true."""
    model, unit, locked = subject.model, subject.unit, "model" in page.controls.locked
    if model.config.max_len < 2:
        page.write("This model reads a single token, so there is nothing that it could keep.", "note")
        return
    open_ = page.recipe.run("open", check_cache_validity, model, subject.tokens, next_token, False)
    if not page.ask(ahead_question(model.config.n_layers, open_.holds, unit, page.variant("ahead"))):
        return
    mask = page.controls.choice("mask", "The mask is", MASKS, MASKS[0])
    seen = open_
    if mask == MASKS[1]:
        seen = page.recipe.run("masked", check_cache_validity, model, subject.tokens, next_token, True)
    moved = np.stack([seen.keys, seen.values, seen.outputs], axis=1).reshape(-1, seen.keys.shape[-1])[:, -SHOWN:]
    limit = rung(float(max(part.max() for part in open_[:3])))
    rows = [f"{layer + 1} · {kind}" for layer in range(model.config.n_layers) for kind in ("K", "V", "out")]
    chart = heatmap(
        moved,
        rows,
        subject.labels[-seen.keys.shape[-1] :][-SHOWN:],
        MOVED_AXES,
        name="what moved",
        sentence=f"With the mask {mask}, one more {unit} moves keys and values by up to "
        f"{max(seen.keys.max(), seen.values.max()):.2f}, and what layers hand on by up to {seen.outputs.max():.2f}.",
        limit=limit,
        amounts=True,
    )
    page.show(
        chart,
        note=f"Each cell: how far the numbers of a position change at most, once "
        f"{escape(quoted(subject.token(next_token)))} follows: its key, its value, and what the layer hands on (out).",
    )
    if model.config.n_layers == 1:
        page.write(
            "Nobody reads what the only layer hands on for earlier positions, so this model could keep its cache "
            "without a mask. With a second layer it could not.",
            "note",
        )
        put_button(page, "See a model of two layers", {"model": "letters and digits"}, "two_layers", disabled=locked)
