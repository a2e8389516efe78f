"""One number of X or of a matrix is changed: what else changes with it."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st

from attention_core.experiments.qkv.one_head import attend
from attention_core.experiments.qkv.perturb import changed_cells, one_number_changed
from pages.heads.matrices import OneHead
from pages.page.page import Page
from pages.page.steps import Step
from pages.qkv.common import MATRICES, draw_small_map
from pages.qkv.matrices import MatrixView, columns_of, columns_of_x, output_view, projection_view, weights_view, x_view

PARTS: dict[str, Callable[[OneHead], MatrixView]] = {
    "V": partial(projection_view, name="v"),  # what changes at first is seen beside the slider
    "weights": weights_view,
    "output": output_view,
    "X": x_view,
    **{name.upper(): partial(projection_view, name=name) for name in "qk"},
}
CHANGED, SAME = "Outlined: numbers that have changed.", "No number has changed."

STEP = Step(
    "one number",
    "The value matrix changes no weight",
    "W_Q and W_K decide which word attends to which, W_V only what is passed on. Change one number of a matrix and see "
    "which other numbers change. Each changed number has a thin outline.",
    experiment="change change_by change_column change_row",
    helps="reach",
)


def draw(page: Page, scene: OneHead) -> None:
    """Change one number of X or of a matrix, and outline every number that changes with it."""
    controls = page.controls
    with page.fields:
        matrix = controls.choice("change", "Matrix", MATRICES, "W_V")
        parts = {"X": scene.x, **dict(zip(MATRICES[1:], scene.head, strict=True))}
        old = parts[matrix]
        rows = scene.labels if matrix == "X" else columns_of_x(scene)
        columns = columns_of_x(scene) if matrix == "X" else columns_of(scene, matrix[-1].lower())
        row = rows.index(controls.select("change_row", "Row", rows, rows[min(3, len(rows) - 1)], width=130))
        usual = columns[usual_column(scene, matrix, len(columns))]
        column = columns.index(controls.select("change_column", "Column", columns, usual, width=130))
        by = controls.slider("change_by", "Added amount", -3.0, 3.0, 1.0, 0.5, width=200)
    new = page.recipe.run("changed", one_number_changed, old, row, column, by)
    x = new if matrix == "X" else scene.x
    head = scene.head
    if matrix != "X":
        head = page.recipe.run("changed_head", type(head), *head._replace(**{matrix.lower(): new}))
    mask = [] if scene.attention.mask is None else [scene.attention.mask]
    attention = page.recipe.run("changed_attention", attend, x, head, *mask)
    page.prints(f"changed entry of {matrix}", new, row, column)
    changed = replace(scene, x=x, head=head, attention=attention)
    after = {title: view(changed) for title, view in PARTS.items()}
    found = {title: changed_cells(view(scene).values, after[title].values) for title, view in PARTS.items()}
    page.write(scene.origin, "note")
    grid = st.grid(3, min_column_width=230, gap="medium")
    for title, view in after.items():
        with grid.cell():
            told = f"{title}. {CHANGED if found[title].any() else SAME}"
            draw_small_map(page, view, title, name=f"changed {title}", sentence=told, moved=found[title])


def usual_column(scene: OneHead, matrix: str, n_columns: int) -> int:
    """Return the column at which the change starts: of X one that a hand-made head reads, or nothing would follow."""
    usual = min(3, n_columns - 1)
    if matrix != "X" or scene.kind != "hand-made":
        return usual
    read = np.flatnonzero(np.hstack(scene.head).any(axis=1))
    return usual if usual in read else int(read[0])
