"""How much a key matters: its weight, its contribution and the effect of its removal."""

from dataclasses import replace

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.equations.attention import AttentionCache
from attention_core.experiments.multi_head.head_parts import (
    find_unneeded_top_key,
    idle_rows,
    in_their_plane,
    output_changes,
    remove_key,
)
from attention_core.experiments.scaling.head_metrics import contributions, removal_effects
from attention_core.rows import row_norms
from pages.charts.chart import Chart, limit_of
from pages.charts.heatmap import CLICK, Axes, heatmap, outline, shade, write
from pages.charts.vector_plane import Vector, plane
from pages.look.colours import KEY
from pages.look.facts import largest
from pages.look.html import number, prose, quoted
from pages.look.sentences import first_query
from pages.multi_head.common import FINEST, attention_of_head, choose_head
from pages.multi_head.scene import HeadScene, optional
from pages.page.canvas import ChosenCell
from pages.page.fields.buttons import put_button
from pages.page.page import Page
from pages.page.steps import Step
from pages.questions.kinds import Choice

STEP = Step(
    "effect",
    "The largest weight does not always matter most",
    "Here are three measures of one head. A contribution is the weight times the length (norm) of v W_O. An effect is "
    "how much the output changes if this head loses the key.",
    asks="Must the largest weight matter most?",
    then="Only the effect is evidence of a cause, because a key is removed.",
)

MEASURE_AXES = Axes("measure", "key", "number", column_colour=KEY, words=True)
MOST_ROWS = 6  # about which is asked
VISIBLE = 0.005  # what two effects must differ by to be told apart as they are shown


def draw(page: Page, scene: HeadScene) -> bool:
    """Show weight, contribution and effect of every key as three maps, and what the trained model then predicts."""
    a, labels, run = scene.attention, scene.labels, page.recipe.run
    effects = run("effects", removal_effects, a.q, a.k, a.v, scene.heads.w_o, *optional(scene.blocked))

    def make(variant: int) -> Choice | None:
        return missed_question(a.weights, effects, labels, *asked_place(a.weights, effects, variant))

    question = page.question("missed", make)
    asked_head, asked_row = asked_place(a.weights, effects, page.variant("missed"))

    def show_asked() -> None:
        top = int(a.weights[asked_head, asked_row].argmax())
        page.controls.put(head=str(asked_head + 1), q=labels[asked_row], k=labels[top])

    def blank() -> None:
        weights = a.weights[asked_head, asked_row]
        measures = {"weight": weights, **dict.fromkeys(("contribution", "effect"), np.full(len(labels), np.nan))}
        told = f"Head {asked_head + 1}, the row of {quoted(labels[asked_row])}. The two other measures stay blank."
        page.show(three_measures(measures, labels, None, told), note=scene.origin)

    if not page.ask(question, blank, then=show_asked):
        return False
    added = run("added", contributions, a.weights, a.v, scene.heads.w_o)
    usual_cell = (first_query(labels), 1)
    if scene.kind == "trained":  # whose largest weights mostly matter most: this row is one that shows the claim
        usual_head, usual_row = asked_place(a.weights, effects, 0)
        usual_cell = (usual_row, int(a.weights[usual_head, usual_row].argmax()))
        scene = scene if scene.head is not None else replace(scene, head=usual_head)
    cell = ChosenCell(page.controls, labels, labels, usual_cell, labels=("Query", "Key"))
    with page.fields:
        row, column = cell.fields()
    head = choose_head(page, scene)
    own = attention_of_head(page, a, head)
    without = run("without", remove_key, own, column)
    page.prints(f"effect of {labels[column]} on the output of {labels[row]}", effects, head, row, column)
    measures = {"weight": own.weights[row], "contribution": added[head, row], "effect": effects[head, row]}
    left, right = st.columns([1.5, 1], gap="medium")
    with left:
        told = f"Head {head + 1}, the row of {quoted(labels[row])}. Each measure has its colours."
        chart = three_measures(measures, labels, column, told)
        page.show(chart, lambda _, key: page.controls.put(k=labels[key]), note=scene.origin)
        page.say(
            removal_sentence(own.weights[row], without.weights[row], effects[head, row], column, head),
            "",
            query=labels[row],
            key=labels[column],
            most=labels[int(effects[head, row].argmax())],
        )
    with right:
        draw_two_changes(page, scene, own, head, row)
    offer_top_key(page, scene, effects)
    return True


def three_measures(measures: dict[str, Array], labels: list[str], column: int | None, told: str) -> Chart:
    """Return weight, contribution and effect of every key of a row; NaN is not told yet."""
    values = np.array([*measures.values()])
    texts = np.array([["?" if np.isnan(value) else number(value) for value in row] for row in values], dtype=object)
    known = np.nan_to_num(values)
    colours = known / np.maximum(known.max(axis=1, keepdims=True), 1e-300)
    layers = shade(colours), write(texts), outline(None, column), CLICK
    return heatmap(values, [*measures], labels, MEASURE_AXES, *layers, name="measures", sentence=told)


