"""The model as a diagram of its parts, with real shapes, and one of them opened: what it computes, holds and costs."""

from dataclasses import astuple
from html import escape

import numpy as np
import pandas as pd
import streamlit as st
from markupsafe import Markup

from attention_core.experiments.architecture import Box, bends, boxes, other_order
from attention_core.model.config import Config
from attention_core.model.parameters import n_parameters, parameter_parts
from pages.charts.box_diagram import Frame, Path, diagram
from pages.charts.lines import line_chart
from pages.look import cards
from pages.look.colours import ATTENTION, INK
from pages.look.html import memory, number, pairs, whole
from pages.look.thumbnails import bars
from pages.look.thumbnails import thumbnail as thumbnail_of
from pages.page.page import Page
from pages.page.steps import Step
from pages.tiny_lm.common import several
from pages.tiny_lm.learning_questions import attention_question, largest_question
from pages.tiny_lm.model_in_view import Subject
from pages.tiny_lm.parts.card import model_card
from pages.tiny_lm.parts.parameter_shares import shares
from pages.tiny_lm.parts.variants import otherwise

STEP = Step(
    "parts",
    "Every part, with its shapes",
    "This is the whole model. Follow the prompt from the top: each box says what it hands on and how many numbers "
    "it holds. Choose one to open it.",
)

ORDERS = ("as in this model", "the other way round")
WHAT = {
    "tokens": "The text as numbers: each token’s place in the vocabulary. Nothing is held here.",
    "embedding": "A row for each token of the vocabulary. The tokens of the text take theirs: looked up, not "
    "multiplied.",
    "positions": "A vector for each place is added, so that the same token differs from place to place.",
    "norm": "Each row is moved to mean 0 and deviation 1, then stretched by a gain and shifted by a bias.",
    "Q K V": "Three matrices make queries, keys and values. Their columns are split among the heads.",
    "heads": "Each head: softmax(q · k / √d_k + mask), then a mix of values. It multiplies, but holds no numbers.",
    "W_O": "Mixes what the heads bring, side by side, back to the width of the stream.",
    "add": "What was computed is added to what came in, by the path that leads past: a residual. Nothing is held here.",
    "feed-forward": "Each row alone: out to a wider layer, through a bend, and back.",
    "last norm": "One more norm before the output.",
    "logits": "The same matrix as the embedding, turned round: a logit is a row’s product with a token’s vector.",
}


def draw(page: Page, scene: Subject) -> None:
    """Draw the step."""
    building(page, scene)


def thumbnail(scene: Subject) -> Markup:
    """Return the small picture of the step."""
    parts = np.array(parameter_parts(scene.model.config), float)
    return thumbnail_of(bars((parts / parts.max()).tolist()), None)


def building(page: Page, subject: Subject) -> None:
    """Draw the diagram with a part of it in full, then what all parts hold, then the card of the model."""
    config = page.recipe.made("config", subject.model.config, Config, lambda: astuple(subject.model.config))
    if not page.ask(attention_question(config)):
        return
    length = len(subject.tokens)
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
        one_part(page, subject, once[chosen], config)
    with left:
        draw_diagram(page, subject, once, chosen, shown)
    st.subheader("Where the numbers are", anchor=False)
    if page.ask(largest_question(config, "this model", page.variant("largest"))):
        shares(page, config, held, once[chosen], length)
    st.subheader("The same numbers, built otherwise", anchor=False)
    otherwise(page, subject)
    st.subheader("The card of this model", anchor=False)
    page.write(model_card(subject))


def times(*sizes: int) -> str:
    """Return a shape."""
    return " × ".join(f"{size:,}".replace(",", "\u202f") for size in sizes)


