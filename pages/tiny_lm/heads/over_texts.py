"""The patterns of every head, measured over many texts, beside those of uniform attention."""

from collections.abc import Sequence

import numpy as np

from attention_core.arrays import Array, Tokens
from attention_core.experiments.inside.head_patterns import Patterns, generate_rows
from attention_core.model.parameters import Model
from pages.charts.heatmap import NO_LEGEND, SMALL, Axes, frame, heatmap
from pages.look.html import number
from pages.page.page import Page
from pages.page.questions.kinds import Choice
from pages.tiny_lm.checkpoints import HeldOut, held_out, record_rows
from pages.tiny_lm.common import head_name
from pages.tiny_lm.heads_view import LONG, SHORT
from pages.tiny_lm.model_in_view import Subject

PATTERN_AXES = Axes("head", "pattern", "attention weight", words=True)
MOST_READ = 2048  # tokens over which heads are measured
FEWEST = 8  # sequences
UNIFORM = "uniform"
LONGEST = 24  # tokens of a text that a student's own model generated


def texts(page: Page, subject: Subject, finished: Model) -> tuple[Tokens, str]:
    """Return the sequences over which heads are measured, and what they are."""
    length = subject.model.config.max_len
    if subject.name == "own":
        n_rows = FEWEST
        rows = page.recipe.run_once("rows", generate_rows, finished, n_rows, min(length, LONGEST))
        return rows, f"{n_rows} texts that your model generated"
    n_rows = max(FEWEST, min(64, MOST_READ // length))
    few = held_out(subject.name).rows[:n_rows, :-1]  # the last token is no input
    held = record_rows(page, HeldOut(few, None), subject.name, f"[:{n_rows}, :-1]")
    return held.rows, f"{n_rows} held-out sequences of {length} tokens"


def pattern_map(page: Page, found: Patterns, even: Patterns, names: list[str], side: str) -> None:
    """Draw the patterns of all heads, the largest of each outlined, and those of uniform attention."""
    values, most = with_uniform(found, even)
    head, pattern = np.unravel_index(values[:-1, :-1].argmax(), values[:-1, :-1].shape)
    sentence = (
        f"Largest apart from entropy: {head_name(names[int(head)])} on {list(LONG.values())[int(pattern)]}, "
        f"{number(values[head, pattern])}."
    )
    layers = frame(most), SMALL, NO_LEGEND
    page.show(
        heatmap(
            values,
            [*names, UNIFORM],
            list(SHORT.values()),
            PATTERN_AXES,
            *layers,
            name=f"patterns {side}",
            sentence=sentence,
        )
    )


def with_uniform(found: Sequence[Array], even: Sequence[Array]) -> tuple[Array, Array]:
    """Return a row for each head and one for uniform attention, a column for each measure, and the largest of heads."""
    heads = np.stack([field.ravel() for field in found], axis=1)
    last = np.stack([field.ravel() for field in even], axis=1)
    return np.vstack([heads, last]), np.vstack([heads == heads.max(axis=0), np.zeros_like(last, bool)])


def grown_question(before: Patterns, after: Patterns) -> Choice:
    """Ask which pattern grew most in training, each measured at the head with most of it."""
    fields = [field for field in LONG if field != "spread"]
    first = {field: float(getattr(before, field).max()) for field in fields}
    last = {field: float(getattr(after, field).max()) for field in fields}
    gained = {field: last[field] - first[field] for field in fields}
    best = max(fields, key=lambda field: gained[field])
    said = {field: f"from {number(first[field])} to {number(last[field])}" for field in fields}
    why = f"Its largest mean weight went {said[best]}, the largest gain of all."
    mistakes = {LONG[field]: f"Here the largest mean weight went {said[field]}." for field in fields}
    text = "On which kind of key does training raise the largest mean weight of a head most?"
    return Choice.shuffled("grown", text, [LONG[best]], why, mistakes, 0)
