"""What each part contributes to the final residual stream, as fractions that sum to 1."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.experiments.inside.residual_stream import StreamShares, stream_shares
from attention_core.model.activations import Insides
from attention_core.model.config import Config
from pages.charts.bars import signed_bars
from pages.charts.chart import rung
from pages.look import cards
from pages.look.html import number, quoted
from pages.page.page import Page
from pages.page.questions.kinds import Choice
from pages.tiny_lm.asked_position import asked_position, distinct
from pages.tiny_lm.common import adds_positions, chosen_place
from pages.tiny_lm.model_in_view import Subject


def draw(page: Page, subject: Subject, inside: Insides) -> bool:
    """Draw what each part contributes to the final stream, as fractions that sum to 1."""
    config = subject.model.config
    if config.norm != "pre":
        page.say(
            "In this model LayerNorm follows each addition (post-norm), so the final stream is no longer the sum of "
            "what the parts wrote. The models in the list, which are pre-norm, show this view.",
            "",
        )
        return True
    place = asked_position(page, subject, "whose")
    first = page.recipe.run("first_contributions", stream_shares, subject.model, inside, place)
    if not page.ask(whose_question(subject, first, place)):
        return False
    with st.container(horizontal=True):
        position = chosen_place(page, subject)
    shares = page.recipe.run("contributions", stream_shares, subject.model, inside, position)
    page.prints(f"length (norm) of the final stream at {subject.labels[position]}", "contributions.length")
    names, values = part_names(config), fractions(shares, config)
    left, right = st.columns([1.18, 1], gap="large")
    with left:
        chart = signed_bars(
            [*names, "Σ"],
            np.array([*values, shares.total]),
            limit=rung(float(np.abs(values).max())),
            name="contributions to the stream",
            sentence="Each part’s projection onto the final stream, as a fraction of the stream’s length. The "
            "fractions sum to 1; a negative one points against the sum.",
            title="fraction of the final stream",
            of="part",
        )
        page.show(chart, note=subject.origin)
    with right, st.container(border=True):
        heads, blocks = float(shares.heads.sum()), float(shares.feed_forwards.sum())
        lines = [
            ("token", "its embedding", shares.token),
            *([("position", "its embedding", shares.place)] if adds_positions(config) else []),
            ("heads", f"{shares.heads.size} together", heads),
            ("MLPs", "" if config.d_hidden else "this model has none", blocks),
            (Markup("<b>their sum</b>"), "", shares.total),
        ]
        title = Markup("The final stream at {}: length {}").format(
            quoted(subject.labels[position]), number(shares.length)
        )
        page.write(cards.card(title, cards.listed((what, note, number(value, 4)) for what, note, value in lines)))
    page.write(
        "The stream is the sum of these vectors. A fraction says how far a part points along the sum, not how useful "
        "the part is.",
        "note",
    )
    return True


def part_names(config: Config) -> list[str]:
    """Return the parts of the stream in the order in which they write."""
    names = ["token", "position"] if adds_positions(config) else ["token"]
    for layer in range(1, config.n_layers + 1):
        names += [f"head {layer}.{head}" for head in range(1, config.n_heads + 1)]
        names += [f"MLP {layer}"] if config.d_hidden else []
    return names


def fractions(shares: StreamShares, config: Config) -> list[float]:
    """Return the fractions in the same order."""
    values = [shares.token, shares.place] if adds_positions(config) else [shares.token]
    for heads, feed_forward in zip(shares.heads.tolist(), shares.feed_forwards.tolist(), strict=True):
        values += [*heads, *([feed_forward] if config.d_hidden else [])]
    return values


def whose_question(subject: Subject, shares: StreamShares, position: int) -> Choice:
    """Ask which part makes up most of the final stream at a position."""
    config = subject.model.config
    names, values = part_names(config), fractions(shares, config)
    embedded = "the embeddings of token and position" if adds_positions(config) else "the embedding of the token"
    order = np.argsort(-np.array(values), kind="stable")
    shown = sorted(distinct([0, 1, int(order[0]), *order[1:]]))
    best = max(values)
    mistakes = tuple("" if values[i] == best else f"Its fraction is {number(values[i])}." for i in shown)
    return Choice(
        "whose",
        f"The final stream at {quoted(subject.labels[position])} is a sum: {embedded}, and what the heads"
        f"{' and MLPs' if config.d_hidden else ''} wrote. Which of these parts is the largest fraction of the sum?",
        tuple(names[i] for i in shown),
        tuple(place for place, i in enumerate(shown) if values[i] == best),
        f"The fraction of {names[int(order[0])]} is {number(best)}. All fractions sum to 1, and one below 0 points "
        "against the sum.",
        mistakes,
    )
