"""The same scores masked in four ways, two of them mistakes."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.experiments.dependence import weight_on_blocked
from attention_core.experiments.wrong_on_purpose import (
    softmax_of_zeroed_scores,
    zero_after_softmax,
    zero_and_renormalise,
)
from attention_core.rows import largest_difference
from pages.causal_mask.common import chosen_cell, drawn, picker
from pages.causal_mask.scene import Masked
from pages.charts.chart import Chart
from pages.charts.heatmap import attention_heatmap
from pages.look import cards, thumbnails
from pages.look.html import in_role, number, prose, table, tiny
from pages.page.page import Page
from pages.page.questions import Choice, Mistake, Number
from pages.page.steps import Step

STEP = Step(
    "ways",
    "Hide first, then softmax",
    "The same scores, masked in four ways. All four run; two give the same numbers and two are mistakes. "
    "Guess before you look; then click a cell of the first map, and follow it in all four.",
)


def draw(page: Page, scene: Masked) -> bool:
    """Mask the same scores in four ways."""
    run, scores, blocked = page.recipe.run, scene.plain.scores, scene.blocked
    ways = {
        "−∞ before softmax": scene.masked.weights,
        "scores × 0 or 1": run("multiplied", softmax_of_zeroed_scores, scores, blocked),
        "0 after softmax": run("zeroed", zero_after_softmax, scores, blocked),
        "0 after, divided again": run("divided", zero_and_renormalise, scores, blocked),
    }
    names = list(ways)
    ready = page.ask(multiplied_question(scene, page.variant("multiplied")))
    pictures: list[tuple[str, ...]] = [(names[0], names[1])] if ready else [(names[0],)]
    rows = [st.container()]
    more = ready and page.ask(sums_question(scene, page.variant("sums")))
    if more:
        pictures.append((names[2], names[3]))
        rows.append(st.container())
    below = st.container()
    row, column = chosen_cell(page, scene)
    for place, pair in zip(rows, pictures, strict=True):
        with place:
            for cell, name in zip(st.columns(2, gap="medium"), pair, strict=False):
                with cell:
                    page.head(name)
                    click = picker(page, scene) if name == names[0] else None
                    whose = scene.origin if name == names[0] else ""
                    page.show(way_map(scene, ways[name], name, row, column, click is not None), click, note=whose)
    if more:
        gap = largest_difference(ways[names[3]], ways[names[0]], list(scene.place))
        with below, st.container(border=True):
            page.write(ways_table(scene, ways, row, column))
        page.say(
            "Zeroing after softmax and dividing again is the mask before softmax by a longer way: the sum of all keys "
            "cancels. The other two are mistakes, and both run without complaint.",
            "",
        )
        told = Markup("Largest difference between −∞ before softmax and dividing again: {}.")
        page.write(told.format(tiny(gap)), "note")
    return ready


def thumbnail(scene: Masked) -> Markup:
    """Return the small picture of the step."""
    return thumbnails.thumbnail(zero_after_softmax(scene.plain.scores, scene.blocked), None)


def way_map(scene: Masked, weights: Array, name: str, row: int, column: int, clickable: bool) -> Chart:
    """Return the weights of one way to mask, and how much of them lies where nothing should."""
    sums = weights.sum(axis=1)
    on_hidden = float(weight_on_blocked(weights, scene.blocked).max(initial=0))
    sentence = f"Rows sum to {span(sums)}. On hidden keys: " + (
        (f"up to {number(on_hidden)} of a row." if on_hidden >= 0.005 else "less than 0.01 of a row.")
        if on_hidden
        else "nothing."
    )
    leaks = scene.blocked & (weights > 0)
    return attention_heatmap(
        weights,
        scene.labels,
        name=name,
        sentence=sentence,
        chosen=(row, column),
        small=True,
        clickable=clickable,
        hidden=scene.blocked & ~leaks,
        moved=leaks,
    )


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
        "softmax sees": ["−∞" if blocked else score, number(0) if blocked else score, score, score],
        "softmax gives": [first, times, plain, plain],
        "afterwards": [
            "",
            "",
            f"× {0 if blocked else 1}",
            Markup("× {}, ÷ {}").format(0 if blocked else 1, tiny(left))
            if left
            else "× 0, and nothing is left to divide",
        ],
        "weight": [number(float(weights[row, column])) for weights in ways.values()],
        "the row sums to": [number(float(weights[row].sum())) for weights in ways.values()],
        "of that, on hidden keys": [
            number(float(weight_on_blocked(weights, scene.blocked)[row])) for weights in ways.values()
        ],
    }
    title = Markup("{} → {}, {}, in four ways").format(
        in_role(scene.labels[row], "query"), in_role(scene.labels[column], "key"), "hidden" if blocked else "allowed"
    )
    lines = [(name, *cells) for name, cells in rows.items()]
    return cards.card(title, table(("", *ways), lines, bold=list(rows).index("weight")))


def multiplied_question(scene: Masked, variant: int) -> Choice:
    """Ask what multiplying scores by 0 and 1 leaves on the hidden keys."""
    spoilt = softmax_of_zeroed_scores(scene.plain.scores, scene.blocked)
    shares = weight_on_blocked(spoilt, scene.blocked)
    usual = weight_on_blocked(scene.plain.weights, scene.blocked)
    clear = np.flatnonzero(abs(shares - usual) > 0.02)
    hides = np.flatnonzero(scene.blocked.any(axis=1) & ~scene.blocked.all(axis=1))
    row = drawn(variant, 2, clear if len(clear) else hides if len(hides) else np.arange(len(scene.words)))
    share, before, n_hidden = float(shares[row]), float(usual[row]), int(scene.blocked[row].sum())
    text = prose(
        f"{{word}} may not look at {n_hidden} of the {len(scene.words)} words; without a mask they had "
        f"**{number(before)}** of its weight. Someone multiplies their scores by 0 and the others by 1, then takes "
        "softmax. How much of the row is on the hidden words then?",
        word=scene.labels[row],
    )
    options = ("Nothing", "Something, but less than without a mask", "As much as without a mask, or more")
    right = 0 if share == 0 else 1 if share < before else 2
    why = f"Each hidden word adds e⁰ = 1 to the sum of the row: together they get {number(share)} of it."
    if n_hidden == 0:
        why = "No word is hidden from this one, so nothing was multiplied by 0."
    reasons = [
        "A score of 0 is a score: it does not hide a word, it puts it in the middle.",
        "Their scores were below 0, and 0 is more: multiplying has raised their share.",
        "Their scores were above 0 on the whole, so 0 lowers their share, but it does not take it away.",
    ]
    reasons[right] = ""
    if n_hidden == 0:
        return Choice("multiplied", text, options, (0, 2), why, ("", "Nothing is less than nothing.", ""))
    return Choice("multiplied", text, options, (right,), why, tuple(reasons))


def sums_question(scene: Masked, variant: int) -> Number:
    """Ask what a row sums to when its hidden cells are set to 0 after softmax."""
    rows = np.flatnonzero(scene.blocked.any(axis=1) & ~scene.blocked.all(axis=1))
    if not len(rows):
        rows = np.arange(len(scene.words))
    row = drawn(variant, 4, rows)
    weights = zero_after_softmax(scene.plain.scores, scene.blocked)
    total, gone = float(weights[row].sum()), float(weight_on_blocked(scene.plain.weights, scene.blocked)[row])
    text = prose(
        "Now softmax first, over all words, and only then 0 into the hidden cells. In the row of {word} the hidden "
        f"words had **{number(gone)}** of the weight. What does the row sum to after that?",
        word=scene.labels[row],
    )
    why = f"1 − {number(gone)} = {number(total)}: what was taken away is missing."
    mistakes = (
        Mistake(1, "Softmax made a sum of 1 before the zeros came; nobody has divided again."),
        Mistake(gone, "That is what was taken away."),
        Mistake(0, "Only the hidden cells became 0."),
    )
    kept = tuple(mistake for mistake in mistakes if abs(mistake.value - total) > 0.02)
    return Number("sums", text, total, 0.02, why, kept, "")
