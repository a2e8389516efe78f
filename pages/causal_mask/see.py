"""The attention weights without the mask and with it, and what the mask does to those of one word."""

import numpy as np
import streamlit as st

from attention_core.experiments.scaling.head_metrics import weight_on_blocked
from pages.causal_mask.common import cell_of, first_masked, masked_map, name_weight, plain_map, shows, varied
from pages.causal_mask.scene import Masked
from pages.charts.cumulative_bar import cumulative_bar
from pages.look.facts import as_shown
from pages.look.html import number, prose
from pages.page.page import Page
from pages.page.steps import Step
from pages.questions.kinds import Choice
from pages.teaching.lecture import on_stage

STEP = Step(
    "mask",
    "A causal mask blocks the future",
    "A **causal mask** lets each query attend only to its own word and earlier ones. So no position can read the word "
    "that it must predict.",
    then="Later words get no weight. Click a row.",
)

CLEAR = 0.02  # of a row, so that a question is about what one sees


def draw(page: Page, scene: Masked) -> bool:
    """Show the attention weights without the mask and with it, side by side."""
    cell = cell_of(page, scene)
    small = not on_stage()  # so that the asked row of both maps is in view after the answer
    question = page.question("filled", lambda variant: filled_question(scene, variant))

    def draw_plain() -> None:
        row, column = question.place if question and question.place else (0, 0)
        page.head("Without a mask")
        page.show(plain_map(scene, row, column, True, small), note=without(scene))

    columns = page.ask_beside(question, draw_plain, shows(page, cell, question), 2)
    if not columns:
        return False
    with page.fields:
        row, column = cell.fields()
    name_weight(page, scene, row, column)
    with columns[0]:
        page.head("Without a mask")
        page.show(plain_map(scene, row, column, False, small), cell.choose, note=without(scene))
    with columns[1]:
        page.head("With the mask")
        page.show(masked_map(scene, row, column, small), cell.choose, note=scene.origin * (scene.kind == "trained"))
    bars = (
        ("without a mask", scene.plain.weights[row], "The row as a bar."),
        ("with the mask", scene.masked.weights[row], "The words that are left fill the row."),
    )
    for (name, own, told), place in zip(bars, st.columns(2, gap="medium"), strict=True):
        chart = cumulative_bar(
            scene.labels, own, chosen=column, drawn=None, name=f"row {name}", sentence=told, of="key"
        )
        with place:
            page.show(chart)
    return True


def without(scene: Masked) -> str:
    """Return whose the weights are that no mask was applied to."""
    trained = "This head was trained with a causal mask. Here it runs without one."
    return trained if scene.kind == "trained" else f"This is another head now, not one of Toy English. {scene.origin}"


def filled_question(scene: Masked, variant: int) -> Choice | None:
    """Ask what becomes of the weights that the mask leaves, in a row where it blocks much and they differ."""
    plain, masked, allowed = scene.plain.weights, as_shown(scene.masked.weights), ~scene.blocked
    removed, grown = weight_on_blocked(plain, scene.blocked), as_shown(masked - as_shown(plain))
    differ = np.array([np.ptp(row[kept]) > 0 for row, kept in zip(grown, allowed, strict=True)])
    rows = np.flatnonzero((as_shown(removed) > CLEAR) & differ)
    if not len(rows):
        return None
    row = varied(variant, -removed, rows)
    left = float(weight_on_blocked(plain, allowed)[row])
    text = prose(
        f"Without a mask, {{word}} has **{number(float(removed[row]))}** of its attention on later words. They are now "
        "blocked before softmax. What becomes of its other weights?",
        word=scene.labels[row],
    )
    right = "All grow by the same factor"
    reasons = {
        "They stay as they are": f"Then the row would sum to {number(left)}. Softmax runs over the words that "
        "are left, so their weights sum to 1.",
        "All grow by the same amount": "Softmax keeps the ratios of what is left. Adding an amount would change them.",
    }
    why = f"The exponentials stay. Before rounding, each weight is divided by {number(left, 4)}, which was their sum."
    return Choice.of("filled", text, right, why, reasons, variant, place=(row, first_masked(scene, row)))