def draw_diagram(page: Page, subject: Subject, once: list[Box], chosen: int, config: Config) -> None:
    """Draw the boxes of the model, those of its layers once."""
    inside = [place for place, part in enumerate(once) if part.layer == 0]
    adds = [place for place in inside if once[place].name.startswith("add")]
    before = config.norm == "pre"
    starts = [inside[0], *(place + (1 if before else 2) for place in adds[:-1])]
    layers = config.n_layers
    chart = diagram(
        [part.name for part in once],
        [times(*part.out) for part in once],
        [whole(part.n_parameters) if part.n_parameters else "–" for part in once],
        paths=[Path(start, add) for start, add in zip(starts, adds, strict=True)],
        frame=Frame(inside[0], inside[-1], f"layer 1 of {layers}"),
        chosen=chosen,
        name="architecture",
        sentence=f"{len(subject.tokens)} {subject.unit}s pass through {several(layers, 'layer')} and become "
        f"{len(subject.tokens)} × {config.vocab_size} logits. In each layer the norms stand "
        f"{'before' if before else 'after'} what they belong to.",
        numbers=pd.DataFrame(
            {
                "part": [part.name for part in once],
                "hands on": [times(*part.out) for part in once],
                "numbers held": [part.n_parameters for part in once],
                "operations": [part.operations for part in once],
            }
        ),
    )
    page.show(
        chart,
        lambda i, _: page.controls.put(part=once[i].name),
        "In each box: what it hands on, and how many numbers it holds. The lines at the right lead past: what comes "
        "in is added again.",
    )


def one_part(page: Page, subject: Subject, part: Box, config: Config) -> None:
    """Say what one part computes, and count it."""
    base = part.name.split(" ")[0] if part.name.startswith(("norm", "add")) else part.name
    total = n_parameters(config)
    per_layer = config.n_layers if part.layer == 0 else 1
    lines = [(escape(name.removeprefix("blocks.0.")), times(*shape)) for name, shape in part.arrays.items()]
    if part.name == "logits":
        lines.append(("token_embedding, again", times(config.d_model, config.vocab_size)))
    lines.append(("<b>hands on</b>", f"<b>{times(*part.out)}</b>"))
    count = part.n_parameters * per_layer
    layers = f", {per_layer} layers" if per_layer > 1 else ""
    lines += [
        (f"numbers{layers}", whole(count)),
        ("of all numbers", f"{number(100 * count / total, 1)} %"),
        ("memory, 32 and 16 bits each", f"{memory(4 * count)}, {memory(2 * count)}"),
        (f"operations in products{layers}", whole(part.operations * per_layer)),
        (
            f"of these a {subject.unit}",
            whole(round(part.operations * per_layer / part.out[-2 if len(part.out) > 1 else 0])),
        ),
    ]
    says = f'<p style="margin-bottom:10px">{WHAT[base]}{more(part, config)}</p>'
    page.write(cards.card(escape(part.name), says, pairs(lines)))
    if part.name == "feed-forward":
        bend(page, config)


def more(part: Box, config: Config) -> str:
    """Return what is to be said of a part in this very model."""
    if part.name == "heads":
        mask = "A mask hides what comes later." if config.causal else "No mask: every token sees all others."
        kinds = {"rope": "Positions turn queries and keys.", "alibi": "Distance lowers the scores."}
        slopes = "Distance lowers the scores of some heads." if config.alibi_slopes else kinds.get(config.positions, "")
        return f" {mask} {slopes}"
    if part.name == "positions":
        return " Learned." if config.positions == "learned" else " Waves: a formula, so nothing is held."
    if part.name == "feed-forward":
        return f" Here the bend is {config.activation.upper().replace('RELU', 'ReLU')}."
    return ""


def bend(page: Page, config: Config) -> None:
    """Draw the two functions that a feed-forward layer may bend its numbers by."""
    x = np.linspace(-4, 4, 81)
    found = page.recipe.run("bends", bends, page.recipe.given("x", x))
    chart = line_chart(
        x,
        {"GELU": found.gelu, "ReLU": found.relu},
        x_title="a number inside the layer",
        y_title="what becomes of it",
        x_domain=(-4.0, 4.0),
        y_domain=(-0.5, 5.0),
        name="bends",
        sentence="ReLU cuts off what is below 0; GELU does so softly, and lets a little pass.",
        colours=(ATTENTION, INK),
        number="",
        height=200,
    )
    page.show(chart)
