"""Why not plain numbers or one-hot vectors: what each code does to the words, and which positions it makes similar."""

import numpy as np
import streamlit as st

from attention_core.arrays import Array
from attention_core.equations.positions import sinusoidal_positions
from attention_core.experiments.positions.position_similarity import (
    counted_positions,
    one_hot_positions,
    similarity_to,
    word_left,
)
from attention_core.text.word_vectors import word_vectors
from pages.charts.chart import Chart
from pages.charts.lines import line_chart
from pages.look.colours import ATTENTION, INK, NEGATIVE
from pages.look.html import number, prose
from pages.page.page import Page
from pages.page.questions.kinds import Choice
from pages.page.steps import Step
from pages.positional_encoding.common import show_asked
from pages.positional_encoding.scene import Scene

STEP = Step(
    "1, 2, 3",
    "Large numbers dominate the word",
    "A **position encoding** can add to each word a vector for its position. The simplest one adds the number of the "
    "position, 1, 2, 3 …, to each entry of the word.",
    asks="Why not add 1, 2, 3?",
    then="A one-hot vector, with a single 1, hardly changes the word. But then no position is near another. Waves "
    "keep the word, and they make near positions similar.",
    words="from_place",
)

COUNTED, ONE_HOT, WAVES = "1, 2, 3 …", "one-hot", "waves"
COLOURS = (ATTENTION, NEGATIVE, INK)  # waves, numbers, one-hot
CLOSE, HALF, FAR = "above 0.6", "0.2 to 0.6", "below 0.2"


def draw(page: Page, scene: Scene) -> bool:
    """Compare three codes: how much of a word is left in the sum, and which positions they make similar."""
    run, controls, length = page.recipe.run, page.controls, scene.length
    page.recipe.given("words", scene.words)
    x = run("x", word_vectors, scene.words, scene.d_model, scene.seed)
    counted = run("counted", counted_positions, length, scene.d_model)
    left_of_words = run("left_with_numbers", word_left, x, counted)
    variant = page.variant("drown")
    question = drown_question(left_of_words, scene.d_model, variant)
    if not page.ask(question, then=lambda: show_asked(page, variant, from_place=asked_position(length, variant) + 1)):
        return False
    place = min(controls.integer("from_place", "Position", 1, 256, 10, width=150), length) - 1
    codes = {
        WAVES: run("waves", sinusoidal_positions, length, scene.d_model, scene.base),
        COUNTED: counted,
        ONE_HOT: run("one_hot", one_hot_positions, length, scene.d_model),
    }
    kept = {
        WAVES: run("left_with_waves", word_left, x, codes[WAVES]),
        COUNTED: left_of_words,
        ONE_HOT: run("left_with_one_hot", word_left, x, codes[ONE_HOT]),
    }
    names = {WAVES: "near_with_waves", COUNTED: "near_with_numbers", ONE_HOT: "near_with_one_hot"}
    near = {code: run(names[code], similarity_to, rows, place) for code, rows in codes.items()}
    page.prints(f"mean cosine of a word and its sum with the number {place + 1}", left_of_words, place)
    left, right = st.columns(2, gap="medium")
    with left:
        page.head("How much of the word is left")
        told = f"Mean cosine of a word and its sum with position {place + 1}: {listed(kept, place)}."
        page.show(chart("left of the word", kept, "cosine of x and x + p", told, place + 1))
    with right:
        page.head(f"How similar position {place + 1} is to the others")
        at = place + 1 if place + 1 < length else max(0, place - 1)
        told = f"Cosine of positions {place + 1} and {at + 1}: {listed(near, at)}."
        page.show(chart("similar positions", near, f"cosine with position {place + 1}", told, place + 1))
    beyond = length - scene.d_model
    lost = f" Here {beyond} positions have none." if beyond > 0 else ""
    page.say(
        "**What to notice.** All vectors of 1, 2, 3 … point the same way, so their cosine is 1, and they grow without "
        f"bound. A one-hot vector needs a column for each position of the longest text.{lost} Waves stay between −1 "
        f"and 1, and near positions are similar.{distant_too(codes[WAVES])}",
        "",
    )
    return True


def distant_too(waves: Array) -> str:
    """Return that a distant position is more similar than the next one, at a width and base at which this is so."""
    similar = similarity_to(waves, 0)
    distant = 2 + int(similar[2:].argmax()) if len(similar) > 2 else 0
    if not distant or similar[distant] <= similar[1]:
        return ""
    return (
        f" With so few columns, a distant one can be more similar: at distance {distant} the cosine is "
        f"{number(float(similar[distant]))}, at distance 1 {number(float(similar[1]))}."
    )


def listed(series: dict[str, Array], place: int) -> str:
    """Return the number of each code at one place."""
    return ", ".join(f"{number(float(values[place]))} with {code}" for code, values in series.items())


def chart(name: str, series: dict[str, Array], what: str, sentence: str, here: float) -> Chart:
    """Return one number of each code against the position."""
    length = len(series[WAVES])
    return line_chart(
        np.arange(1, length + 1),
        series,
        x_title="position",
        y_title=what,
        y_domain=(-1.0, 1.0),
        colours=COLOURS,
        here=here,
        name=name,
        sentence=sentence,
        number="",
    )


def asked_position(length: int, variant: int) -> int:
    """Return the position that a variant of the question asks about, from 0: late, first, and between."""
    late = max(0, length - 1 - variant % max(1, length // 4))
    return (late, 0, min(2, late))[variant % 3]


def drown_question(kept: Array, d_model: int, variant: int) -> Choice:
    """Ask how much of a word is left after a plain number was added to each of its entries."""
    place = asked_position(len(kept), variant)
    cosine = float(kept[place])
    right = CLOSE if cosine > 0.6 else HALF if cosine >= 0.2 else FAR
    reasons = {
        CLOSE: "You added a small number. The number of the position grows, but not the entries of a word.",
        HALF: "Compare the number with the entries, whose size is about 1. Equal sizes give a cosine of about 0.7.",
        FAR: "You thought that the number dominates. Here it is not much larger than the entries of the word.",
    }
    text = prose(
        f"A word has {d_model} entries, most of them between −2 and 2. You add {place + 1} to each of them, because it "
        f"is at position {place + 1}. Which cosine do the word and the sum have? (1: the same direction)"
    )
    why = f"It is {number(cosine)}. A large number makes the sum point towards (1, 1, 1, …), whatever the word."
    return Choice("drown", text, tuple(reasons), (list(reasons).index(right),), why, tuple(reasons.values()))
