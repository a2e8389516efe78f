"""The same words in another order: what becomes of the outputs, without positions and with them."""

import math
from functools import partial
from itertools import islice, permutations

import numpy as np
import streamlit as st

from attention_core.arrays import Array
from attention_core.experiments.qkv.perturb import changed_cells
from attention_core.rows import reorder
from attention_core.text.characters import LONGEST_WORD, split_words
from attention_core.text.word_vectors import position_labels
from pages.charts.heatmap import SMALL, Axes, blank_map, frame, heatmap, scale
from pages.look.colours import QUERY
from pages.look.facts import as_shown
from pages.look.html import prose
from pages.look.typed import words_of
from pages.page.page import Page
from pages.page.steps import Step
from pages.positional_encoding.common import HEAD, attend_with_positions, head_over
from pages.positional_encoding.scene import PositionScene
from pages.questions.kinds import Choice

STEP = Step(
    "order",
    "Without positions or a mask, attention ignores order",
    "One head with random matrices reads the same words in two orders. Type your own.",
    asks="Does attention see the order of words?",
    then="Without positions, the outputs do not tell the order. Switch on *Add positions*: where a number is outlined, "
    "the order now changes it.",
    words="three",
    experiment="other told",
)

EXAMPLE, MOST, LEAST = "dog bites man", 6, 2  # words
N_ORDERS = 5  # of them, the reversed one first
READS = f"This step reads {LEAST} to {MOST} words of up to {LONGEST_WORD} letters, so you see {{words}}."
LAYERS = scale(4.0), SMALL
OUTPUT_AXES = Axes("query", "entry", "output", row_colour=QUERY)
COLUMNS = [str(j) for j in range(HEAD)]


def draw(page: Page, scene: PositionScene) -> bool:
    """Show the outputs for three words, and for the same words in another order, without positions and with them."""
    run = page.recipe.run
    with page.fields:
        text = page.controls.text("three", "Words", EXAMPLE, width=200)
        typed, _ = words_of(text, EXAMPLE)
        words = typed[:MOST] if len(typed) >= LEAST else split_words(EXAMPLE)
        labels = position_labels(words)
        orders = orders_of(labels)
        other = page.controls.select("other", "Other order", [*orders], next(iter(orders)), width=200)
        slot = st.container()
    if words != split_words(text):
        page.write(prose(READS, words=" ".join(words)), "note")
    scene = scene._replace(words=words, labels=labels, kind="none")
    place = st.container()
    order = page.recipe.given("order", np.array(orders[other]))
    there = [labels[i] for i in orders[other]]
    answered = page.ask(page.question("order", partial(order_question, order, labels)))
    if answered:
        page.tell_on()
        with slot:
            if page.controls.switch("told", "Add positions"):
                scene = scene._replace(kind="sinusoidal")
    x, head = head_over(page, scene)
    before = attend_with_positions(page, "before", x, head, scene).output
    with place:
        left, right = st.columns(2, gap="medium")
    with left:
        page.head("Output", f"· {' '.join(labels)}")
        told = "A row for each word, in the order of the words."
        page.show(heatmap(before, labels, COLUMNS, OUTPUT_AXES, *LAYERS, name="output", sentence=told))
    with right:
        page.head("Output", f"· {other}")
        if not answered:
            asked, told = asked_row(order, page.variant("order")), "The same head reads the other order."
            at = (asked, None)
            page.show(blank_map(there, COLUMNS, OUTPUT_AXES, *LAYERS, name="shuffled", sentence=told, asked=at))
            return False
        after = attend_with_positions(page, "after", run("shuffled", reorder, x, order), head, scene).output
        expected = run("expected", reorder, before, order)
        changed = frame(run("changed", changed_cells, expected, after) & (as_shown(expected) != as_shown(after)))
        page.prints(f"output of {there[0]}, entry 1", after, 0, 0)
        told = "Outlined, if any: numbers that the word does not have on the left."
        page.show(heatmap(after, there, COLUMNS, OUTPUT_AXES, *LAYERS, changed, name="shuffled", sentence=told))
    return True


def orders_of(labels: list[str]) -> dict[str, tuple[int, ...]]:
    """Return other orders of words, by the text of each: where each of its words stands in this one."""
    others = islice(permutations(range(len(labels))[::-1]), min(N_ORDERS, math.factorial(len(labels)) - 1))
    return {" ".join(labels[i] for i in order): order for order in others}


def asked_row(order: Array, variant: int) -> int:
    elsewhere = np.flatnonzero(order != np.arange(len(order)))
    return int(elsewhere[variant % len(elsewhere)])


def order_question(order: Array, labels: list[str], variant: int) -> Choice:
    """Ask what another order does to the output of one word that it moves, without a position encoding."""
    row = asked_row(order, variant)
    text = prose(
        "Without a mask and positions, what happens to the output of {word} if the words come in the other order?",
        word=labels[order[row]],
    )
    why = "A score is the q · k of two words, and an output is a sum over all words. A sum has no order."
    right = "The same numbers, in another row"
    reasons = {
        "Other numbers": "The word has the same query as before, and meets the same keys and values.",
        "The same numbers, in the same row": "The word stands in another row now, and its output stands there too.",
    }
    return Choice.of("order", text, right, why, reasons, variant, place=(row, 0))
