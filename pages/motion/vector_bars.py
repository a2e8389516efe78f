"""Vectors as bars that are dragged: their dot products, and tasks about them, follow in the browser.

Where a bar is released, its vector comes back as text: it is a control, in the link like all others.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.rows import row_cosines, row_norms
from pages.charts.chart import rung
from pages.look.html import number
from pages.look.style import COLOURS
from pages.page.fields.typed import FARTHEST
from pages.page.page import Page

HTML = '<div class="vectors"></div><div class="below"><div class="products"></div><ul class="tasks"></ul></div>'
CSS, JS = (Path(__file__).with_suffix(ending).read_text(encoding="utf-8") for ending in (".css", ".js"))
BARS = st.components.v2.component("attention_vector_bars", html=HTML, css=f":host{{{COLOURS}}}{CSS}", js=JS)
CLEARLY = 1e-9  # by so much one product must be larger: less is rounding

Pair = tuple[int, int]


class Task(NamedTuple):
    """To make the product of one pair of vectors larger than that of another."""

    text: str
    larger: Pair
    smaller: Pair
    lengths: bool = False  # whether it is then said that length has done it


def vector_bars(page: Page, names: Sequence[str], vectors: Array, pairs: Sequence[Pair], tasks: Sequence[Task]) -> None:
    """Draw each vector, whose name is its control, then the product of each pair, and whether each task is done."""
    key, controls = f"{page.name}_vector_bars", page.controls
    limit = rung(float(abs(vectors).max(initial=0)))

    def moved() -> None:
        event: Any = st.session_state[key].get("moved")
        controls.put(**vectors_of(event, names, vectors.shape[1]))

    data = {
        "names": list(names),
        "vectors": vectors.tolist(),
        "limit": min(limit, FARTHEST),
        "step": 0.1 if limit <= 4 else 1,
        "product_limit": rung(max(abs(float(vectors[i] @ vectors[j])) for i, j in pairs)),
        "locked": [name in controls.locked for name in names],
        "pairs": pairs,
        "tasks": [task._asdict() for task in tasks],
    }
    BARS(key=key, data=data, on_moved_change=moved)
    told = [product_told(names, vectors, pair) for pair in pairs] + [task_told(names, vectors, task) for task in tasks]
    page.shown.append(Markup('<div class="course note">{}</div>').format(Markup("<br>").join(told)))


def vectors_of(event: Any, names: Sequence[str], width: int) -> dict[str, str]:
    """Return the controls that a message of the browser sets, and their texts; what is no vector sets nothing."""
    event = event if isinstance(event, dict) else {}
    found = {name: event[name] for name in names if is_vector(event.get(name), width)}
    return {name: " ".join(f"{value:.10g}" for value in values) for name, values in found.items()}


def is_vector(values: Any, width: int) -> bool:
    return isinstance(values, list) and len(values) == width and all(map(fits, values))


def fits(value: Any) -> bool:
    """Return whether a value is a number that may be typed."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= FARTHEST  # NaN is not


def product_told(names: Sequence[str], vectors: Array, pair: Pair) -> str:
    """Return the product of a pair as both lengths times the cosine of the angle."""
    rows = vectors[list(pair)]
    lengths = " × ".join(map(number, row_norms(rows)))
    cosine, product = number(float(row_cosines(rows[:1], rows[1:])[0])), number(float(rows[0] @ rows[1]))
    return f"{names[pair[0]]} · {names[pair[1]]} = {lengths} × {cosine} = {product}"


def is_done(vectors: Array, task: Task) -> bool:
    """Return whether a task is done."""
    larger, smaller = (float(vectors[i] @ vectors[j]) for i, j in (task.larger, task.smaller))
    return larger > smaller + CLEARLY


def task_told(names: Sequence[str], vectors: Array, task: Task) -> str:
    """Return a task, and whether it is done."""
    if not is_done(vectors, task):
        return f"○ {task.text} Not yet."
    return f"✓ {task.text} Done.{lengths_told(names, vectors, task.larger) if task.lengths else ''}"


def lengths_told(names: Sequence[str], vectors: Array, pair: Pair) -> str:
    """Return how long both of a pair are, the first of which is then longer, and how far their directions agree."""
    (first, second), rows = (names[place] for place in pair), vectors[list(pair)]
    long, short = map(number, row_norms(rows))
    cosine = number(float(row_cosines(rows[:1], rows[1:])[0]))
    return f" Length did it: {first} has {long}, {second} {short}. Their cos is {cosine}, of {second} with itself 1.00."
