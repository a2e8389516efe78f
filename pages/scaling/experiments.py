"""What a student tries in the lesson on scaling: one table closely, claims, the wrong width, switches, constants."""

import math

import streamlit as st

from attention_core.arrays import Array
from attention_core.draws import (
    BLOCK,
    MOST,
    WIDTHS,
    divided,
    divisor,
    one_draw,
    one_table,
    products_of_many,
    theory,
    tried,
)
from attention_core.measures import entropy_share, jacobian_norm, softmax_jacobian
from attention_core.overflow import remedies
from attention_core.softmax import exponentials, softmax
from attention_core.what_if import added_to_column, added_to_row, dot_products, moved, softmax_at
from pages.scaling.claims import LENGTH, Claim, of_one, verdict
from pages.scaling.questions import claim_question, constant_question, d_v_question, two_question
from pages.scaling.views import (
    bell,
    board,
    claim_lines,
    marked,
    prepare,
    short,
    slopes,
    way_of,
    weight_card,
    weights_map,
)
from pages.shared.frame import Page
from pages.shared.markup import number

EXPERIMENTS = ("add to a row", "add to a column", "multiply all")
FACTORS = {"¼": 0.25, "½": 0.5, "1": 1.0, "2": 2.0, "4": 4.0}
ENOUGH = 1000  # draws: a question is about what happens on average, so a few would not do


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


def one_table_closely(page: Page, named: str, d_k: int, length: int, n_draws: int, seed: int, origin: str) -> bool:
    """Show the scores of many draws as a histogram, and beside it what softmax makes of the first."""
    run, by = page.recipe.run, divisor(named, d_k)
    products = first_table(page, d_k, length, seed)
    scores = run("scores", divided, products, by)
    powers = run("powers", exponentials, scores)
    weights = run("weights", softmax, scores)
    many = run("many", divided, run("many_products", products_of_many, d_k, length, seed, min(n_draws, BLOCK)), by)
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
        opened = float(entropy_share(weights).mean())
        said = f"The first draw. Largest weight {number(weights.max())}; its rows have {opened:.0%} of all entropy."
        picture = weights_map(weights, "weights", said, (row, column), sums="rows", clickable=True)
        page.show(picture, lambda i, j: page.controls.put(q=i + 1, k=j + 1), note=origin)
    return True


def slopes_of_one_row(page: Page, products: Array, named: str, d_k: int) -> None:
    """Show the weights of the first draw, and how those of one row move with its scores."""
    weights = page.recipe.run("weights", softmax_at, products, divisor(named, d_k))
    jacobian = page.recipe.run("slopes", softmax_jacobian, weights)
    norms = page.recipe.run("norms", jacobian_norm, weights)
    page.say("**One row closely.** Choose a row of the first draw; beside it stand its slopes.", "")
    row = row_field(page, len(weights))
    left, right = st.columns(2, gap="medium")
    with left:
        said = f"The first draw at d_k = {d_k}, divided by {named}. Row q{row + 1} is outlined."
        page.show(weights_map(weights, "weights of one draw", said, (row, None), small=True, sums="rows"))
    with right:
        page.show(slopes(jacobian[row], row, float(norms[row]), named))


def try_claim(page: Page, claim: Claim, n_draws: int, seed: int, origin: str) -> bool:
    """Put a claim to the test: first a guess, then one draw against many, then what they say."""
    page.say(f"**Claim.** {claim.text} Tables of {LENGTH} queries and {LENGTH} keys, as in the tutorials.", "ask")
    tested = (claim.measure, claim.divisor, claim.rises, claim.widths, LENGTH)
    prepare(claim.widths, LENGTH, max(n_draws, ENOUGH), seed)
    asked = tried(*tested, max(n_draws, ENOUGH), seed)
    if not page.ask(claim_question(claim, asked, page.variant(f"claim_{claim.name}"))):
        return False
    controls = page.controls
    trial = page.recipe.run("trial", tried, *tested, n_draws, seed)
    left, right = st.columns([1.18, 1], gap="medium")
    with right:
        with st.container(border=True):
            page.say(verdict(trial, claim), "")
        with st.container(horizontal=True, vertical_alignment="bottom"):
            draw = controls.whole("draw", "One draw, number", 1, MOST, 1, width=150)
            st.button(
                "Draw again",
                icon=":material/casino:",
                key="scaling_again",
                disabled="draw" in controls.locked,
                on_click=controls.put,
                kwargs={"draw": draw % MOST + 1},
            )
        single = page.recipe.run("single", one_draw, claim.measure, claim.divisor, claim.widths, LENGTH, seed, draw - 1)
        page.write(of_one(single, trial, claim), "note")
    with left:
        values = ", ".join(f"{number(value)} at {width}" for value, width in zip(single, claim.widths, strict=True))
        said = f"Draw {draw}: {values}. The band holds eight draws in ten."
        page.show(claim_lines(claim.widths, trial, single, 1 / LENGTH, draw, said), note=origin)
    return True


