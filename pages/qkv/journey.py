"""The way from a word’s vector to its output, line by line: each line is a step of the path."""

from functools import partial
from itertools import groupby
from typing import NamedTuple

import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.experiments.qkv.explain import WeightSteps, explain_weight
from pages.heads.matrices import OneHead
from pages.look.cards import listed, weight_lines
from pages.look.html import in_role, inline, number, tiny
from pages.page.page import Page
from pages.qkv.common import weight_cell
from pages.qkv.matrices import names_of_columns

MOST, NAMED = 4, 2  # numbers of a vector that are written out, the second with their names
LABELS = {"x": "X", "projections": "Q, K and V", "match": "query · key", "softmax": "softmax", "mix": "output"}


class JourneyLine(NamedTuple):
    step: str  # that explains it
    what: str
    said: str  # how it is computed
    value: str


def lines_of(scene: OneHead, row: int, column: int) -> list[JourneyLine]:
    """Return the lines of one query and one key."""
    attention, terms = scene.attention, explain_weight(scene.attention, row, column)
    asks, key, owner = (in_role(scene.labels[i], role) for i, role in ((row, "query"), (column, "key"), (row, "")))
    score, *weight = weight_lines(terms, attention.q.shape[-1])
    weighted = Markup("{} × value of {} + …").format(number(terms.weight), key)
    return [
        JourneyLine("x", Markup("vector of {}").format(owner), "", named(scene.x[row], names_of_columns(scene, "x"))),
        JourneyLine(
            "projections", Markup("query of {}").format(asks), inline("vector × W_Q"), written(attention.q[row])
        ),
        JourneyLine(
            "projections", Markup("key of {}").format(key), inline("its vector × W_K"), written(attention.k[column])
        ),
        JourneyLine("match", score[0], products(terms), number(score[2])),
        *(JourneyLine("softmax", what, note, in_line(what, value)) for what, note, value in weight),
        JourneyLine("mix", Markup("output of {}").format(asks), weighted, written(attention.output[row])),
    ]


def in_line(what: str, value: float) -> str:
    return tiny(value) if value > 0 and what != "weight" else number(value)


def written(vector: Array) -> str:
    """Return the first numbers of a vector."""
    return ", ".join(map(number, vector[:MOST])) + ", …" * (len(vector) > MOST)


def named(vector: Array, names: list[str] | None) -> str:
    """Return the first numbers of a vector that are not 0 with their names, or all first ones without names."""
    if names is None:
        return written(vector)
    found = [f"{name} {number(value)}" for name, value in zip(names, vector, strict=True) if value]
    return ", ".join(found[:NAMED]) + ", …" * (len(found) > NAMED)


def products(terms: WeightSteps) -> str:
    factors = [[number(value) if value >= 0 else f"({number(value)})" for value in own[:2]] for own in terms[:2]]
    both = " + ".join(f"{q} × {k}" for q, k in zip(*factors, strict=True))
    return both + " + …" * (len(terms.left) > len(factors[0]))


def draw_lines(page: Page, scene: OneHead, row: int, column: int) -> None:
    """Draw all lines, those of a step with a button that leads to it."""
    fixed = "step" in page.controls.locked
    with st.container(border=True, gap=None):
        for step, lines in groupby(lines_of(scene, row, column), lambda line: line.step):
            key = f"{page.name}_line_{step}"
            with st.container(horizontal=True, vertical_alignment="center", key=f"{key}_lines"):
                page.write(listed([(line.what, line.said, line.value) for line in lines]))
                go = partial(page.controls.put, step=step)
                st.button(f"{LABELS[step]} →", key=key, type="tertiary", width=110, on_click=go, disabled=fixed)


def draw_place(page: Page, scene: OneHead, step: str) -> None:
    """Draw the lines up to this step in short, its own lit."""
    lines, steps = lines_of(scene, *weight_cell(page, scene).chosen), list(LABELS)
    met = [line for line in lines if steps.index(line.step) <= steps.index(step)]
    chips = [Markup('<span class="dark">first picture, line {} of {}</span>').format(len(met), len(lines))]
    for line in met:
        look = "lit" if line.step == step else ""
        chips.append(Markup('<span class="{}">{} {}</span>').format(look, line.what, line.value))
    page.write(Markup("").join(chips), "chips")
