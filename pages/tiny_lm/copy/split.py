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
from pages.page.fields.chosen_cell import ChosenCell
from pages.page.page import Page
from pages.tiny_lm.model_in_view import Subject

ROUNDED = -3  # the power of ten below which differences are rounding, in 32 bits
COMPONENT_AXES = Axes("query from", "key from", "score", QUERY, KEY, words=True)
SUM = (
    "From {{query}}, head {head} gives {{key}} the weight {weight}. The score is **{score}**, a sum. What {writer} "
    "wrote into the key adds **{part}**.{{read}}"
)
READ = " At {here}, that head attends most to {names}: {value}."
READ_EACH = " At {here}, that head attends most to {names}: {value} each."
WITHOUT = (
    "A part is not an effect: without head {head} the weight is **{weight}**, without layer {layer}’s heads **{rest}**."
)
FROZEN = (
    "A cell is the dot product of two parts, divided by √d_k, with the **scale of LayerNorm frozen**. All cells and "
    "the distance bias sum to the score, up to {apart}."
)


def draw_split(page: Page, subject: Subject, inside: Insides, head: tuple[int, int], chosen: ChosenCell) -> None:
    """Draw what each component of the key adds to one score, and what becomes of the weight without the largest."""
    labels, config = subject.labels, subject.model.config
    left, right = st.columns([1.18, 1], gap="large")
    with right, st.container(horizontal=True):
        cell = Cell(*head, *chosen.fields())
    if config.causal and cell.key > cell.query:
        page.prints("this weight", inside.weights, *cell)
        with right:
            page.write("The causal mask blocks this key. Choose a cell on or below the diagonal.")
        return
    names = score_writers(config, cell.layer)
    found = page.recipe.run("split", split_score, subject.model, inside, *cell)
    page.prints(f"score of {labels[cell.key]}", "split.score")
    parts = dict(zip(names, found.by_key.tolist(), strict=True))
    parts |= ({"distance (ALiBi)": found.distance} if config.slopes else {}) | {"Σ = score": found.total}
    values = np.array([*parts.values()])
    with left:
        chart = signed_bars(
            [*parts],
            values,
            limit=rung(float(np.abs(values).max())),
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
    labels, best = subject.labels, largest(found.by_key).first
    writer = score_writers(subject.model.config, cell.layer)[best]
    head = [int(part) - 1 for part in writer.split(".")] if "." in writer else None
    read = f" That is the token {quoted(labels[cell.key])} itself." * (writer == "embedding")
    if head:
        looked = largest(inside.weights[(*head, cell.key)])
        here = quoted(labels[cell.key])
        read = looked.tell(labels, none="", one=READ, several=READ_EACH, all=READ_EACH, here=here)
    wrote = f"head {writer}" if head else f"the {writer}" if writer in ("embedding", "positions") else writer
    numbers = {"weight": inside.weights[cell], "score": found.score, "part": found.by_key[best]}
    shown = {name: number(float(value)) for name, value in numbers.items()}
    page.say(
        SUM.format(head=f"{cell.layer + 1}.{cell.head + 1}", writer=wrote, **shown),
        "",
        key=Markup("“{}”").format(in_role(labels[cell.key], "key")),
        query=Markup("“{}”").format(in_role(labels[cell.query], "query")),
        read=escape(read),
    )
    if head:
        n_heads = subject.model.config.n_heads
        layer = range(head[0] * n_heads, (head[0] + 1) * n_heads)
        left = [
            number(
                float(page.recipe.run_once(name, run_with_heads, subject.model, subject.tokens, heads).weights[cell])
            )
            for name, heads in (("without", (layer[head[1]],)), ("without_layer", (*layer,)))
        ]
        page.say(WITHOUT.format(head=writer, weight=left[0], layer=head[0] + 1, rest=left[1]), "")


def component_map(page: Page, found: ScoreSplit, names: tuple[str, ...]) -> None:
    """Draw the score as a map over the components of query and key."""
    layers = scale(rung(float(np.abs(found.terms).max()))), outline(*largest(found.terms).cell), NO_LEGEND, ALL_SUMS
    said = "Outlined: no term is larger."
    page.show(
        heatmap(found.terms, list(names), list(names), COMPONENT_AXES, *layers, name="score by both", sentence=said)
    )
    page.say(FROZEN, "note", apart=Markup("a number {}").format(residual(abs(found.total - found.score), ROUNDED)))
