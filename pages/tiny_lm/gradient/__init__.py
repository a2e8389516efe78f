"""The gradient of the prompt's loss: one step against it, and one parameter nudged to test it."""

import streamlit as st

from attention_core.experiments.language.gradient_step import gradient_of
from attention_core.model.parameters import named_arrays
from pages.page.page import Page
from pages.page.steps import Step
from pages.tiny_lm.common import too_short
from pages.tiny_lm.gradient.central_difference import draw_nudge
from pages.tiny_lm.gradient.one_step import draw_step
from pages.tiny_lm.model_in_view import Subject

STEP = Step(
    "gradient",
    "The gradient points uphill, so step the other way",
    "The **gradient** has one slope (partial derivative) for each parameter: how fast the loss of this text rises if "
    "the parameter rises. **Backpropagation** computes all of them.",
    asks="What does the gradient say of a parameter?",
    then="A step of plain *gradient descent* moves each parameter a little against its slope.",
    words="array array_column array_row eta nudge slopes",
)

VIEWS = ("one step", "one parameter nudged")


def draw(page: Page, subject: Subject) -> bool:
    """Draw the gradient in the view that is chosen."""
    if too_short(page, subject):
        return True
    names = list(named_arrays(subject.model))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        view = page.controls.choice("slopes", "Gradient", VIEWS, VIEWS[0])
        array = names[0]
        if view != VIEWS[0]:
            array = page.controls.select("array", "Parameter array", names, names[0], width=280)
    found = page.recipe.run("gradient", gradient_of, subject.model, subject.tokens, array)
    if view == VIEWS[1]:
        return draw_nudge(page, subject, array, found)
    draw_step(page, subject, found)
    return True
