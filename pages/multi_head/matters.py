"""How much a key matters: its weight, its contribution and the effect of its removal."""

from dataclasses import replace

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.experiments.multi_head.head_parts import find_unneeded_top_key, idle_rows, remove_key
from attention_core.experiments.scaling.head_metrics import contributions, removal_effects
from pages.charts.chart import limit_of, rung
from pages.charts.heatmap import CLICK, SMALL, Axes, heatmap, outline, scale
from pages.look import thumbnails
from pages.look.colours import KEY, QUERY
from pages.look.html import number, prose, table, typed
from pages.look.sentences import first_query
from pages.multi_head.common import FINEST, attention_of_head, choose_head, given_numbers
from pages.multi_head.predictions import draw_prediction
from pages.multi_head.scene import HeadScene, optional
from pages.page.canvas import ChosenCell
from pages.page.fields.buttons import put_button
from pages.page.page import Page
from pages.page.questions.kinds import Choice
from pages.page.steps import Step

STEP = Step(
    "effect",
    "The largest weight need not matter most",
    "Compare three maps of one head: the weight, what each key contributes, and how much the output changes when this "
    "head loses the key.",
    asks="Which key matters most?",
    then="An attention weight is not importance. Of these maps, only the effect is evidence of a cause, because there "
    "a key is removed. Remove a key or a head.",
    words="gone",
)

MOST_ROWS = 6  # about which is asked
VISIBLE = 0.005  # what two effects must differ by to be told apart as they are shown


def draw(page: Page, scene: HeadScene) -> bool:
    """Show weight, contribution and effect of every key as three maps, and what the trained model then predicts."""
    a, labels, run = scene.attention, scene.labels, page.recipe.run
    effects = run("effects", removal_effects, a.q, a.k, a.v, scene.heads.w_o, *optional(scene.blocked))

    def make(variant: int) -> Choice:
        return missed_question(a.weights, effects, labels, *asked_place(a.weights, effects, variant))

    question = page.question("missed", make)
    asked_head, asked_row = asked_place(a.weights, effects, page.variant("missed"))

    def show_asked() -> None:
        top = int(a.weights[asked_head, asked_row].argmax())
        page.controls.put(head=str(asked_head + 1), q=labels[asked_row], k=labels[top])

    if not page.ask(question, then=show_asked):
        return False
    added = run("added", contributions, a.weights, a.v, scene.heads.w_o)
    usual_cell = (first_query(labels), 1)
    if scene.kind == "trained":  # whose largest weights mostly matter most: this row is one that shows the claim
        usual_head, usual_row = asked_place(a.weights, effects, 0)
        usual_cell = (usual_row, int(a.weights[usual_head, usual_row].argmax()))
        scene = scene if scene.head is not None else replace(scene, head=usual_head)
    head = choose_head(page, scene)
    cell = ChosenCell(page.controls, labels, labels, usual_cell)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        row, column = cell.fields()
        gone = page.controls.switch("gone", "Remove this key")
    own = attention_of_head(page, a, head)
    usual = rung(0.75 * scene.d_head**0.5)
    limit = usual if scene.is_random else max(limit_of(added[head], FINEST), limit_of(effects[head], FINEST))
    without = run("without", remove_key, own, column)
    page.prints(f"effect of {labels[column]} on the output of {labels[row]}", effects, head, row, column)
    maps = (
        ("weight", "The attention weights of this head.", without.weights if gone else own.weights, None),
        ("contribution", "Attention weight times the length (norm) of v W_O.", added[head], limit),
        ("effect", "Length (norm) of the change of the output if this key is removed.", effects[head], limit),
    )
    grid = st.grid(3, min_column_width=210, gap="small")
    for name, sentence, values, end in maps:
        with grid.cell(), st.container(gap="xsmall"):
            page.head("weight, key removed" if name == "weight" and gone else name)
            chart = heatmap(
                values,
                labels,
                labels,
                Axes("query", "key", name, QUERY, KEY, words=True),
                scale(end, amounts=end is not None),
                outline(row, column),
                name == "weight" and CLICK,
                SMALL,
                name=name,
                sentence=sentence,
            )
            pick = cell.choose if name == "weight" else None
            page.show(chart, pick)
    page.say(
        removal_sentence(own.weights[row], without.weights[row], effects[head, row], column, head),
        "",
        query=labels[row],
        key=labels[column],
        most=labels[int(effects[head, row].argmax())],
    )
    left, right = st.columns(2, gap="medium") if scene.kind == "trained" else (st.container(), None)
    with left:
        page.head(Markup("row of {}").format(typed(labels[row])))
        lines = [
            (typed(label), number(own.weights[row, i]), number(added[head, row, i]), number(effects[head, row, i]))
            for i, label in enumerate(labels)
        ]
        page.write(table(("key", "weight", "contribution", "effect"), lines, bold=column))
        page.write(
            f"Contribution and effect are lengths (norms) of vectors that head {head + 1} writes: what a key adds, and "
            f"what changes without it. {scene.origin}",
            "note",
        )
    if right:
        with right:
            draw_prediction(page, scene, head, row, column if gone else None)
    offer_top_key(page, scene, effects)
    return True


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


