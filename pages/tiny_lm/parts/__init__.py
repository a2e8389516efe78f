"""The model as a diagram of its parts with their shapes, and one of them opened: what it computes and costs."""

from dataclasses import astuple

import streamlit as st

from attention_core.experiments.language.architecture import boxes, other_order
from attention_core.model.config import Config
from attention_core.model.parameters import attention_parameters, parameter_parts
from pages.look.html import inline, number, prose
from pages.page.page import Page
from pages.page.questions.kinds import Mistake, Number
from pages.page.steps import Step
from pages.reproduce.recipe import Short
from pages.tiny_lm.architecture_note import architecture_note
from pages.tiny_lm.common import several
from pages.tiny_lm.model_in_view import Subject
from pages.tiny_lm.parts.card import model_card
from pages.tiny_lm.parts.diagram import draw_diagram, label
from pages.tiny_lm.parts.one_part import draw_part
from pages.tiny_lm.parts.parameter_shares import largest_question, parameter_stacks
from pages.tiny_lm.parts.variants import compare_variants

STEP = Step(
    "model",
    "A transformer is an embedding, blocks and an unembedding",
    "A usual transformer repeats one block: attention, then an MLP, two matrices with an activation between. Each has "
    "a LayerNorm and a residual connection. Follow the prompt from the top: each box says which shape it returns, and "
    "how many parameters it has. Choose one.",
    asks="What is the whole model made of?",
    words="order part",
)

ORDERS = ("as in this model", "the other way round")


def draw(page: Page, scene: Subject) -> bool:
    """Draw the diagram with a part of it in full, then the parameters of all parts, then the model card."""
    short = Short("model.config")
    config = page.recipe.made("config", scene.model.config, Config, lambda: astuple(scene.model.config), short)
    architecture_note(page, scene)
    if not page.ask(attention_question(config)):
        return False
    length = len(scene.tokens)
    moved = page.controls.choice("order", "Order of LayerNorm", ORDERS, ORDERS[0]) == ORDERS[1]
    shown = page.recipe.run("moved_norms", other_order, config) if moved else config
    parts = page.recipe.run("parts", boxes, shown, length)
    once = [part for part in parts if part.layer <= 0]  # of the layers, which have equal parts, the first
    names = [label(part) for part in once]
    held = page.recipe.run("held", parameter_parts, config)
    left, right = st.columns([1.18, 1], gap="large")
    with right:
        usual = names.index("Q K V")
        chosen = names.index(page.controls.select("part", "Part", names, names[usual], width=220))
        page.prints(f"parameters of {names[chosen]}", f"parts[{parts.index(once[chosen])}].n_parameters")
        draw_part(page, scene, once[chosen], config)
    with left:
        draw_diagram(page, scene, once, chosen, shown)
    page.heading("Where the parameters are", small=True)
    if page.ask(largest_question(config, "this model", page.variant("largest"))):
        parameter_stacks(page, config, held, once[chosen], length)
    page.heading("Same parameters, another architecture", small=True)
    compare_variants(page, scene)
    page.heading("Model card", small=True)
    page.write(model_card(scene))
    return True


def attention_question(config: Config) -> Number:
    """Ask how many parameters the attention of one layer has."""
    width, right = config.d_model, attention_parameters(config.d_model)
    text = prose(
        f"This model has d_model = {width} and {several(config.n_heads, 'head')} per layer. How many parameters do "
        "W_Q, W_K, W_V and W_O of one layer have together?"
    )
    why = f"Four matrices of {width} × {width}: {number(right, 0)}."
    mistakes = (
        Mistake(
            right * config.n_heads, "You counted four whole matrices for each head. Each head uses a part of them."
        ),
        Mistake(width * width, "You counted one matrix. Multiply by four."),
        Mistake(3 * width * width, inline("You counted W_Q, W_K and W_V. Add W_O, which is as large.")),
        Mistake(4 * width, f"You counted one row of each matrix. Each has {width} rows of {width} entries."),
    )
    return Number("matrices", text, right, 0.49, why, mistakes, "", 0)
