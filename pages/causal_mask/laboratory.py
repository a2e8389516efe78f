"""The same scores masked in four ways, two of them mistakes."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.experiments.masks.dependence import weight_on_blocked
from attention_core.experiments.qkv.wrong_on_purpose import (
    softmax_of_zeroed_scores,
    zero_after_softmax,
    zero_and_renormalise,
)
from attention_core.rows import largest_difference
from pages.causal_mask.common import cell_of, first_masked, name_weight, varied
from pages.causal_mask.scene import Masked
from pages.charts.chart import Chart
from pages.charts.heatmap import (
    CLICK,
    NO_LEGEND,
    ROW_SUMS,
    SMALL,
    attention_heatmap,
    frame,
    hide,
    outline,
    write,
)
from pages.look import cards
from pages.look.html import in_role, number, prose, table, tiny
from pages.page.page import Page
from pages.page.questions.kinds import Choice, Mistake, Number
from pages.page.steps import Step

STEP = Step(
    "4 ways",
    "Mask first, then softmax",
    "Here the same scores are masked in four ways. All four run without an error, but two of them are wrong. Predict "
    "what they do, then click a cell of the first map and follow its attention weight through all four.",
    asks="What do four ways to mask do?",
)


def draw(page: Page, scene: Masked) -> bool:
    """Mask the same scores in four ways."""
    run, scores, blocked = page.recipe.run, scene.plain.scores, scene.blocked
    ways = {
        "−∞ before softmax": scene.masked.weights,
        "scores × 0 or 1": run("multiplied", softmax_of_zeroed_scores, scores, blocked),
        "0 after softmax": run("zeroed", zero_after_softmax, scores, blocked),
        "0 after, renormalised": run("divided", zero_and_renormalise, scores, blocked),
    }
    names = list(ways)
    multiplied = multiplied_question(scene, page.variant("multiplied"))
    summed = sums_question(scene, page.variant("sums"))
    cell = cell_of(page, scene)
    ready = page.ask(multiplied, then=lambda: cell.choose(*(multiplied.place or (0, 0))))
    more = ready and page.ask(summed, then=lambda: cell.choose(*(summed.place or (0, 0))))
    shown = names if more else names[:2] if ready else names[:1]
    cells = st.container()
    row, column = cell.fields()
    below = st.container()
    name_weight(page, scene, row, column)
    with cells:
        grid = st.grid(4 if more else 2, min_column_width=180, gap="small")
        for name in shown:
            with grid.cell():
                page.head(name)
                click = cell.choose if name == names[0] else None
                last = name == shown[-1]  # one legend for all
                chart = way_map(
                    scene, ways[name], name, row, column, clickable=click is not None, legend=last, numbers=not more
                )
                page.show(chart, click)
    page.write(scene.note, "note")
    if more:
        gap = largest_difference(ways[names[3]], ways[names[0]], list(scene.positions))
        with below, st.container(border=True):
            page.write(ways_table(scene, ways, row, column))
        page.say(
            "Set masked attention weights to 0 after softmax, then divide the row by its sum (renormalise it). This "
            "gives the same result as −∞ before softmax, because the sum over all keys cancels. The other two ways are "
            "wrong: a score of 0 does not block, and without renormalising a row loses the attention of its masked "
            "keys.",
            "",
        )
        told = Markup("Largest difference between −∞ before softmax and renormalising: {}.")
        page.write(told.format(tiny(gap)), "note")
    return ready


def way_map(
    scene: Masked, weights: Array, name: str, row: int, column: int, clickable: bool, legend: bool, numbers: bool
) -> Chart:
    """Return the attention weights of one way to mask, and how much of them is on masked keys.

    Four maps in a row leave no room for numbers in their cells: the table below has those of the chosen cell.
    """
    sums = weights.sum(axis=1)
    on_masked = float(weight_on_blocked(weights, scene.blocked).max(initial=0))
    sentence = f"Row sums: {span(sums)}. Masked keys get " + (
        (f"up to {number(on_masked)} of a row." if on_masked >= 0.005 else "less than 0.01 of a row.")
        if on_masked
        else "nothing."
    )
    leaks = scene.blocked & (weights > 0)
    layers = (
        ROW_SUMS,
        outline(row, column),
        frame(leaks),
        hide(scene.blocked & ~leaks),
        numbers or write(np.full(weights.shape, "", dtype=object)),
        clickable and CLICK,
        SMALL,
        legend or NO_LEGEND,
    )
    return attention_heatmap(weights, scene.labels, *layers, name=name, sentence=sentence)


def span(values: Array) -> str:
    """Return the smallest and the largest of some numbers, or one number where they look the same."""
    low, high = number(float(values.min())), number(float(values.max()))
    return low if low == high else f"between {low} and {high}"


def ways_table(scene: Masked, ways: dict[str, Array], row: int, column: int) -> Markup:
    """Return one cell in four ways, step by step."""
    blocked = bool(scene.blocked[row, column])
    score = number(float(scene.plain.scores[row, column]))
    plain = number(float(scene.plain.weights[row, column]))
    left = float(ways["0 after softmax"][row].sum())
    first, times, _, _ = (number(float(weights[row, column])) for weights in ways.values())
    rows = {
        "softmax reads": ["−∞" if blocked else score, number(0) if blocked else score, score, score],
        "softmax returns": [first, times, plain, plain],
        "afterwards": [
            "",
            "",
            f"× {0 if blocked else 1}",
            Markup("× {}, ÷ {}").format(0 if blocked else 1, tiny(left)) if left else "× 0, no key is left",
        ],
        "attention weight": [number(float(weights[row, column])) for weights in ways.values()],
        "sum of the row": [number(float(weights[row].sum())) for weights in ways.values()],
        "weight on masked keys": [
            number(float(weight_on_blocked(weights, scene.blocked)[row])) for weights in ways.values()
        ],
    }
    title = Markup("{} → {}, {}, in four ways").format(
        in_role(scene.labels[row], "query"), in_role(scene.labels[column], "key"), "masked" if blocked else "allowed"
    )
    lines = [(name, *cells) for name, cells in rows.items()]
    return cards.card(title, table(("", *ways), lines, bold=list(rows).index("attention weight"), folds=True))


def multiplied_question(scene: Masked, variant: int) -> Choice:
    """Ask what multiplying scores by 0 and 1 leaves on the masked keys."""
    multiplied = weight_on_blocked(softmax_of_zeroed_scores(scene.plain.scores, scene.blocked), scene.blocked)
    usual = weight_on_blocked(scene.plain.weights, scene.blocked)
    clear = np.flatnonzero(abs(multiplied - usual) > 0.02)
    partly = np.flatnonzero(scene.blocked.any(axis=1) & ~scene.blocked.all(axis=1))
    row = varied(variant, multiplied, clear if len(clear) else partly if len(partly) else np.arange(len(scene.words)))
    after, before, n_masked = float(multiplied[row]), float(usual[row]), int(scene.blocked[row].sum())
    text = prose(
        f"Without a mask, {{word}} gives **{number(before)}** of its attention to the words that the mask should block "
        f"({n_masked} of {len(scene.words)}). Now multiply their scores by 0, then apply softmax. How much do they "
        "get?",
        word=scene.labels[row],
    )
    options = ("Nothing", "Less than without a mask, but something", "As much as without a mask, or more")
    if n_masked == 0:
        why = "The mask blocks no word here, so no score is multiplied by 0."
        told = ("", "They are 0 words: they get nothing.", "")
        return Choice("multiplied", text, options, (0, 2), why, told, place=(row, row))
    right = 0 if after == 0 else 1 if after < before - 1e-9 else 2  # what rounding alone makes less is not less
    why = f"Each masked word still adds e⁰ = 1 to the sum of the row. Together they get {number(after)} of it."
    reasons = [
        "You thought that a score of 0 blocks a key. Only −∞ blocks, and 0 is an ordinary score.",
        "You expected 0 to lower their scores. Before, their exponentials were at most 1 on average; now each is 1.",
        "You kept their old scores. Before, their exponentials were above 1 on average; now each is only 1.",
    ]
    if n_masked == len(scene.words):
        reasons[1] = "Every word of this row is masked, so together they still have all the attention."
    return Choice("multiplied", text, options, (right,), why, tuple(reasons), place=(row, first_masked(scene, row)))


def sums_question(scene: Masked, variant: int) -> Number:
    """Ask what a row sums to when its masked cells are set to 0 after softmax."""
    rows = np.flatnonzero(scene.blocked.any(axis=1) & ~scene.blocked.all(axis=1))
    if not len(rows):
        rows = np.arange(len(scene.words))
    weights = zero_after_softmax(scene.plain.scores, scene.blocked)
    row = varied(variant, weights.sum(axis=1), rows)
    total, removed = float(weights[row].sum()), float(weight_on_blocked(scene.plain.weights, scene.blocked)[row])
    text = prose(
        "Now apply softmax to all words first, then set the masked cells to 0. In the row of {word}, the masked words "
        f"had **{number(removed)}** of the attention. What does the row sum to now?",
        word=scene.labels[row],
    )
    why = f"1 − {number(removed)} = {number(total)}: what the masked words had is missing."
    mistakes = (
        Mistake(1, "Softmax made the sum 1, but the zeros came later. No step renormalises the row."),
        Mistake(removed, "You gave what was removed. Subtract it from 1."),
        Mistake(0, "You set the whole row to 0. Only the masked cells become 0."),
    )
    close = min(0.02, max(total / 4, 0.006))  # a small sum is not taken for 0
    kept = tuple(mistake for mistake in mistakes if abs(mistake.value - total) > close)
    told, place = f"Subtract the {number(removed)} that was removed from 1.", (row, first_masked(scene, row))
    return Number("sums", text, total, close, why, kept, told, place=place)
