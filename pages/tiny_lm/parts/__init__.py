"""The model as a diagram of its parts, with real shapes, and one of them opened: what it computes, holds and costs."""

from dataclasses import astuple

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.experiments.architecture import boxes, other_order
from attention_core.model.config import Config
from attention_core.model.parameters import attention_parameters, parameter_parts
from pages.look import thumbnails
from pages.look.html import number, prose
from pages.page.page import Page
from pages.page.questions import Mistake, Number
from pages.page.steps import Step
from pages.tiny_lm.model_in_view import Subject
from pages.tiny_lm.parts.card import model_card
from pages.tiny_lm.parts.diagram import draw_diagram
from pages.tiny_lm.parts.one_part import draw_part
from pages.tiny_lm.parts.parameter_shares import largest_question, shares
from pages.tiny_lm.parts.variants import compare_variants

STEP = Step(
    "parts",
    "Every part, with its shapes",
    "This is the whole model. Follow the prompt from the top: each box says what it hands on and how many numbers "
    "it holds. Choose one to open it.",
)

ORDERS = ("as in this model", "the other way round")


def draw(page: Page, scene: Subject) -> bool:
    """Draw the diagram with a part of it in full, then what all parts hold, then the card of the model."""
    config = page.recipe.made("config", scene.model.config, Config, lambda: astuple(scene.model.config))
    if not page.ask(attention_question(config)):
        return False
    length = len(scene.tokens)
    turned = page.controls.choice("order", "Norms", ORDERS, ORDERS[0]) == ORDERS[1]
    shown = page.recipe.run("turned", other_order, config) if turned else config
    parts = page.recipe.run("parts", boxes, shown, length)
    once = [part for part in parts if part.layer <= 0]  # of the layers, which are alike, the first
    names = [part.name for part in once]
    held = page.recipe.run("held", parameter_parts, config)
    left, right = st.columns([1.18, 1], gap="large")
    with right:
        usual = names.index("Q K V")
        chosen = names.index(page.controls.select("part", "Part", names, names[usual], width=220))
        draw_part(page, scene, once[chosen], config)
    with left:
        draw_diagram(page, scene, once, chosen, shown)
    st.subheader("Where the numbers are", anchor=False)
    if page.ask(largest_question(config, "this model", page.variant("largest"))):
        shares(page, config, held, once[chosen], length)
    st.subheader("The same numbers, built otherwise", anchor=False)
    compare_variants(page, scene)
    st.subheader("The card of this model", anchor=False)
    page.write(model_card(scene))
    return True


def thumbnail(scene: Subject) -> Markup:
    """Return the small picture of the step."""
    parts = np.array(parameter_parts(scene.model.config), float)
    return thumbnails.thumbnail(thumbnails.bars((parts / parts.max()).tolist()), None)


def attention_question(config: Config) -> Number:
    """Ask how many numbers the attention of one layer holds."""
    width, right = config.d_model, attention_parameters(config.d_model)
    text = prose(
        f"This model is {width} wide and has {config.n_heads} head{'s' * (config.n_heads > 1)} a layer. How many "
        "numbers do W_Q, W_K, W_V and W_O of one layer hold together?"
    )
    why = f"Four matrices of {width} × {width}: {number(right, 0)}."
    mistakes = (
        Mistake(right * config.n_heads, "Heads share the four matrices: each owns some columns."),
        Mistake(width * width, "That is one of the four."),
        Mistake(3 * width * width, "W_O is a fourth, as large as the others."),
        Mistake(4 * width, f"A matrix has as many rows as columns here: {width} times {width} numbers."),
    )
    return Number("matrices", text, right, 0.5, why, mistakes, "", 0)
