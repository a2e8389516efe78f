"""One text is many training examples: a trained model predicts the next word at every position at once."""

import numpy as np
import streamlit as st

from attention_core.arrays import Array
from attention_core.experiments.inside.compare_models import predict_each, predict_one_by_one
from attention_core.rows import largest_difference
from attention_core.shipped.models import model_at
from pages.causal_mask.readers import MASKED, Reading, named_model, read_by_any
from pages.causal_mask.scene import Masked
from pages.charts.bars import fraction_bars
from pages.charts.chart import Chart
from pages.charts.heatmap import CLICK, Axes, frame, heatmap, outline
from pages.look.colours import KEY, QUERY
from pages.look.facts import largest, ordered
from pages.look.html import prose, residual, table
from pages.motion.build_up import parts_shown
from pages.page.page import Page
from pages.page.steps import Step
from pages.questions.kinds import Mistake, Number

N_LIKELIEST, SORTED = 6, 9  # of the most probable next words, and digits by which they are sorted
USUAL = 2  # the position in view

STEP = Step(
    "predictions",
    "One text, many predictions",
    "A trained model reads this text once, and at every position it predicts what comes next.",
    asks="How many predictions can one text check?",
    experiment="at built",
)
PARALLEL = (
    "The outlined cells are the answers, which the text itself holds. So one pass trains on all positions **in "
    "parallel**. This works only if no position can see its answer: that takes a mask."
)
PARTS = (
    "The model has read as far as {word}. For each column, the row has the probability that it comes next.",
    "In the text {following} comes next, so this prediction can be checked.",
)
NEXT_AXES = Axes("after", "next", "probability", QUERY, KEY, words=True)


def draw(page: Page, scene: Masked) -> bool:
    """Show what the trained model predicts at each position, and once it was asked, where the answers stand."""
    read = read_by_any(scene.words)
    labels, length = read.labels, len(read.tokens)
    if read.note:
        page.write(read.note, "note")
    tokens = page.recipe.given("tokens", read.tokens.tolist())
    chances = page.recipe.run("chances", predict_each, named_model(page, "model", read.shipped), tokens)
    first = min(USUAL, max(length - 2, 0))  # the row by which the map is built up
    with st.container(key=f"{page.name}_examples_asking"):
        side, place = st.columns([1, 1.18], gap="medium")
    at = None
    with side:
        words = {"word": labels[first], "following": labels[min(first + 1, length - 1)]}
        part = parts_shown(page, PARTS if length > 1 else (), **words)
        if answered := page.ask(examples_question(read)):
            page.say(PARALLEL, "")
            with st.container(key=f"{page.name}_examples_more"):
                at = page.controls.pick("at", "Position", labels, USUAL)
                answer = int(read.tokens[at + 1]) if at + 1 < length else None
                shown = largest(chances[at]).first if answer is None else answer
                page.prints(f"probability of {read.names[shown]} after {labels[at]}", f"chances[{at}][{shown}]")
                page.show(next_words(read, chances[at], at, answer))
    choose = (lambda i, j: page.controls.put(at=labels[i])) if answered else None
    with place:
        rows = slice(None) if page.is_built else slice(first, first + 1)
        outlined = (np.eye(length, k=1, dtype=bool) & (answered or part == 2))[rows]
        told = f"Each row has the probabilities of these {read.unit}s after that position."
        layers = frame(outlined), outline(at), at is not None and CLICK
        values = chances[rows, read.tokens]
        picture = heatmap(values, labels[rows], labels, NEXT_AXES, *layers, name="predictions", sentence=told)
        whose = "Toy English" if read.shipped == MASKED else "Small Stories"
        twice = " Columns of the same word are equal." * (len(set(read.tokens.tolist())) < length)
        page.show(picture, choose, note=f"The model is {whose}, which was trained with a causal mask.{twice}")
    if answered and length > 2:  # what one pass over the whole text computes, beside one for each prediction
        passes = (
            ("all positions in parallel", "1", str(length), str(length - 1)),
            ("one after another", str(length - 1), str(length * (length - 1) // 2), str(length - 1)),
        )
        page.write(table(("", "passes", f"{read.unit}s read", "predictions checked"), passes))
        model, known = model_at(read.shipped), read.tokens.tolist()
        alone = page.recipe.run_once("one_by_one", predict_one_by_one, model, known)
        gap = residual(largest_difference(chances, alone), -3)
        page.write(f"Largest difference between their probabilities: {gap}.", "note")
    return answered


def next_words(read: Reading, row: Array, at: int, answer: int | None) -> Chart:
    """Return the most probable next words after a position, and the one that follows there."""
    first = ordered(row, SORTED)[:N_LIKELIEST]
    if answer is not None and answer not in first:
        first[-1] = answer
    names = [read.names[token] for token in first]
    return fraction_bars(
        names,
        row[first],
        name="next word",
        sentence="The likeliest next words. Bold: that of the text, if it goes on.",
        highlight=first.index(answer) if answer is not None else None,
        title=f"probability after position {at + 1}",
        of="next word",
    )


def examples_question(read: Reading) -> Number:
    """Ask how many predictions of one pass have an answer."""
    length, unit = len(read.tokens), read.unit
    text = prose(
        f"The text has {length} {unit}s, and the model reads all of them once. It predicts the next {unit} at every "
        "position. How many of these predictions can be checked against the text?"
    )
    why = f"Each of the {length} positions predicts, but after the last one the text ends. The others have an answer."
    mistakes = (
        Mistake(length, f"You counted all {unit}s. What follows the last one is unknown."),
        Mistake(1, "You counted only the last prediction. Generating uses only that one, but training uses all."),
        Mistake(0, f"You expected no answer, but the next {unit} of the text is the answer."),
    )
    kept = tuple(mistake for mistake in mistakes if mistake.value != length - 1)
    told = f"Count the positions that have a next {unit} in the text."
    return Number("examples", text, length - 1, 0.25, why, kept, told, digits=0)
