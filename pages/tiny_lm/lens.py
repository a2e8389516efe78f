"""The logit lens: what the model would predict if it ended after an earlier layer."""

from functools import partial

import numpy as np
import streamlit as st

from attention_core.experiments.inside.logit_lens import Lens, TokenPath, logit_lens, token_path
from attention_core.model.activations import insides
from pages.charts.bars import fraction_bars
from pages.charts.heatmap import CLICK, NO_LEGEND, Axes, frame, heatmap, outline, write
from pages.charts.lines import line_chart
from pages.look.facts import largest, ordered
from pages.look.html import number, quoted
from pages.page.page import Page
from pages.page.steps import Step
from pages.questions.kinds import Choice
from pages.tiny_lm.common import (
    SORTED,
    architecture_note,
    asked_position,
    chosen_place,
    distinct,
    layer_names,
    shortened,
)
from pages.tiny_lm.model_in_view import Subject

STEP = Step(
    "lens",
    "What would the model predict after each layer?",
    "The final LayerNorm and the unembedding make a prediction from the residual stream. The **logit lens** lets them "
    "read it after an earlier layer.",
    then="Click a cell.",
    words="layer",
)
LENS_AXES = Axes("token", "layer", "probability", words=True)
N_LIKELIEST = 5  # of the vocabulary, the likeliest
ROWS = 7  # positions in the map
LONGEST = 11  # characters of a token in a cell
AGREES = "Thin outline: the same token as after the last layer."


def draw(page: Page, scene: Subject) -> bool:
    """Draw the reading of each layer at some positions; of one, its likeliest tokens and the path of the prediction."""
    inside = page.recipe.run_once("inside", insides, scene.model, scene.tokens)
    page.drawing.pictured = "inside.weights[0, 0]"
    if scene.model.config.n_layers == 1 or not scene.model.config.d_hidden:
        architecture_note(page, scene)
    found = page.recipe.run("lens", logit_lens, inside)
    names, asked = layer_names(scene.model.config.n_layers), asked_position(scene, page.variant("lens"))
    question = page.question("lens", partial(lens_question, scene, found))
    if not page.ask(question, blank=lambda: lens_map(page, scene, found, names, asked, 0, hidden=True)):
        return False
    left, right = st.columns([1.18, 1], gap="large")
    with right, st.container(horizontal=True):
        position = chosen_place(page, scene)
        layer = names.index(page.controls.select("layer", "Layer read", names, names[0], width=150))
    what = f"probability of the likeliest token of {names[layer]} at {scene.labels[position]}"
    page.prints(what, found.shares, layer, position)
    with left:
        lens_map(page, scene, found, names, position, layer)
    path = page.recipe.run("path", token_path, found, position, int(found.likeliest[-1, position]))
    with right:
        chosen_reading(page, scene, found, path, position, layer)
    token_path_line(page, scene, found, path, position)
    return True


def lens_map(
    page: Page, subject: Subject, found: Lens, names: list[str], position: int, layer: int, hidden: bool = False
) -> None:
    """Draw the likeliest token of every layer, its probability as the colour, at some positions up to one, or around.

    While the question is open, what the embedding alone would predict is hidden.
    """
    first = max(0, min(position - ROWS + 2, len(subject.labels) - ROWS))
    rows = slice(first, first + ROWS)
    shown = ([shortened(subject.token(token), LONGEST) for token in row] for row in found.likeliest.T[rows])
    texts = np.array([*shown], dtype=object)
    shares, early = found.shares.T[rows].copy(), found.agrees_with_final.T[rows].copy()
    early[:, -1] = False  # there they agree by definition
    if hidden:
        texts[:, 0], shares[:, 0], early[:, 0] = "?", 0.0, False
    labels = subject.labels[rows]

    def pick(i: int, j: int) -> None:
        page.controls.put(at=labels[i], layer=names[j])

    said = f"The likeliest next {subject.noun} if the model ended there."
    layers = outline(position - first, layer), frame(early), write(texts), NO_LEGEND, *([] if hidden else [CLICK])
    chart = heatmap(shares, labels, names, LENS_AXES, *layers, name="lens", sentence=said)
    page.show(chart, None if hidden else pick, "" if hidden else AGREES)


