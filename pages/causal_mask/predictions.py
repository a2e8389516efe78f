"""One text is many training examples: a trained model predicts the next word at every position at once."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.experiments.inside.compare_models import predict_each
from attention_core.text.word_vectors import position_labels
from pages.causal_mask.common import picked
from pages.causal_mask.scene import Masked
from pages.causal_mask.toy_english import (
    MASKED,
    Reading,
    expected,
    named_model,
    read_up_to,
    reading_of,
    verdict,
    vocabulary,
)
from pages.charts.bars import fraction_bars
from pages.charts.chart import Chart
from pages.look import cards
from pages.look.html import number, prose, quoted, table
from pages.page.page import Page
from pages.page.questions.kinds import Mistake, Number
from pages.page.steps import Step

N_LIKELIEST = 6  # of the most probable next words

STEP = Step(
    "predictions",
    "One text, many predictions",
    "In training, a model reads a text once and predicts the next word at every position. The text itself holds the "
    "answers.",
    asks="How many predictions can one text check?",
    then="So one pass trains on as many examples as there are next words. This works only if no prediction can "
    "see its answer. For that, a model trained like this needs a mask.",
    words="at",
)


def draw(page: Page, scene: Masked) -> bool:
    """Show what the trained model predicts at each position, and which predictions are right."""
    read = reading_of(scene)
    if read.note:
        page.write(read.note, "note")
    words, length = read.words, len(read.words)
    labels = position_labels(words)

    def show_last() -> None:
        if question and question.place:  # the last position that was read of a part of the text
            page.controls.put(at=labels[question.place[0]])

    question = page.question("examples", lambda variant: examples_question(words, variant))
    if not page.ask(question, then=show_last):
        page.write(cards.chips(words))
        return False
    tokens = page.recipe.given("tokens", read.tokens.tolist())
    model = named_model(page, "model", MASKED)
    chances = page.recipe.run("chances", predict_each, model, tokens)
    left, right = st.columns([1.3, 1], gap="medium")
    with right:
        start = labels[min(2, length - 1)]
        at = labels.index(page.controls.select("at", "Position", labels, start, width=150))
        answer = int(read.tokens[at + 1]) if at + 1 < length else None
        shown = int(chances[at].argmax()) if answer is None else answer
        (word,) = vocabulary().decode([shown])
        page.prints(f"probability of {word} after {labels[at]}", chances, at, shown)
        whose = "The model is Toy English, which was trained with a causal mask."
        page.show(next_words(read, chances[at], at, answer), note=whose)
    with left, st.container(border=True):
        page.write(examples_card(read, chances, at))
    return True


def next_words(read: Reading, row: Array, at: int, answer: int | None) -> Chart:
    """Return the most probable next words after a position, and the word that follows there."""
    first = np.argsort(-row, kind="stable")[:N_LIKELIEST].tolist()
    if answer is not None and answer not in first:
        first[-1] = answer
    names = vocabulary().decode(first)
    told = (
        f"After {quoted(read.words[at])}, the model expects {quoted(names[0])} most ({number(float(row[first[0]]))})."
    )
    if answer is not None:
        (next_word,) = vocabulary().decode([answer])
        told += f" The text goes on with {quoted(next_word)} ({number(float(row[answer]))}), in bold."
    return fraction_bars(
        names,
        row[first],
        name="next word",
        sentence=told,
        highlight=first.index(answer) if answer is not None else None,
        title=f"probability after position {at + 1}",
        of="next word",
    )


def examples_card(read: Reading, chances: Array, at: int) -> Markup:
    """Return every position as a training example: what it reads, what it predicts, and the answer."""
    words, tokens = read.words, read.tokens.tolist()
    lines = []
    for place in range(len(words)):
        answer = tokens[place + 1] if place + 1 < len(words) else None
        follows = Markup('<span class="soft">unknown</span>')
        if answer is not None:
            follows = expected(words[place + 1], float(chances[place, answer]))
        lines.append((read_up_to(words, place), verdict(chances[place], answer), follows))
    n_checked = len(words) - 1
    n_right = sum(int(chances[i].argmax()) == tokens[i + 1] for i in range(n_checked))
    told = prose(
        f"One pass, {n_checked} checked prediction{'s' * (n_checked > 1)}, {n_right} of them right. One training step "
        "changes all probabilities in the last column. Over the whole training, they rise on average."
    )
    head = ("reads", "predicts", "next word")
    rows = table(head, lines, bold=at, left=3, long=0, folds=True)
    return cards.card("Each position is a training example", rows, told)


def examples_question(words: list[str], variant: int) -> Number:
    """Ask how many predictions of one pass have an answer: over the whole text, or in other variants over its start."""
    length = len(words)
    read = length if variant == 0 or length < 3 else picked(variant, 9, np.arange(2, length))
    whole = read == length
    right = length - 1 if whole else read
    part = "all of them" if whole else f"only the first {read}"
    text = prose(
        f"The text has {length} words, and the model reads {part}, once. It predicts the next word at every position "
        "that it reads. How many of these predictions have an answer in the text?"
    )
    why = (
        f"Each of the {length} positions predicts, but after the last word the text ends. The others have an answer."
        if whole
        else f"Each of the {read} positions predicts, and each has a next word in the text, also the last one read."
    )
    mistakes = {
        1: "You counted only the last prediction. Generating uses only that one, but training uses all.",
        length: "You counted the words of the text. Count the positions read that have a next word in it.",
        read
        - 1: "You counted the next words that the model reads. The text goes on, so its last prediction counts too.",
        0: "You expected no answer, but the next word of the text is the answer.",
    }
    wrong = tuple(Mistake(value, told) for value, told in mistakes.items())
    told, place = "Count the positions that have a next word.", None if whole else (read - 1, 0)
    return Number("examples", text, right, 0.25, why, wrong, told, digits=0, place=place)