def wrong_width(page: Page, d_k: int, length: int, seed: int, origin: str) -> bool:
    """Divide by the root of d_v beside the root of d_k."""
    d_v = int(page.controls.dial("d_v", "d_v, the width of v", [str(width) for width in WIDTHS], "64", width=300))
    if not page.ask(d_v_question(d_k, page.variant("d_v"))):
        return False
    products = first_table(page, d_k, length, seed)
    good = page.recipe.run("good", softmax_at, products, divisor("√d_k", d_k))
    bad = page.recipe.run("bad", softmax_at, products, divisor("√d_k", d_v))
    found = moved(good, bad)
    left, right = st.columns(2, gap="medium")
    with left:
        said = f"Divided by √d_k = √{d_k}: scores of variance 1. Largest weight {number(good.max())}."
        page.show(weights_map(good, "divided by the root of d_k", said, sums="rows"))
    with right:
        said = (
            f"Divided by √d_v = √{d_v}: scores of variance {short(d_k / d_v)}. Largest weight {number(bad.max())}; "
            f"{int(found.sum())} of {found.size} weights differ from those beside."
        )
        page.show(weights_map(bad, "divided by the root of d_v", said, sums="rows"), note=origin)
    return True


def two_switches(page: Page, d_k: int, length: int, seed: int) -> bool:
    """Let the student switch two remedies on and off, and see which mends overflow and which saturation."""
    controls = page.controls
    products = first_table(page, d_k, length, seed)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        constant = controls.slider("add", "Added to every score of the row", -150, 150, 100, 10, width=300)
        row = row_field(page, length)
    found = page.recipe.run("found", remedies, products, row, float(constant), divisor("√d_k", d_k))
    if not page.ask(two_question(found, constant, d_k, page.variant("two"))):
        return False
    with st.container(horizontal=True):
        divide = controls.switch("divided", "Divide by √d_k")
        subtract = controls.switch("subtract", "Subtract the maximum")
    names = marked("k", length)
    left, right = st.columns([1.18, 1], gap="medium")
    with left:
        page.write(board(found, divide, subtract, names))
        page.write("Reckoned in 32 bits, as models do: the largest power that fits is e to the 88.7.", "note")
    with right, st.container(border=True):
        page.write(way_of(found[2 * subtract + divide], names, subtract))
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
                said, cell = f"{number(amount, 1)} was added to every score of row q{row + 1}.", (row, None)
            else:
                column = column_field(page, length)
                changed = run("changed", added_to_column, scores, column, amount)
                said, cell = f"{number(amount, 1)} was added to every score of column k{column + 1}.", (None, column)
    after = run("after", softmax, changed)
    found = moved(weights, after)
    left, right = st.columns(2, gap="medium")
    with left:
        page.show(weights_map(weights, "before", "The weights before.", cell, sums="rows"), note=origin)
    with right:
        said += f" {int(found.sum())} of {found.size} weights have moved."
        page.show(weights_map(after, "after", said, cell, sums="rows", moved=found))
    page.write(
        "Every power is divided by the sum of its row. What was added to all scores of a row multiplies each power and "
        "their sum alike, and cancels; what was added to a column is another thing for every row.",
        "note",
    )
    return True
