"""One table of queries and keys closely: its scores, its weights, their slopes, the wrong width, constants."""

import math

import numpy as np
import streamlit as st

from attention_core.arrays import Array
from attention_core.equations.softmax import Exponentials, exponentials, softmax
from attention_core.experiments.head_metrics import jacobian_norm, softmax_jacobian
from attention_core.experiments.perturb import added_to_column, added_to_row, dot_products, moved, softmax_at
from attention_core.experiments.random_scores import (
    BLOCK,
    divided,
    divisor,
    normal_density,
    one_table,
    products_of_many,
    theory,
)
from pages.charts.chart import Chart
from pages.charts.heatmap import ATTENTION_AXES, Axes, heatmap
from pages.charts.histogram import histogram
from pages.look import cards
from pages.look.html import number
from pages.page.page import Page
from pages.scaling.questions import constant_question, d_v_question

SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
BELL = 60.0  # the scores that a histogram has room for
JACOBIAN_AXES = Axes("weight", "score", "slope")
EXPERIMENTS = ("add to a row", "add to a column", "multiply all")
FACTORS = {"¼": 0.25, "½": 0.5, "1": 1.0, "2": 2.0, "4": 4.0}


def first_table(page: Page, d_k: int, length: int, seed: int) -> Array:
    """Return the products of the first draw."""
    table = page.recipe.run("table", one_table, d_k, length, seed, 0)
    return page.recipe.run("products", dot_products, table.q, table.k)


def row_field(page: Page, length: int) -> int:
    """Return which query is looked at, counted from 0."""
    return min(page.controls.whole("q", "Query · row", 1, 16, 1, width=150), length) - 1


def column_field(page: Page, length: int) -> int:
    """Return which key is looked at, counted from 0."""
    return min(page.controls.whole("k", "Key · column", 1, 16, 1, width=150), length) - 1


def one_table_closely(page: Page, named: str, d_k: int, length: int, seed: int, origin: str) -> bool:
    """Show the scores of many draws as a histogram, and beside it what softmax makes of the first."""
    run, by = page.recipe.run, divisor(named, d_k)
    products = first_table(page, d_k, length, seed)
    scores = run("scores", divided, products, by)
    powers = run("powers", exponentials, scores)
    weights = run("weights", softmax, scores)
    many = run("many", divided, run("many_products", products_of_many, d_k, length, seed, BLOCK), by)
    left, right = st.columns([1, 1.18], gap="medium")
    with left:
        histogram = st.container()
        card = st.container(border=True)
        with st.container(horizontal=True):
            row, column = row_field(page, length), column_field(page, length)
    with histogram:
        (variance,) = run("variance", theory, named, (d_k,))
        deviation = math.sqrt(variance)
        note = "" if d_k > 2 else "The bell is a law of long sums: a sum of one or two products is more peaked."
        page.show(bell(many, deviation, named, d_k), note=note)
    with card:
        page.write(weight_card(products, scores, powers, weights, row, column, f"÷ {number(by)}"))
    with right:
        said = f"The weights of the first draw; the largest is {number(weights.max())}."
        picture = weights_map(weights, "weights", said, (row, column), sums="rows", clickable=True)
        page.show(picture, lambda i, j: page.controls.put(q=i + 1, k=j + 1), note=origin)
    return True


def bell(scores: Array, deviation: float, named: str, d_k: int) -> Chart:
    """Return where the scores of many draws lie, and where the theory says that they should."""
    at = np.linspace(-BELL, BELL, 601)
    outside = float((np.abs(scores) > BELL).mean())
    said = (
        f"{number(scores.size, 0)} scores at d_k = {d_k}, divided by {named}. Their standard deviation, the "
        f"root of the variance, should be {short(deviation)}; it is {short(float(scores.std()))}."
    )
    if outside:
        said += f" {outside:.1%} lie further out and are counted at the ends."
    return histogram(
        scores,
        low=-BELL,
        high=BELL,
        n_bins=120,
        y_max=0.55,
        x_title="score" if named == "nothing" else f"score ÷ {named}",
        y_title="share of scores",
        name="scores",
        sentence=said,
        theory=(at, normal_density(at, deviation)),
    )


def weight_card(
    products: Array, scores: Array, powers: Exponentials, weights: Array, row: int, column: int, by: str
) -> str:
    """Return how one product became a weight."""
    place = (row, column)
    shift = float(powers.shift[row, 0])
    lines = [("sum", "q · k", products[place]), (by, "scaled score", scores[place])]
    if shift:
        lines.append((f"− {number(shift)}", "the row’s maximum", scores[place] - shift))
    lines.append((f"e<sup>{number(scores[place] - shift)}</sup>", "", powers.values[place]))
    lines.append(("÷ row sum", "", powers.sums[row, 0]))
    asks, answers = (
        f'<b class="{role}">{name}</b>'
        for role, name in (("query", marked("q", row + 1)[-1]), ("key", marked("k", column + 1)[-1]))
    )
    title = f"How {asks} → {answers} became {number(weights[place])}"
    return cards.card(title, cards.chain(*lines, ("weight", "", weights[place])))


