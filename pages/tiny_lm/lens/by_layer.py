"""The logit lens: what the model would bet if it ended after an earlier layer."""

from typing import Any

import numpy as np
import streamlit as st

from attention_core.experiments.logit_lens import Lens, TokenPath, logit_lens, token_path
from attention_core.model.activations import Insides
from attention_core.text.characters import split_characters
from pages.charts.bars import share_bars
from pages.charts.heatmap import Axes, heatmap
from pages.charts.lines import line_chart
from pages.look.html import number, quoted
from pages.page.page import Page
from pages.page.questions import Choice
from pages.tiny_lm.asked_position import asked_position, distinct
from pages.tiny_lm.common import chosen_place
from pages.tiny_lm.model_in_view import Subject

LENS_AXES = Axes("token", "layer", "share", words=True)
SHOWN = 8  # of the vocabulary, the likeliest
LONGEST = 11  # characters of a token in a cell


def draw(page: Page, subject: Subject, inside: Insides) -> bool:
    """Draw what every layer would bet at every position; of one, the likeliest tokens and the way of the last bet."""
    found = page.recipe.run("lens", logit_lens, inside)
    if not page.ask(lens_question(subject, found, asked_position(page, subject, "lens"))):
        return False
    names = layer_names(subject.model.config.n_layers)
    left, right = st.columns([1.18, 1], gap="large")
    with right, st.container(horizontal=True):
        position = chosen_place(page, subject)
        layer = names.index(page.controls.select("layer", "Read after", names, names[0], width=150))
    with left:
        lens_map(page, subject, found, names, position, layer)
    final = int(found.likeliest[-1, position])
    path = page.recipe.run("path", token_path, found, position, final)
    with right:
        chosen_bet(page, subject, found, path, position, layer)
    st.subheader("How the last bet’s token got there", anchor=False)
    the_way(page, path, found.bets.shape[-1])
    return True


def layer_names(n_layers: int) -> list[str]:
    """Return what the readings of the stream are called."""
    return ["embedding", *(f"layer {layer + 1}" for layer in range(n_layers))]


def cut(token: str) -> str:
    """Return a token that fits into a cell."""
    characters = split_characters(token)
    return token if len(characters) <= LONGEST else "".join(characters[: LONGEST - 1]) + "…"


def lens_map(page: Page, subject: Subject, found: Lens, names: list[str], position: int, layer: int) -> None:
    """Draw the likeliest token of every layer and position, its share as the colour."""
    texts = np.array([[cut(subject.token(token)) for token in row] for row in found.likeliest.T], dtype=object)
    early = found.agrees_with_final.T.copy()
    early[:, -1] = False  # there they agree by definition
    labels = subject.labels

    def pick(i: int, j: int) -> None:
        page.controls.put(at=labels[i], layer=names[j])

    said = (
        f"The likeliest next {subject.unit} if the model ended there, from the embedding alone to the last layer. Of "
        f"the {len(labels)} bets in the end, the embedding alone has {int(found.agrees_with_final[0].sum())} already."
    )
    chart = heatmap(
        found.shares.T,
        labels,
        names,
        LENS_AXES,
        name="lens",
        sentence=said,
        chosen=(position, layer),
        moved=early,
        clickable=True,
        texts=texts,
    )
    page.show(
        chart,
        pick,
        "A thin outline: the same token as in the end. The last norm and the output matrix learned to read the last "
        "layer; what they say of an earlier one is no bet that the model made. " + subject.origin,
    )


def chosen_bet(page: Page, subject: Subject, found: Lens, path: TokenPath, position: int, layer: int) -> None:
    """Draw the likeliest tokens of one reading."""
    bets = found.bets[layer, position]
    order = np.argsort(-bets, kind="stable")[:SHOWN]
    final = int(found.likeliest[-1, position])
    shown = np.flatnonzero(order == final)
    chart = share_bars(
        [subject.token(int(token)) for token in order],
        bets[order],
        name="reading",
        sentence="The likeliest tokens of the chosen reading; in bold the one on which the model bets in the end.",
        highlight=int(shown[0]) if len(shown) else None,
        title="share",
        of=subject.unit,
    )
    own = int(subject.tokens[position])
    page.show(chart)
    page.say(
        f"Read after {layer_names(len(found.bets) - 1)[layer]}, {{bet}} has a share of "
        f"**{number(path.shares[layer])}** and rank {int(path.ranks[layer])} of {bets.size}. The {subject.unit} that "
        f"stands there, {{own}}, is given {number(bets[own])}.",
        "",
        bet=subject.token(final),
        own=subject.token(own),
    )


def the_way(page: Page, path: TokenPath, n_tokens: int) -> None:
    """Draw how the share and the rank of the token that is bet on in the end move from layer to layer."""
    n_layers = len(path.shares) - 1
    x = np.arange(n_layers + 1)
    along: dict[str, Any] = {"x_title": "layers read", "x_domain": (0, n_layers), "dots": True, "height": 170}
    left, right = st.columns(2, gap="large")
    with left:
        said = "The share of the token on which the model bets in the end, by how many layers are read."
        chart = line_chart(
            x,
            {"share": path.shares},
            y_title="share",
            y_domain=(0.0, 1.0),
            name="share by layer",
            sentence=said,
            **along,
        )
        page.show(chart)
    with right:
        said = f"Its rank among the {n_tokens} tokens: 1 is the likeliest."
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
    """Ask what the embedding alone would bet on at a position."""
    bets = lens.bets[0, position]
    best, own, final = int(bets.argmax()), int(subject.tokens[position]), int(lens.likeliest[-1, position])
    ahead = np.argsort(-lens.bets[-1, position], kind="stable")[1:3]
    options = sorted(distinct([best, own, final, *ahead]))
    mistakes = []
    for token in options:
        share = f"Without any layer it has {number(float(bets[token]))}."
        if token == final != best:
            share = f"That is the bet at the end. It takes the layers to get there: {share[0].lower()}{share[1:]}"
        mistakes.append("" if bets[token] == bets[best] else share)
    why = f"{quoted(subject.token(best))} has {number(float(bets[best]))}."
    if best == own:
        why += (
            " Input and output use the same matrix here, and a vector agrees best with itself: a model without layers "
            "repeats what it reads. To say something new, something must be added."
        )
    else:
        why += (
            f" Input and output use the same matrix, so that one expects {quoted(subject.token(own))} itself "
            f"({number(float(bets[own]))}); position, and the last norm’s gain and bias, have moved it."
        )
    return Choice(
        "lens",
        "Take all layers away: the last norm and the output matrix read the embedding of "
        f"{quoted(subject.labels[position])} directly. On which {subject.unit} would such a model bet?",
        tuple(subject.token(token) for token in options),
        tuple(i for i, token in enumerate(options) if bets[token] == bets[best]),
        why,
        tuple(mistakes),
    )
