"""Whose writing the last stream is: the share of each part in it."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.experiments.residual_stream import StreamShares, stream_shares
from attention_core.model.activations import Insides
from pages.charts.bars import signed_bars
from pages.charts.chart import rung
from pages.look import cards
from pages.look.html import number, quoted, typed
from pages.page.page import Page
from pages.page.questions import Choice
from pages.tiny_lm.asked_position import asked_position, distinct
from pages.tiny_lm.common import chosen_place
from pages.tiny_lm.model_in_view import Subject


def draw(page: Page, subject: Subject, inside: Insides) -> bool:
    """Draw whose writing the last stream is, as shares that sum to 1."""
    config = subject.model.config
    if config.norm != "pre":
        page.say(
            "This model norms the stream itself after every layer (post-norm), so the last stream is no longer the sum "
            "of what the parts wrote. A model with its norms first, such as any that ships, shows this view.",
            "",
        )
        return True
    place = asked_position(page, subject, "whose")
    first = page.recipe.run("shares_first", stream_shares, subject.model, inside, place)
    if not page.ask(whose_question(subject, first, place)):
        return False
    with st.container(horizontal=True):
        position = chosen_place(page, subject)
    shares = page.recipe.run("shares", stream_shares, subject.model, inside, position)
    names = share_names(config.n_layers, config.n_heads, config.d_hidden > 0)
    values = share_values(shares, config.d_hidden > 0)
    left, right = st.columns([1.18, 1], gap="large")
    with left:
        chart = signed_bars(
            [*names, "Σ"],
            np.array([*values, shares.total]),
            limit=rung(float(np.abs(values).max())),
            name="shares of the stream",
            sentence="What each part has of the last stream: its shadow on the whole, divided by the whole. "
            "The shares sum to 1.",
            title="against the sum ← → along it",
            of="part",
        )
        page.show(chart, note=subject.origin)
    with right, st.container(border=True):
        heads, blocks = float(shares.heads.sum()), float(shares.feed_forwards.sum())
        lines = [
            ("token", "its embedding", shares.token),
            ("position", "its embedding", shares.place),
            ("heads", f"{shares.heads.size} together", heads),
            ("feed-forwards", "" if config.d_hidden else "this model has none", blocks),
            (Markup("<b>their sum</b>"), "", shares.total),
        ]
        title = Markup("The last stream at {}, {} long").format(typed(subject.labels[position]), number(shares.length))
        page.write(cards.card(title, cards.listed((what, note, number(value, 4)) for what, note, value in lines)))
    page.write(
        "The stream is these vectors, added. A share says how far a part points along the sum, not what the part is "
        "good for.",
        "note",
    )
    return True


def share_names(n_layers: int, n_heads: int, fed: bool) -> list[str]:
    """Return the parts of the stream in the order in which they are written."""
    names = ["token", "position"]
    for layer in range(1, n_layers + 1):
        names += [f"head {layer}.{head}" for head in range(1, n_heads + 1)]
        names += [f"feed-forward {layer}"] if fed else []
    return names


def share_values(shares: StreamShares, fed: bool) -> list[float]:
    """Return the shares in the same order."""
    values = [shares.token, shares.place]
    for heads, feed_forward in zip(shares.heads.tolist(), shares.feed_forwards.tolist(), strict=True):
        values += [*heads, *([feed_forward] if fed else [])]
    return values


def whose_question(subject: Subject, shares: StreamShares, position: int) -> Choice:
    """Ask which part makes up most of the last stream at a position."""
    config = subject.model.config
    fed = config.d_hidden > 0
    names, values = share_names(config.n_layers, config.n_heads, fed), share_values(shares, fed)
    order = np.argsort(-np.array(values), kind="stable")
    shown = sorted(distinct([0, 1, int(order[0]), *order[1:]]))
    best = max(values)
    mistakes = tuple("" if values[i] == best else f"Its share is {number(values[i])}." for i in shown)
    return Choice(
        "whose",
        f"The last stream at {quoted(subject.labels[position])} is a sum: the token’s embedding, its position’s, and "
        "all that heads and feed-forwards wrote. Which part makes up most of it?",
        tuple(names[i] for i in shown),
        tuple(place for place, i in enumerate(shown) if values[i] == best),
        f"The share of {names[int(order[0])]} is {number(best)}. All shares sum to 1; one below 0 points against the "
        "sum, and lets others exceed 1.",
        mistakes,
    )
