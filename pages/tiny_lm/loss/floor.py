"""What follows the same beginning in fresh texts, and what no bet can do better than."""

from functools import lru_cache

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from attention_core.arrays import Tokens
from attention_core.experiments.text_loss import Examples, expected_loss, next_token_distribution
from attention_core.shipped.models import MODELS
from attention_core.text.corpora import source_of
from pages.charts.bars import share_bars
from pages.look.html import number
from pages.page.buttons import put_button
from pages.page.page import Page
from pages.tiny_lm.loss.example_rows import SHOWN, example_names
from pages.tiny_lm.model_in_view import Subject

FRESH, ENOUGH = 4000, 40  # texts drawn to see what follows, and how many must begin alike


@lru_cache(maxsize=64)
def fresh_texts(name: str, length: int) -> Tokens:
    """Return what a model that ships could learn from (FRESH, length + 1), drawn once for each length."""
    source = source_of(MODELS[name].source)
    rows = source.draw(np.random.default_rng(length), FRESH, length).rows
    return rows.astype(np.min_scalar_type(len(source.vocabulary)))


def fresh_counts(subject: Subject, context: Tokens) -> NDArray[np.int64]:
    """Return how often each token (V,) came next in fresh texts that begin with these tokens."""
    drawn = fresh_texts(subject.name, len(context))
    alike = (drawn[:, :-1] == context).all(axis=1)
    return np.bincount(drawn[alike, -1], minlength=len(subject.vocabulary))


def draw_floor(page: Page, subject: Subject, cases: Examples, row: int) -> None:
    """Compare the bet of one example with what followed the same beginning in fresh texts."""
    page.write(
        "Only where the text settles what comes. Elsewhere several tokens may follow, and whoever bets on them must "
        "pay for those that did not come. Choose example 1 and draw fresh texts that begin alike."
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        drawn = page.controls.switch("fresh", "Draw fresh texts")
        if row:
            first = {"example": example_names(subject)[0]}
            put_button(page, "Example 1", first, "first_example", disabled="example" in page.controls.locked)
    if not drawn:
        return
    if subject.name not in MODELS:
        page.write("For a model of your own there are no texts to draw from here.", "note")
        return
    context = subject.tokens[: row + 1]
    counts = fresh_counts(subject, context)
    n_alike = int(counts.sum())
    if n_alike < ENOUGH:
        page.write(
            f"Of {FRESH:,} fresh texts, {n_alike} begin with these {len(context)} {subject.unit}s: too few to say. "
            "Choose an example further up.",
            "note",
        )
        return
    found = page.recipe.run("following", next_token_distribution, page.recipe.given("counts", counts))
    paid = page.recipe.run("paid", expected_loss, found.shares, cases.bets[row])
    order = np.argsort(-found.shares, kind="stable")[:SHOWN]
    left, right = st.columns([1.18, 1], gap="large", vertical_alignment="center")
    with left:
        chart = share_bars(
            [subject.token(int(token)) for token in order],
            found.shares[order],
            name="what follows",
            sentence=f"What came next in {n_alike:,} of {FRESH:,} fresh texts: the likeliest has a share of "
            f"{found.shares.max():.2f}.",
            title="share of what came",
            of=subject.unit,
        )
        page.show(chart)
    with right:
        page.say(
            f"The entropy of what came is **{number(found.entropy)}** nats. No bet can lose less on average, however "
            f"large the model. The bet of this model would lose **{number(paid)}** on these texts.",
            "",
        )
