"""The same words in another order: what becomes of the outputs, without positions and with them."""

from functools import partial

import numpy as np
import streamlit as st

from attention_core.arrays import Array
from attention_core.experiments.qkv.perturb import changed_cells
from attention_core.rows import reorder
from pages.charts.heatmap import Axes, blank_map, frame, heatmap, scale
from pages.look.colours import QUERY
from pages.look.html import prose
from pages.page.page import Page
from pages.page.steps import Step
from pages.positional_encoding.common import HEAD, attend_with_positions, head_over
from pages.positional_encoding.scene import PositionScene
from pages.questions.kinds import Choice

STEP = Step(
    "order",
    "Without positions or a mask, attention ignores word order",
    "“Dog bites man” and “man bites dog” have the same words. One head with random matrices reads two "
    "orders. You may know this from lesson 4.",
    asks="Does attention know who bites whom?",
    then="The head itself does not use the position of a word, so its outputs do not tell who bites. Now switch on "
    "*Add positions*.",
    experiment="other told",
)

EXAMPLE = ["dog", "bites", "man"]
ORDERS = ("man bites dog", "man dog bites", "bites dog man", "bites man dog", "dog man bites")
OUTPUT_AXES = Axes("query", "entry", "output", row_colour=QUERY)
COLUMNS = [str(j) for j in range(HEAD)]


def draw(page: Page, scene: PositionScene) -> bool:
    """Show the outputs for three words, and for the same words in another order, without positions and with them."""
    run, scene = page.recipe.run, scene._replace(words=EXAMPLE, labels=EXAMPLE, kind="none")
    with page.fields:
        other = page.controls.select("other", "Other order", ORDERS, ORDERS[0], width=180)
        slot = st.container()
    place = st.container()
    there = other.split()
    order = page.recipe.given("order", np.array([EXAMPLE.index(word) for word in there]))
    answered = page.ask(page.question("order", partial(order_question, order)))
    if answered:
        with slot:
            if page.controls.switch("told", "Add positions"):
                scene = scene._replace(kind="sinusoidal")
    x, head = head_over(page, scene)
    before = attend_with_positions(page, "before", x, head, scene).output
    with place:
        left, right = st.columns(2, gap="medium")
    with left:
        page.head("Output", f"· {' '.join(EXAMPLE)}")
        told = "A row for each word, in the order of the words."
        page.show(heatmap(before, EXAMPLE, COLUMNS, OUTPUT_AXES, scale(4.0), name="output", sentence=told))
    with right:
        page.head("Output", f"· {other}")
        if not answered:
            asked, told = asked_row(order, page.variant("order")), "The same head reads the other order."
            chart = blank_map(
                there, COLUMNS, OUTPUT_AXES, scale(4.0), name="shuffled", sentence=told, asked=(asked, None)
            )
            page.show(chart)
            return False
        after = attend_with_positions(page, "after", run("shuffled", reorder, x, order), head, scene).output
        expected = run("expected", reorder, before, order)
        changed = frame(run("changed", changed_cells, expected, after))
        page.prints(f"output of {there[0]}, entry 1", after, 0, 0)
        told = "Outlined: numbers that the word does not have on the left."
        page.show(heatmap(after, there, COLUMNS, OUTPUT_AXES, scale(4.0), changed, name="shuffled", sentence=told))
    return True


def asked_row(order: Array, variant: int) -> int:
    elsewhere = np.flatnonzero(order != np.arange(len(order)))
    return int(elsewhere[variant % len(elsewhere)])


def order_question(order: Array, variant: int) -> Choice:
    """Ask what another order does to the output of one word that it moves, without a position encoding."""
    row = asked_row(order, variant)
    text = prose(
        "Without a mask and positions, what happens to the output of {word} if the words come in the other order?",
        word=EXAMPLE[order[row]],
    )
    why = "A score is the q · k of two words, and an output is a sum over all words. A sum has no order."
    right = "The same numbers, in another row"
    reasons = {
        "Other numbers": "The word has the same query as before, and meets the same keys and values.",
        "The same numbers, in the same row": "The word stands in another row now, and its output stands there too.",
    }
    return Choice.of("order", text, right, why, reasons, variant, place=(row, 0))
