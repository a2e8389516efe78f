"""The way from a word’s vector to its output, line by line: each line is a step of the path."""

from functools import partial
from itertools import groupby

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


JourneyLine = tuple[str, str, str, str]  # the step that explains it, what it is, how it is computed, its number


def lines_of(scene: OneHead, row: int, column: int) -> list[JourneyLine]:
    attention, terms = scene.attention, explain_weight(scene.attention, row, column)
    asks = in_role(scene.labels[row], "query")
    key, value = (in_role(scene.labels[column], role) for role in ("key", "value"))
    score, *weight = weight_lines(terms, attention.q.shape[-1])
    weighted = Markup("{} × value of {}{}").format(number(terms.weight), value, " + …" * (len(scene.labels) > 1))
    raised = [(what, note, tiny(size) if size > 0 else number(size)) for what, note, size in weight[:-1]]
    return [
        ("x", Markup("vector of {}").format(asks), "", named(scene.x[row], names_of_columns(scene, "x"))),
        ("projections", Markup("query of {}").format(asks), inline("vector × W_Q"), written(attention.q[row])),
        ("projections", Markup("key of {}").format(key), inline("its vector × W_K"), written(attention.k[column])),
        ("projections", Markup("value of {}").format(value), inline("its vector × W_V"), written(attention.v[column])),
        ("match", score[0], products(terms), number(score[2])),
        *(("softmax", *line) for line in raised),
        ("softmax", "weight", "", number(terms.weight)),
        ("mix", Markup("output of {}").format(asks), weighted, written(attention.output[row])),
    ]


def written(vector: Array) -> str:
    return ", ".join(map(number, vector[:MOST])) + ", …" * (len(vector) > MOST)


def named(vector: Array, names: list[str] | None) -> str:
    """Return the first numbers of a vector that are not 0 with their names, or all first ones without names."""
    if names is None:
        return written(vector)
    term = Markup("<span class=gloss>{}</span> {}")
    found = [term.format(name, number(value)) for name, value in zip(names, vector, strict=True) if value]
    return Markup(", ").join(found[:NAMED]) + ", …" * (len(found) > NAMED)


def products(terms: WeightSteps) -> str:
    both = " + ".join(f"{number(q)} × {number(k)}" for q, k in zip(terms.left[:2], terms.right[:2], strict=True))
    return both + " + …" * (len(terms.left) > 2)


def draw_lines(page: Page, scene: OneHead, row: int, column: int) -> None:
    """Draw all lines, those of a step with a button that leads to it."""
    fixed = "step" in page.controls.locked
    with st.container(border=True, gap=None, key="qkv_it_worked"):
        for step, lines in groupby(lines_of(scene, row, column), lambda line: line[0]):
            key = f"{page.name}_line_{step}"
            with st.container(key=f"{key}_lines", horizontal=True, horizontal_alignment="right"):
                page.write(listed([(what, said, value) for _, what, said, value in lines]))
                go = partial(page.controls.put, step=step)
                st.button(f"{LABELS[step]} →", key=key, type="tertiary", width=110, on_click=go, disabled=fixed)


def draw_place(page: Page, scene: OneHead, step: str) -> None:
    """Say beside the fields which lines of the first step this step explains."""
    lines = [what for place, what, *_ in lines_of(scene, *weight_cell(page, scene).chosen) if place == step]
    with page.fields:
        page.write(Markup("From the first picture: {}").format(Markup(", ").join(lines)), "note")
