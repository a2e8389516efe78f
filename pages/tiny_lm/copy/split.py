"""One score as a sum over what wrote the query and what wrote the key: as bars, in words, and as a map."""

import numpy as np
import streamlit as st
from markupsafe import Markup, escape

from attention_core.experiments.inside.patching import run_with_heads
from attention_core.experiments.inside.score_split import Cell, ScoreSplit, score_writers, split_score
from attention_core.model.activations import Insides
from pages.charts.bars import signed_bars
from pages.charts.chart import rung
from pages.charts.heatmap import ALL_SUMS, NO_LEGEND, Axes, heatmap, outline, scale
from pages.look.colours import KEY, QUERY
from pages.look.facts import largest
from pages.look.html import in_role, number, quoted, residual
from pages.page.canvas import ChosenCell
from pages.page.page import Page
from pages.tiny_lm.model_in_view import Subject

READ = " At {here}, that head attends most to {names}: {value}."
READ_EACH = " At {here}, that head attends most to {names}: {value} each."
ROUNDED = -3  # the power of ten below which differences are rounding, in 32 bits
COMPONENT_AXES = Axes("query from", "key from", "score", QUERY, KEY, words=True)


def draw_split(page: Page, subject: Subject, inside: Insides, head: tuple[int, int], chosen: ChosenCell) -> None:
    """Draw what each component of the key adds to one score, and what becomes of the weight without the largest."""
    labels = subject.labels
    left, right = st.columns([1.18, 1], gap="large")
    with right, st.container(horizontal=True):
        cell = Cell(*head, *chosen.fields())
    if subject.model.config.causal and cell.key > cell.query:
        page.prints("this weight", inside.weights, *cell)
        with right:
            page.write("The causal mask blocks this key. Choose a cell on or below the diagonal.")
        return
    names = score_writers(subject.model.config, cell.layer)
    found = page.recipe.run("split", split_score, subject.model, inside, *cell)
    page.prints(f"score of {labels[cell.key]}", "split.score")
    with left:
        shown, values = [f"key from {name}" for name in names], found.by_key.tolist()
        if subject.model.config.slopes:
            shown.append("distance (ALiBi)")
            values.append(found.distance)
        chart = signed_bars(
            [*shown, "Σ = score"],
            np.array([*values, found.total]),
            limit=rung(float(np.abs([*values, found.total]).max())),
            name="score by component",
            sentence=f"What each component of the key adds to the score of {quoted(labels[cell.key])}.",
            title="score",
            of="component",
        )
        page.show(chart)
    with right:
        in_words(page, subject, inside, cell, found)
    page.look_closer("The score by what wrote query and key", lambda: component_map(page, found, names))


def in_words(page: Page, subject: Subject, inside: Insides, cell: Cell, found: ScoreSplit) -> None:
    """Write which component of the key adds most, what it read, and the weight without it."""
    names, labels = score_writers(subject.model.config, cell.layer), subject.labels
    best = largest(found.by_key).first
    page.say(
        f"Head {cell.layer + 1}.{cell.head + 1} gives {{key}} the weight {number(float(inside.weights[cell]))} from "
        f"{{query}}. Its score there, **{number(found.score)}**, is a sum: {said(names[best])} wrote "
        f"**{number(float(found.by_key[best]))}** into the key.{{read}}",
        "",
        key=Markup("“{}”").format(in_role(labels[cell.key], "key")),
        query=Markup("“{}”").format(in_role(labels[cell.query], "query")),
        read=escape(what_it_read(inside, labels, names[best], cell.key)),
    )
    if "." not in names[best]:
        return
    layer, head = (int(part) - 1 for part in names[best].split("."))
    number_of = layer * subject.model.config.n_heads + head
    without = page.recipe.run_once("without", run_with_heads, subject.model, subject.tokens, (number_of,))
    page.say(
        f"That is a part, not an effect. With head {names[best]} switched off, the weight is "
        f"**{number(float(without.weights[cell]))}**.",
        "",
    )


def component_map(page: Page, found: ScoreSplit, names: tuple[str, ...]) -> None:
    """Draw the score as a map over the components of query and key."""
    top = outline(*largest(found.terms).cell)
    layers = scale(rung(float(np.abs(found.terms).max()))), top, NO_LEGEND, ALL_SUMS
    told = "Outlined: the largest term."
    page.show(
        heatmap(found.terms, list(names), list(names), COMPONENT_AXES, *layers, name="score by both", sentence=told)
    )
    page.say(
        "A cell is the dot product of two parts, divided by √d_k. The **scale of LayerNorm is frozen**: each part is "
        "divided by the standard deviation of the whole vector. So every step is linear, and all cells with the "
        "distance bias sum to the score, up to {apart}.",
        "note",
        apart=Markup("a number {}").format(residual(abs(found.total - found.score), ROUNDED)),
    )


def what_it_read(inside: Insides, labels: list[str], writer: str, position: int) -> str:
    """Return what a component has read at a position: of a head, the key with most of its weight."""
    here = quoted(labels[position])
    if writer == "embedding":
        return f" That is the token {here} itself."
    if "." not in writer:
        return ""
    layer, head = (int(part) - 1 for part in writer.split("."))
    found = largest(inside.weights[layer, head, position])
    return found.tell(labels, none="", one=READ, several=READ_EACH, all=READ_EACH, here=here)


def said(component: str) -> str:
    if "." in component:
        return f"head {component}"
    return f"the {component}" if component in ("embedding", "positions") else component