def draw_two_changes(page: Page, scene: HeadScene, own: AttentionCache, head: int, row: int) -> None:
    """Draw how the output changes without the key of the largest weight, and without that of the largest effect."""
    changes = page.recipe.run("changes", output_changes, own, scene.heads.w_o, scene.n_heads, head, row)
    top, most = int(own.weights[row].argmax()), int(row_norms(changes).argmax())
    keys = list(dict.fromkeys((top, most)))
    points = page.recipe.run("points", in_their_plane, changes[keys])
    arrows = [Vector(x, y, scene.labels[key], "attention") for (x, y), key in zip(points, keys, strict=True)]
    lengths = " and ".join(f"{number(row_norms(changes)[key])} without {quoted(scene.labels[key])}" for key in keys)
    told = f"How the output of {quoted(scene.labels[row])} changes: by {lengths}."
    page.head("Change of the output, without a key")
    page.show(plane(arrows, limit=limit_of(points, FINEST), name="changes", sentence=told, small=True))


def removal_sentence(weights: Array, rest: Array, effects: Array, key: int, head: int) -> str:
    """Return what the removal of a key changes for one query, with {query}, {key} and {most} for their words.

    `weights` are those before the removal, `rest` those after it.
    """
    weight, effect, most = weights[key], effects[key], effects.max()
    told = f"In head {head + 1}, {{query}} gives {{key}} an attention weight of {number(weight)}."
    change = f"the output for {{query}} changes by **{number(effect)}**."
    if weight == 0:
        told += f" Its removal frees no weight, so {change}"
    elif not rest.any():
        return f"{told} Remove {{key}} and no key is left, so {change}"
    else:
        told += f" Remove {{key}} and its weight goes to the other keys, so {change}"
    if most < VISIBLE:
        return f"{told} No removal changes it by {VISIBLE} or more."
    return f"{told} Removing {{most}} changes it most, by {number(most)}."


def offer_top_key(page: Page, scene: HeadScene, effects: Array) -> None:
    """Say which key has the largest weight of its row and the smallest effect, with a button that leads there."""
    labels = scene.labels
    idle = page.recipe.run("idle", find_unneeded_top_key, scene.attention.weights, effects)
    if idle.effect_share > 0.9995:  # it would be called 100.0 %
        page.write("Here, in every row of every head, the key with the largest weight also has the largest effect.")
        return
    query, key = labels[idle.query], labels[idle.key]
    with st.container(horizontal=True, vertical_alignment="center"):
        page.write(
            Markup(
                "In head {}, {} → {} has the largest weight of its row, {}, and {} % of the largest effect there."
            ).format(idle.head + 1, quoted(query), quoted(key), number(idle.weight), number(100 * idle.effect_share, 1))
        )
        there = {"head": str(idle.head + 1), "q": query, "k": key}
        put_button(page, "Show it", there, "idle", ":material/arrow_forward:")


def asked_place(weights: Array, effects: Array, variant: int) -> tuple[int, int]:
    """Return the head and the row that is asked about, first those whose top key has the smallest effect."""
    rows = idle_rows(weights, effects).tolist()
    several = [pair for pair in rows if may_be_missed(weights[*pair])]
    rows = [pair for pair in several if effects[*pair].max() > 10 * VISIBLE] or several or rows
    head, row = rows[variant % min(MOST_ROWS, len(rows))]
    return head, row


def may_be_missed(weights: Array) -> bool:
    """Return whether one key has the largest weight as it is shown; of one or two keys, it must matter most."""
    return np.count_nonzero(weights) > 2 and largest(weights).is_one


def missed_question(weights: Array, effects: Array, labels: list[str], head: int, row: int) -> Choice | None:
    """Ask whether the key with the largest weight of a row must have the largest effect."""
    own, moves = weights[head, row], effects[head, row]
    if not may_be_missed(own):
        return None
    top, best = int(own.argmax()), int(moves.argmax())
    text = prose(
        f"In head {head + 1}, {{word}} has its largest weight, {number(own[top])}, on the key {{top}}. Must the "
        "removal of {top} change the output most?",
        word=labels[row],
        top=labels[top],
    )
    options = ("Yes, its weight is the largest", "No, it also depends on the values", "No, weights never matter")
    why = Markup("Here removing {} changes the output by {}").format(quoted(labels[top]), number(moves[top]))
    if moves[best] - moves[top] > VISIBLE:
        why += Markup(", and removing {} by {}").format(quoted(labels[best]), number(moves[best]))
    why += ". The weight of a removed key goes to the other keys. If their values are similar, little changes."
    mistakes = (
        "If its value is close to the average of the other values, the output hardly changes.",
        "",
        "A key with weight 0 adds nothing. So weights do matter.",
    )
    return Choice("missed", text, options, (1,), why, mistakes)
