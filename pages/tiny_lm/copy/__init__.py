"""Copying what followed: two heads recall a digit, in the row of the prompt and over many rows."""

import streamlit as st
from markupsafe import Markup

from attention_core.shipped.models import RECALL, model_at
from attention_core.text.corpora import source_of
from pages.look import thumbnails
from pages.page.page import Page
from pages.page.steps import Step
from pages.tiny_lm.copy import in_one_row, over_many_rows
from pages.tiny_lm.glimpse import glimpse_of
from pages.tiny_lm.model_in_view import Subject

STEP = Step(
    "copy",
    "Two heads learn to copy",
    "In *a3c7b1e4a* each letter has a digit of its own, another one in every row: nothing can be known by heart. "
    "To say what follows the last *a*, a model must look back. This step shows letters and digits, whatever model "
    "the sidebar names.",
)

RECALLED = "a3c7b1a"  # the row of the small picture
LOOKS = ("the two heads", "since when", "without a head")


def draw(page: Page, scene: Subject) -> bool:
    """Show how a digit is recalled: which head finds it, since when, or what is lost without it."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        look = page.controls.choice("copy_look", "Look at", LOOKS, LOOKS[0])
        if look == LOOKS[0]:
            in_one_row.offer_another(page, scene)
    if look == LOOKS[0]:
        return in_one_row.draw(page, scene)
    if look == LOOKS[1]:
        over_many_rows.draw_story(page, scene)
        return True
    return over_many_rows.draw_without_heads(page, scene)


def thumbnail(scene: Subject) -> Markup:
    """Return the small picture of the step."""
    row = source_of(RECALL.source).vocabulary.encode(list(RECALLED))
    weights = glimpse_of(model_at(RECALL.name), row).inside.weights
    return thumbnails.thumbnail(weights[1, int(weights[1, :, -1, 1].argmax())], None)
