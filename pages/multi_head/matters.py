"""How much a key matters: its weight, its contribution and the effect of its removal."""

from dataclasses import replace

import numpy as np
from markupsafe import Markup, escape

from attention_core.arrays import Array
from attention_core.experiments.scaling.head_metrics import contributions, removal_effects
from pages.charts.chart import Chart
from pages.charts.heatmap import CLICK, Axes, heatmap, outline, shade, write
from pages.look.colours import KEY
from pages.look.facts import as_shown, largest, ordered
from pages.look.html import number, prose, quoted
from pages.look.sentences import first_query
from pages.multi_head.common import attention_of_head, choose_head, usual_head
from pages.multi_head.scene import HeadScene, optional
from pages.page.fields.chosen_cell import ChosenCell
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
    lent="head k q",
)

MEASURE_AXES = Axes("measure", "key", "number", column_colour=KEY, words=True)
MOST_ROWS = 6  # about which is asked
REMOVED = "A removed key leaves its weight to the other keys of the row. The effect says how far the output then moves."
ALONE = "The removed key is the only one of the row, so nothing is left of it."
OTHER = "The query here is {word}: {it} gives no clear example."
MISSED = (
    "In head {head}, the query {word} gives its largest weight, {weight}, to the key {top}. If {top} is removed, what "
    "decides how much the output changes?"
)


def draw(page: Page, scene: HeadScene) -> bool:
    """Show weight, contribution and effect of every key as three maps, and what the trained model then predicts."""
    a, labels, run = scene.attention, scene.labels, page.recipe.run
    effects = run("effects", removal_effects, a.q, a.k, a.v, scene.heads.w_o, *optional(scene.blocked))
    asks = first_query(labels)
    rows = missed_rows(a.weights, effects, asks)

    def make(variant: int) -> Choice | None:
        return missed_question(a.weights, effects, labels, *rows[variant % len(rows)], variant) if rows else None

    asked_head, asked_row = rows[page.variant("missed") % len(rows)] if rows else (usual_head(scene), len(labels) - 1)

    def show_asked() -> None:
        top = largest(a.weights[asked_head, asked_row]).first
        page.controls.put(head=str(asked_head + 1), q=labels[asked_row], k=labels[top])

    def blank() -> None:
        weights = a.weights[asked_head, asked_row]
        measures = {"weight": weights, **dict.fromkeys(("contribution", "effect"), np.full(len(labels), np.nan))}
        page.show(three_measures(measures, labels, None, "The two other measures stay blank."), note=scene.origin)
        if asks not in {row for _, row in rows}:
            page.say(OTHER, "note", word=labels[asked_row], it=labels[asks])

    page.may_claim &= len(labels) > 1
    if not (columns := page.ask_beside(page.question("missed", make), blank, then=show_asked)):
        return False
    added = run("added", contributions, a.weights, a.v, scene.heads.w_o)
    usual_cell = (asks, 1)
    if scene.kind == "trained" and rows:  # whose largest weights mostly matter most: this row shows the claim
        first, row = rows[0]
        usual_cell = (row, largest(a.weights[first, row]).first)
        scene = scene if scene.head is not None else replace(scene, head=first)
    cell = ChosenCell(page.controls, labels, labels, usual_cell, labels=("Query", "Key"))
    with page.fields:
        row, column = cell.fields()
    with columns[1]:
        head = choose_head(page, scene)
    own = attention_of_head(page, a, head)
    page.prints(f"effect of {labels[column]} on {labels[row]}", effects, head, row, column)
    measures = {"weight": own.weights[row], "contribution": added[head, row], "effect": effects[head, row]}
    chart = three_measures(measures, labels, column, REMOVED if len(labels) > 1 else ALONE)
    with columns[0]:
        page.show(chart, lambda _, key: page.controls.put(k=labels[key]), note=scene.origin)
    return True


def three_measures(measures: dict[str, Array], labels: list[str], column: int | None, told: str) -> Chart:
    """Return weight, contribution and effect of every key of a row; NaN is not told yet."""
    values = np.array([*measures.values()])
    texts = np.array([["?" if np.isnan(value) else number(value) for value in row] for row in values], dtype=object)
    known = as_shown(np.nan_to_num(values), 6)  # of rounding alone there is no colour
    colours = known / np.maximum(known.max(axis=1, keepdims=True), 1e-300)
    layers = shade(colours), write(texts), outline(None, column), CLICK
    return heatmap(values, [*measures], labels, MEASURE_AXES, *layers, name="measures", sentence=told)


def missed_rows(weights: Array, effects: Array, asks: int = -1) -> list[tuple[int, int]]:
    """Return the heads and rows in which the largest weight has not the largest effect.

    The plainest comes first, but before it those of the word that asks.
    """
    short = np.zeros(weights.shape[:2])  # what its effect lacks
    for head, row in np.ndindex(short.shape):
        top, most = largest(weights[head, row]), largest(effects[head, row])
        if top.is_one:
            short[head, row] = most.value - as_shown(effects[head, row, top.first])
    places = [divmod(place, len(short[0])) for place in ordered(short)[: int(np.count_nonzero(as_shown(short)))]]
    return sorted(places, key=lambda place: place[1] != asks)[:MOST_ROWS]


def missed_question(weights: Array, effects: Array, labels: list[str], head: int, row: int, variant: int) -> Choice:
    """Ask what the effect of the key with the largest weight of a row depends on, where another has a larger one."""
    own, best, moves = largest(weights[head, row]), largest(effects[head, row]), effects[head, row]
    top, best_key = labels[own.first], quoted(labels[best.first])
    text = prose(MISSED, head=escape(head + 1), word=labels[row], weight=escape(own.shown), top=top)
    why = Markup(
        "For that query, the effect of {} is {}, and that of {} is {}. The weight of a removed key goes to the other "
        "keys. If their values are similar, little changes."
    ).format(quoted(top), number(moves[own.first]), best_key, best.shown)
    right = "Its weight and all the values"
    wrong = {
        "Only its weight": "If its value is close to the average of the other values, the output hardly changes.",
        "Only its value": "A key with weight 0 adds nothing, whatever its value is.",
        "Its weight and its own value": "That is its contribution. But its weight then goes to the other keys.",
    }
    return Choice.of("missed", text, right, why, wrong, variant)