def slopes_of_one_row(page: Page, products: Array, named: str, d_k: int) -> None:
    """Show the weights of the first draw, and how those of one row move with its scores."""
    weights = page.recipe.run("weights", softmax_at, products, divisor(named, d_k))
    jacobian = page.recipe.run("slopes", softmax_jacobian, weights)
    norms = page.recipe.run("norms", jacobian_norm, weights)
    page.say("**One row closely.** Choose a row of the first draw; beside it stand its slopes.", "")
    length = len(weights)
    row = row_field(page, length)
    left, right = st.columns(2, gap="medium")
    with left:
        said = f"The first draw at d_k = {d_k}, divided by {named}. Row {marked('q', length)[row]} is outlined."
        page.show(weights_map(weights, "weights of one draw", said, (row, None), small=True, sums="rows"))
    with right:
        page.show(slopes(jacobian[row], row, float(norms[row])))


def slopes(jacobian: Array, row: int, norm: float) -> Chart:
    """Return how each weight of one row moves when a score does."""
    length = len(jacobian)
    said = f"How fast each weight of row {marked('q', row + 1)[-1]} moves with each score. Norm {short(norm, 3)}."
    labels = marked("k", length)
    return heatmap(jacobian, labels, labels, JACOBIAN_AXES, name="slopes", sentence=said, limit=0.25, small=True)


def wrong_width(page: Page, d_k: int, d_v: int, length: int, seed: int, origin: str) -> bool:
    """Divide by the root of d_v beside the root of d_k."""
    if not page.ask(d_v_question(d_k, page.variant("d_v"))):
        return False
    products = first_table(page, d_k, length, seed)
    good = page.recipe.run("good", softmax_at, products, divisor("√d_k", d_k))
    bad = page.recipe.run("bad", softmax_at, products, divisor("√d_k", d_v))
    found = moved(good, bad)
    left, right = st.columns(2, gap="medium")
    with left:
        said = f"Divided by √d_k = √{d_k}: scaled scores of variance 1. Largest weight {number(good.max())}."
        page.show(weights_map(good, "divided by the root of d_k", said, sums="rows"))
    with right:
        said = (
            f"Divided by √d_v = √{d_v}: scaled scores of variance {d_k / d_v:.4g}. Largest weight {number(bad.max())}; "
            f"{int(found.sum())} of {found.size} weights differ from those beside."
        )
        page.show(weights_map(bad, "divided by the root of d_v", said, sums="rows"), note=origin)
    return True


def constants(page: Page, d_k: int, length: int, seed: int, origin: str) -> bool:
    """Let the student add to a row, add to a column, or multiply, and outline every weight that moves."""
    run, controls = page.recipe.run, page.controls
    scores = run("scores", divided, first_table(page, d_k, length, seed), divisor("√d_k", d_k))
    weights = run("weights", softmax, scores)
    if not page.ask(constant_question(scores, weights, page.variant("constant"))):
        return False
    cell: tuple[int | None, int | None] = (None, None)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        what = controls.choice("experiment", "Try it", EXPERIMENTS, EXPERIMENTS[0])
        if what == EXPERIMENTS[2]:
            factor = controls.dial("times", "Every score times", tuple(FACTORS), "2", width=220)
            changed = run("changed", divided, scores, 1 / FACTORS[factor])
            said = f"Every score was multiplied by {factor}."
        else:
            amount = controls.slider("amount", "How much", -4.0, 4.0, 2.0, 0.5, width=220)
            if what == EXPERIMENTS[0]:
                row = row_field(page, length)
                changed = run("changed", added_to_row, scores, row, amount)
                said, cell = (
                    f"{number(amount, 1)} was added to every score of row {marked('q', row + 1)[-1]}.",
                    (row, None),
                )
            else:
                column = column_field(page, length)
                changed = run("changed", added_to_column, scores, column, amount)
                place = marked("k", column + 1)[-1]
                said, cell = f"{number(amount, 1)} was added to every score of column {place}.", (None, column)
    after = run("after", softmax, changed)
    found = moved(weights, after)
    left, right = st.columns(2, gap="medium")
    with left:
        page.show(weights_map(weights, "before", "The weights before.", cell, sums="rows"), note=origin)
    with right:
        said += f" {int(found.sum())} of {found.size} weights have moved."
        page.show(weights_map(after, "after", said, cell, sums="rows", moved=found))
    page.write(
        "What is added to all scores of a row multiplies every power and their sum alike, and cancels. Added to a "
        "column, it moves one key of each row against the others; a factor stretches every difference.",
        "note",
    )
    return True


def marked(letter: str, length: int) -> list[str]:
    """Return the names of queries or keys: q₁, q₂, …"""
    return [f"{letter}{i}".translate(SUBSCRIPTS) for i in range(1, length + 1)]


def weights_map(
    weights: Array, name: str, sentence: str, cell: tuple[int | None, int | None] = (None, None), **options: object
) -> Chart:
    """Return the weights of one draw: a row for each query, a column for each key."""
    rows, columns = marked("q", len(weights)), marked("k", weights.shape[-1])
    return heatmap(weights, rows, columns, ATTENTION_AXES, name=name, sentence=sentence, chosen=cell, **options)


def short(value: float, digits: int = 2) -> str:
    """Return a number of any size with few digits."""
    if value >= 100:
        return number(value, 0)
    return number(value, digits) if value >= 0.095 or value < 5e-5 else f"{value:#.2g}"
