"""Copying: an induction head recalls a digit, in one sequence and over many."""

import streamlit as st

from pages.page.page import Page
from pages.page.steps import Step
from pages.tiny_lm.copy import in_one_row, over_many_rows
from pages.tiny_lm.model_in_view import Subject

STEP = Step(
    "copy",
    "Here, copying took heads in two layers",
    "In *a3c7b1e4a* each letter has a digit, and the pairs change with each sequence. No parameter can store them, so "
    "the model must look back (**in-context learning**). This step always shows a model of the Copy task.",
    asks="Where must a head look to copy?",
    then="An induction head finds what followed *a* earlier.",
    words="from row",
    view="copy_look",
    views={
        "two heads": in_one_row.draw,
        "during training": over_many_rows.draw_story,
        "ablation": over_many_rows.draw_without_heads,
    },
)


def draw(page: Page, scene: Subject) -> bool | None:
    """Show how a digit is recalled: which head finds it, from which checkpoint on, or what is lost without it."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        view = STEP.choose_view(page)
        if view is in_one_row.draw:
            in_one_row.offer_another(page, scene)
    return view(page, scene)
