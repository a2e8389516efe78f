"""Copying: an induction head recalls a digit, in one sequence and over many."""

import streamlit as st
from markupsafe import Markup

from attention_core.shipped.models import model_at
from attention_core.shipped.plans import RECALL
from attention_core.text.corpora import source_of
from pages.look import thumbnails
from pages.page.page import Page
from pages.page.steps import Step
from pages.tiny_lm.copy import in_one_row, over_many_rows
from pages.tiny_lm.glimpse import glimpse_of
from pages.tiny_lm.model_in_view import Subject

STEP = Step(
    "copy",
    "Here, copying took heads in two layers",
    "In *a3c7b1e4a* each letter has a digit, and the pairs change from sequence to sequence. No parameter can store "
    "them, so the model must look back. This step always shows a model of the Copy task.",
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

RECALLED = "a3c7b1a"  # the sequence of the small picture


def draw(page: Page, scene: Subject) -> bool | None:
    """Show how a digit is recalled: which head finds it, from which checkpoint on, or what is lost without it."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        view = STEP.choose_view(page)
        if view is in_one_row.draw:
            in_one_row.offer_another(page, scene)
    return view(page, scene)


def thumbnail(scene: Subject) -> Markup:
    """Return the small picture of the step."""
    row = source_of(RECALL.source).vocabulary.encode(list(RECALLED))
    weights = glimpse_of(model_at(RECALL.name), row).inside.weights
    return thumbnails.thumbnail(weights[1, int(weights[1, :, -1, 1].argmax())], None)
