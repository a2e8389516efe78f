"""What stands out of each head beyond an even look, and the head that has most of a pattern."""

import numpy as np
import streamlit as st

from attention_core.experiments.head_patterns import NOTHING, Patterns, habits_above, patterns
from attention_core.model.activations import insides
from pages.charts.heatmap import ATTENTION_AXES, heatmap
from pages.look.html import number, prose, table
from pages.look.sentences import brightest_cell
from pages.page.page import Page
from pages.page.questions import Mistake, Number
from pages.tiny_lm.heads.over_texts import LONG, SHORT
from pages.tiny_lm.model_in_view import Subject

ENLARGED = 24  # last tokens of an enlarged map


def name_table(page: Page, before: Patterns, after: Patterns, even: Patterns, names: list[str]) -> None:
    """Write what stands out of each head, with its number and that of an even look."""
    habits = page.recipe.run("stands_out", habits_above, after, even)
    page.say(
        "Name a head by the pattern that it has most of **beyond an even look**. If none is beyond by 0.15, it does "
        "nothing that these measures know, which is not to say that it does nothing.",
        "",
    )
    lines = []
    for place, (pattern, above) in enumerate(zip(habits.pattern.ravel(), habits.above.ravel(), strict=True)):
        if pattern == NOTHING:
            lines.append([names[place], "nothing that these measures know", "", "", "", number(above)])
            continue
        field = list(LONG)[int(pattern)]
        now, was = (float(getattr(found, field).ravel()[place]) for found in (after, before))
        base = float(getattr(even, field)[0, 0])
        lines.append([names[place], LONG[field], number(now), number(was), number(base), number(above)])
    head = ["head", "looks above all at", "share", "untrained", "an even look", "beyond it"]
    page.write(table(head, lines, left=2))


def enlarged(page: Page, subject: Subject, after: Patterns, even: Patterns, names: list[str]) -> None:
    """Draw the head that has most of a pattern, on the prompt."""
    st.subheader("The head that has most of a pattern", anchor=False)
    chosen = page.controls.choice("pattern", "Pattern", list(SHORT.values()), "before")
    field = next(field for field, word in SHORT.items() if word == chosen)
    values = getattr(after, field)
    place = int(values.argmax())
    inside = page.recipe.run("inside", insides, subject.model, subject.tokens)
    first = max(0, len(subject.labels) - ENLARGED)
    labels = subject.labels[first:]
    shown = inside.weights.reshape(len(names), *inside.weights.shape[2:])[place, first:, first:]
    here = page.recipe.run("here", patterns, subject.model, subject.tokens[None])
    page.show(
        heatmap(
            shown,
            labels,
            labels,
            ATTENTION_AXES,
            name="one head",
            sentence=f"{names[place].capitalize()} on the prompt: {brightest_cell(shown, labels, len(labels) - 1)}",
            small=True,
            legend=False,
        ),
        note=over_many(field, float(values.max()), float(getattr(even, field)[0, 0]))
        + f"; on this prompt {number(float(getattr(here, field).ravel()[place]))}."
        + (f" The map shows the last {ENLARGED} tokens." if first else ""),
    )


def over_many(field: str, value: float, even: float) -> str:
    """Return what one measure of a head says over many texts."""
    if field == "spread":
        return f"Over many texts its entropy is {number(value)} of that of an even look"
    return f"Over many texts it gives {number(value)} to {LONG[field]}, an even look {number(even)}"


def even_question(length: int, causal: bool, even: float) -> Number:
    """Ask how much of an even look goes to the first token."""
    text = prose(
        f"A head might look evenly at every token that it may see. In rows of {length} tokens, how much of its look "
        "goes to the *first* token then, on average over all tokens after it?"
    )
    if causal:
        why = (
            f"The second token sees 2 and gives it 1/2, the last sees {length} and gives it 1/{length}: on average "
            f"{number(even)}. So a share means little until it is held against this one."
        )
        wrong = Mistake(1 / length, f"1/{length} is what the last token gives it; the others see fewer.")
    else:
        why = f"Each sees all {length} tokens: {number(even)}. A share means little until it is held against this one."
        wrong = Mistake((np.log(length) + 0.58 - 1) / max(1, length - 1), "This model looks ahead too.")
    return Number("even", text, even, 0.012 if length > 16 else 0.03, why, (wrong,), "Take the mean of 1/2, 1/3, …")