def thumbnail(scene: HeadScene) -> Markup:
    attention = scene.attention
    return thumbnails.thumbnail(contributions(attention.weights, attention.v, scene.heads.w_o)[0], None)


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
                "The largest weight of a row need not have the largest effect: head {}, {} → {}. The weight {} is the "
                "largest of its row, but its effect is {} % of the largest effect there."
            ).format(idle.head + 1, typed(query), typed(key), number(idle.weight), number(100 * idle.effect_share, 1))
        )
        there = {"head": str(idle.head + 1), "q": query, "k": key}
        put_button(page, "Show it", there, "idle", ":material/arrow_forward:")


def asked_place(weights: Array, effects: Array, variant: int) -> tuple[int, int]:
    """Return the head and the row that is asked about, first those whose top key has the smallest effect."""
    rows = idle_rows(weights, effects).tolist()
    rows = [pair for pair in rows if effects[*pair].max() > 10 * VISIBLE] or rows
    head, row = rows[variant % min(MOST_ROWS, len(rows))]
    return head, row


def missed_question(weights: Array, effects: Array, labels: list[str], head: int, row: int) -> Choice:
    """Ask which key of a row of a head matters most."""
    own, moves = weights[head, row], effects[head, row]
    several = np.count_nonzero(own) > 1
    then = "its weight goes to the other keys" if several else "no key is left"
    beside = " Beside each: the distance of its v W_O from the weighted average of the others." if several else ""
    text = prose(
        f"In head {head + 1}, {{word}} has these attention weights.{beside} If you remove a key there, {then}. Which "
        "removal changes the output most?",
        word=labels[row],
    )
    text += given_numbers(
        f"{label} {number(weight)}" + (f", distance {number(move / weight)}" if several else "")
        for label, weight, move in zip(labels, own, moves, strict=True)
        if weight >= VISIBLE
    )
    right = tuple(i for i, move in enumerate(moves) if move > moves.max() - VISIBLE)
    most = Markup(" or ").join(typed(labels[i]) for i in right)
    why = Markup("Removing {} changes the output most, by {}.").format(most, number(moves.max()))
    top, best = int(own.argmax()), int(moves.argmax())
    if several and own[best]:
        shown = (best,) if top in right else (best, top)
        products = (
            Markup("{}: {} · {} ≈ {}").format(typed(labels[i]), *map(number, (own[i], moves[i] / own[i], moves[i])))
            for i in shown
        )
        why += Markup(" The change is weight × distance. {}.").format(Markup("; ").join(products))
    mistakes = []
    for weight, move in zip(own, moves, strict=True):
        if weight >= own[list(right)].max():
            mistakes.append(
                "You chose by weight. But the value of this key is closer to the weighted average of the others."
            )
        elif weight == 0:
            mistakes.append("You chose a key with weight 0. It adds nothing, so its removal changes nothing.")
        else:
            mistakes.append(
                f"Its weight is {number(weight)}, but its removal changes the output by only {number(move)}."
            )
    return Choice("missed", text, tuple(labels), right, why, tuple(mistakes))