def chosen_reading(page: Page, subject: Subject, found: Lens, path: TokenPath, position: int, layer: int) -> None:
    probabilities = found.bets[layer, position]
    order = np.array(ordered(probabilities, SORTED)[:N_LIKELIEST])
    final = int(found.likeliest[-1, position])
    shown = np.flatnonzero(order == final)
    chart = fraction_bars(
        [subject.token(int(token)) for token in order],
        probabilities[order],
        name="reading",
        sentence="The likeliest tokens of the chosen reading. Bold: the likeliest after the last layer.",
        highlight=int(shown[0]) if len(shown) else None,
        of=subject.noun,
    )
    page.show(chart)
    page.say(
        f"After {f'layer {layer}' if layer else 'the embedding'}, the final prediction {{final}} has probability "
        f"**{number(path.shares[layer])}** and rank {int(path.ranks[layer]):,} of {probabilities.size:,}.",
        "",
        final=subject.token(final),
    )


def token_path_line(page: Page, subject: Subject, found: Lens, path: TokenPath, position: int) -> None:
    """Draw the probability of the predicted token from layer to layer."""
    n_layers = len(path.shares) - 1
    token = quoted(subject.token(int(found.likeliest[-1, position])))
    chart = line_chart(
        np.arange(n_layers + 1),
        {"probability": path.shares},
        baselines={"one half": 0.5},
        x_title="layers read",
        y_title="probability",
        name="probability by layer",
        sentence=f"The probability of {token}, the final prediction, ends at {number(float(path.shares[-1]))}.",
        dots=True,
        height=120,
    )
    page.show(
        chart,
        note="Training unembeds the stream after the last layer, so an earlier reading is not a prediction of the "
        f"model. {subject.origin}",
    )


def lens_question(subject: Subject, lens: Lens, variant: int) -> Choice:
    """Ask what the embedding alone would predict at a position."""
    position = asked_position(subject, variant)
    readings = lens.bets[0, position]
    best, own, final = largest(readings, 3).first, int(subject.tokens[position]), int(lens.likeliest[-1, position])
    ahead = ordered(lens.bets[-1, position], SORTED)[1:3]
    options = sorted(distinct([best, own, final, *ahead]))
    shown = {token: number(float(readings[token]), 3) for token in options}
    mistakes = []
    for token in options:
        text = f"Without any layer its probability is {shown[token]}."
        if token == final != best:
            text = f"That is the prediction after the last layer. {text}"
        elif token == own:
            text = f"That is the token that the model reads. {text}"
        mistakes.append("" if shown[token] == shown[best] else text)
    return Choice(
        "lens",
        "Skip all layers: the final LayerNorm and the unembedding read the embedding of "
        f"{quoted(subject.labels[position])} directly. Which next {subject.noun} would such a model predict?",
        tuple(subject.token(token) for token in options),
        tuple(i for i, token in enumerate(options) if shown[token] == shown[best]),
        f"{quoted(subject.token(best))} has probability {shown[best]}. {reason(subject, best, own)}",
        tuple(mistakes),
    )


def reason(subject: Subject, best: int, own: int) -> str:
    """Return why a token is the likeliest where the embedding of another, or of itself, is read directly."""
    if best == own:
        return (
            "The unembedding is the embedding matrix itself. So a model without layers often predicts the token that "
            "it reads, or one with a longer, similar vector."
        )
    return (
        f"The unembedding is the embedding matrix, so one expects {quoted(subject.token(own))} itself. But vectors "
        "differ in length (norm), and the final LayerNorm changes this one."
    )
