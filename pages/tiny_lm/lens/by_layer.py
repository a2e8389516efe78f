"""The logit lens: what the model would predict if it ended after an earlier layer."""

from typing import Any

import numpy as np
import streamlit as st

from attention_core.experiments.inside.logit_lens import Lens, TokenPath, logit_lens, token_path
from attention_core.model.activations import Insides
from attention_core.text.characters import split_characters
from pages.charts.bars import fraction_bars
from pages.charts.heatmap import CLICK, Axes, frame, heatmap, outline, write
from pages.charts.lines import line_chart
from pages.look.html import number, quoted
from pages.page.page import Page
from pages.page.questions.kinds import Choice
from pages.tiny_lm.asked_position import asked_position, distinct
from pages.tiny_lm.common import adds_positions, chosen_place, layer_names
from pages.tiny_lm.model_in_view import Subject

LENS_AXES = Axes("token", "layer", "probability", words=True)
N_LIKELIEST = 8  # of the vocabulary, the likeliest
LONGEST = 11  # characters of a token in a cell


def draw(page: Page, subject: Subject, inside: Insides) -> bool:
    """Draw the reading of each layer at each position; of one, its likeliest tokens and the path of the prediction."""
    found = page.recipe.run("lens", logit_lens, inside)
    if not page.ask(lens_question(subject, found, asked_position(page, subject, "lens"))):
        return False
    names = layer_names(subject.model.config.n_layers)
    left, right = st.columns([1.18, 1], gap="large")
    with right, st.container(horizontal=True):
        position = chosen_place(page, subject)
        layer = names.index(page.controls.select("layer", "Layer read", names, names[0], width=150))
    what = f"probability of the likeliest token of {names[layer]} at {subject.labels[position]}"
    page.prints(what, found.shares, layer, position)
    with left:
        lens_map(page, subject, found, names, position, layer)
    final = int(found.likeliest[-1, position])
    path = page.recipe.run("path", token_path, found, position, final)
    with right:
        chosen_reading(page, subject, found, path, position, layer)
    page.heading("The predicted token, layer by layer", small=True)
    token_path_lines(page, path, found.bets.shape[-1])
    return True


def cut(token: str) -> str:
    """Return a token that fits into a cell."""
    characters = split_characters(token)
    return token if len(characters) <= LONGEST else "".join(characters[: LONGEST - 1]) + "…"


def lens_map(page: Page, subject: Subject, found: Lens, names: list[str], position: int, layer: int) -> None:
    """Draw the likeliest token of every layer and position, its probability as the colour."""
    texts = np.array([[cut(subject.token(token)) for token in row] for row in found.likeliest.T], dtype=object)
    early = found.agrees_with_final.T.copy()
    early[:, -1] = False  # there they agree by definition
    labels = subject.labels

    def pick(i: int, j: int) -> None:
        page.controls.put(at=labels[i], layer=names[j])

    said = (
        f"The likeliest next {subject.unit} if the model ended after the embedding or after each layer. With only "
        f"the embedding, it is the final prediction at {int(found.agrees_with_final[0].sum())} of "
        f"{len(labels)} positions."
    )
    layers = outline(position, layer), frame(early), write(texts), CLICK
    chart = heatmap(found.shares.T, labels, names, LENS_AXES, *layers, name="lens", sentence=said)
    page.show(
        chart,
        pick,
        "Thin outline: the same token as after the last layer. In training, only the stream after the last layer is "
        "unembedded, so an earlier reading is not a prediction of the model. " + subject.origin,
    )


