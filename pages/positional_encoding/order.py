"""The words in another order: what a shuffle does to the outputs, without positions and with them."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.experiments.qkv.perturb import changed_cells
from attention_core.rows import largest_difference, reorder, shuffled_order
from pages.charts.chart import Chart
from pages.charts.heatmap import CLICK, Axes, Layer, frame, heatmap, outline, scale
from pages.look import thumbnails
from pages.look.colours import QUERY
from pages.look.html import number, prose, quoted
from pages.look.sentences import largest_number, rows_that_moved
from pages.page.page import Page
from pages.page.questions.kinds import Choice
from pages.page.steps import Step
from pages.positional_encoding.common import (
    HEAD,
    ROUNDING,
    attend_with_positions,
    head_over,
)
from pages.positional_encoding.scene import EXAMPLE, WITH_POSITIONS, Scene, choose_values

STEP = Step(
    "order",
    "Without positions, attention ignores word order",
    "“Dog bites man” and “man bites dog” have the same words and different meanings. Put the words in another order "
    "and compare the outputs of attention, without a mask.",
    asks="Does attention see word order?",
    then="Neither the scores nor the weighted sums use the position of a word, so a model must get it in another way.",
    words="order_kind other shuffle told",
)

OUTPUT_AXES = Axes("query", "dimension", "output", row_colour=QUERY)
ORDERS = ("man bites dog", "man dog bites", "bites dog man", "bites man dog", "dog man bites")  # of the example
SERIES = 7  # of the orders into which the words are shuffled
STRIP = 104  # pixels, the width of an output drawn as a strip
COLUMNS = [str(j + 1) for j in range(HEAD)]


def draw(page: Page, scene: Scene) -> bool:
    """Show the outputs before and after a shuffle, without positions and with them."""
    controls, run = page.controls, page.recipe.run
    own = controls.last("example", EXAMPLE) != EXAMPLE
    if not own:
        scene = scene._replace(words=EXAMPLE.split(), labels=EXAMPLE.split())
    labels = scene.labels
    x, head = head_over(page, scene)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        seed = controls.integer("shuffle", "Shuffle seed", 1, 999, 1, width=150) if own else 0
        other = "" if own else controls.select("other", "Other order", ORDERS, ORDERS[0], width=180)
        told = controls.switch("told", "With positions")
        near = st.container(horizontal=True, vertical_alignment="bottom", width="content")
    order = (
        run("order", shuffled_order, len(labels), seed, SERIES)
        if own
        else page.recipe.given("order", np.array([labels.index(word) for word in other.split()]))
    )
    shuffled = run("shuffled", reorder, x, order)
    scene = choose_values(page, scene, WITH_POSITIONS, "order", near) if told else scene._replace(kind="none")
    before = attend_with_positions(page, "before", x, head, scene)
    after = attend_with_positions(page, "after", shuffled, head, scene)
    expected = run("expected", reorder, before.output, order)
    there = [labels[i] for i in order]
    changed = run("changed", changed_cells, expected, after.output)
    question = page.question("order", partial(order_question, expected, after.output, there, order))
    asked = int(order[question.place[0]]) if question and question.place else 0
    if not (told or page.ask(question, then=lambda: controls.put(word=labels[asked]))):
        page.write(in_words("As typed", labels, before.output, asked))
        return False
    with near:
        row = controls.pick("word", "Query · row", labels, 2)
    at = there.index(labels[row])
    page.prints(f"first number of the output of {labels[row]}, after the shuffle", after.output, at, 0)
    gaps = [largest_difference(*rows) for rows in zip(expected, after.output, strict=True)]
    told_of = ["same vector" if gap < ROUNDING else f"differs by {number(gap)}" for gap in gaps]
    left, right = st.columns(2, gap="medium")
    with left:
        page.write(in_words("As typed", labels, before.output, row))
    with right:
        page.write(in_words("Shuffled", there, after.output, at, told_of))
    page.write(outcome(labels[row], gaps[at], told), "note")
    left, right = st.columns(2, gap="medium")
    with left:
        page.head("Output", "· the words as typed")
        sentence = largest_number(before.output, labels, COLUMNS, "Output")
        chart = output_map(before.output, labels, row, CLICK, name="output", sentence=sentence)
        page.show(chart, lambda i, j: controls.put(word=labels[i]))
    with right:
        page.head("Output", "· the words shuffled")
        sentence = f"{rows_that_moved(changed, 'Compared with the same word’s row as typed')}."
        sentence += " The numbers that changed are outlined." if changed.any() else ""
        page.show(output_map(after.output, there, at, frame(changed), name="shuffled", sentence=sentence))
    return True


def in_words(title: str, words: list[str], outputs: Array, lit: int, told: Sequence[str] = ()) -> Markup:
    """Return the words of a sentence, each over the output for it as a strip of colours, and what is told of it."""
    one = Markup('<div><div class="chips"><span class="{}">{}</span></div>{}<span class="soft">{}</span></div>')
    parts = [
        one.format("lit" if i == lit else "", word, thumbnails.thumbnail(outputs[i : i + 1], 4.0, STRIP), said)
        for i, (word, said) in enumerate(zip(words, told or [""] * len(words), strict=True))
    ]
    row = Markup('<div style="display:flex;flex-wrap:wrap;gap:8px 14px;margin-top:6px">{}</div>')
    return Markup('<div class="lights"><b>{}</b>{}</div>').format(title, row.format(Markup("").join(parts)))


def outcome(word: str, gap: float, told: bool) -> Markup:
    """Return what the two outputs of a word mean for a layer that reads them."""
    if gap < ROUNDING:
        same = Markup("Both sentences have the same output for {}, so a layer that reads it cannot tell them apart.{}")
        return same.format(quoted(word), "" if told else Markup(" Switch on <b>With positions</b>."))
    apart = Markup("The two outputs of {} differ by up to {}, so a later layer can tell the two sentences apart.")
    return apart.format(quoted(word), number(gap))


def output_map(values: Array, labels: list[str], row: int, *layers: Layer, name: str, sentence: str) -> Chart:
    """Return outputs, a row for each word."""
    return heatmap(
        values, labels, COLUMNS, OUTPUT_AXES, scale(4.0), outline(row), *layers, name=name, sentence=sentence
    )


def order_question(before: Array, after: Array, labels: list[str], order: Array, variant: int) -> Choice:
    """Ask what a shuffle does to the output of one word that it moves, without a position encoding."""
    elsewhere = np.flatnonzero(order != np.arange(len(order)))
    first = int(np.random.default_rng([0, 31]).integers(max(1, len(elsewhere))))
    at = int(elsewhere[(first + variant) % len(elsewhere)]) if len(elsewhere) else 0
    text = prose(
        "Put the words into the order {there}. Attention has no mask and no position encoding here. What happens to "
        "the output of {word}?",
        there=" ".join(labels),
        word=labels[at],
    )
    same = int((np.abs(after - before).max(axis=-1) < ROUNDING).sum())
    why = (
        f"Here {same} of {len(labels)} words keep their output. A score is the q · k of two words, and an "
        "output is a sum over all words, whose terms may come in any order."
    )
    options = ("The same numbers, in another row", "Other numbers", "The same numbers, in the same row")
    reasons = {
        options[0]: "A single word has only row 1.",
        options[1]: "You thought that the order matters. The query, the keys and the values stay the same, and only "
        "their rows are swapped.",
        options[2]: "You kept the row of the word. The word moves to another row, and its output moves with it.",
    }
    right = [options[0 if len(elsewhere) else 2]]
    return Choice.shuffled("order", text, right, why, reasons, variant)._replace(place=(at, 0))