def chosen_reading(page: Page, subject: Subject, found: Lens, path: TokenPath, position: int, layer: int) -> None:
    """Draw the likeliest tokens of one reading."""
    probabilities = found.bets[layer, position]
    order = np.argsort(-probabilities, kind="stable")[:N_LIKELIEST]
    final = int(found.likeliest[-1, position])
    shown = np.flatnonzero(order == final)
    chart = fraction_bars(
        [subject.token(int(token)) for token in order],
        probabilities[order],
        name="reading",
        sentence="The likeliest tokens of the chosen reading. Bold: the likeliest after the last layer.",
        highlight=int(shown[0]) if len(shown) else None,
        title="probability",
        of=subject.unit,
    )
    own = int(subject.tokens[position])
    page.show(chart)
    page.say(
        f"After {f'layer {layer}' if layer else 'the embedding'}, the logit lens gives the prediction {{final}} "
        f"the probability **{number(path.shares[layer])}** and rank {int(path.ranks[layer])} of {probabilities.size}. "
        f"The {subject.unit} at this position, {{own}}, gets {number(probabilities[own])}.",
        "",
        final=subject.token(final),
        own=subject.token(own),
    )


def token_path_lines(page: Page, path: TokenPath, n_tokens: int) -> None:
    """Draw the probability and the rank of the predicted token from layer to layer."""
    n_layers = len(path.shares) - 1
    x = np.arange(n_layers + 1)
    along: dict[str, Any] = {"x_title": "layers read", "dots": True, "height": 170}
    left, right = st.columns(2, gap="large")
    with left:
        said = "The probability of the predicted token, by the number of layers read."
        chart = line_chart(
            x,
            {"probability": path.shares},
            y_title="probability",
            name="probability by layer",
            sentence=said,
            **along,
        )
        page.show(chart)
    with right:
        said = f"Its rank among all {n_tokens} tokens; 1 is the likeliest."
        ranks = path.ranks.astype(float)
        chart = line_chart(
            x,
            {"rank": ranks},
            y_title="rank",
            y_domain=(1.0, float(max(2, n_tokens))),
            log_y=True,
            number=".0f",
            name="rank by layer",
            sentence=said,
            **along,
        )
        page.show(chart)


def lens_question(subject: Subject, lens: Lens, position: int) -> Choice:
    """Ask what the embedding alone would predict at a position."""
    readings = lens.bets[0, position]
    best, own, final = int(readings.argmax()), int(subject.tokens[position]), int(lens.likeliest[-1, position])
    ahead = np.argsort(-lens.bets[-1, position], kind="stable")[1:3]
    options = sorted(distinct([best, own, final, *ahead]))
    mistakes = []
    for token in options:
        text = f"Without any layer its probability is {number(float(readings[token]))}."
        if token == final != best:
            text = f"That is the prediction after the last layer. {text}"
        elif token == own:
            text = f"That is the token that the model reads. {text}"
        mistakes.append("" if readings[token] == readings[best] else text)
    return Choice(
        "lens",
        "Skip all layers: the final LayerNorm and the unembedding read the embedding of "
        f"{quoted(subject.labels[position])} directly. Which next {subject.unit} would such a model predict?",
        tuple(subject.token(token) for token in options),
        tuple(i for i, token in enumerate(options) if readings[token] == readings[best]),
        f"{quoted(subject.token(best))} has probability {number(float(readings[best]))}. {reason(subject, best, own)}",
        tuple(mistakes),
    )


def reason(subject: Subject, best: int, own: int) -> str:
    """Return why a token is the likeliest where the embedding of another, or of itself, is read directly."""
    if best == own:
        return (
            "The unembedding is the embedding matrix itself. So a model without layers mostly predicts the token that "
            "it reads, or one with a longer, similar vector."
        )
    embedding = subject.model.parameters.token_embedding
    added = adds_positions(subject.model.config)
    matches = embedding @ embedding[own]
    if matches[best] > matches[own]:
        return (
            f"The unembedding is the embedding matrix, and the vector of {quoted(subject.token(own))} has a larger dot "
            f"product with the vector of this token than with itself. {'Position and final' if added else 'The final'} "
            f"LayerNorm {'play' if added else 'plays'} a part too."
        )
    return (
        f"The unembedding is the embedding matrix, so one expects {quoted(subject.token(own))} itself. But the "
        f"{'position and the ' if added else ''}final LayerNorm change{'s' * (not added)} the vector."
    )
