"""What follows the same context in new texts, and the loss that no prediction can go below: the entropy."""

from functools import lru_cache

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from attention_core.arrays import Tokens
from attention_core.experiments.language.text_loss import Examples, expected_loss, next_token_distribution
from attention_core.shipped.plans import MODELS
from attention_core.text.corpora import source_of
from attention_core.threads import one_at_a_time
from pages.charts.bars import fraction_bars
from pages.look.facts import of_several, ordered
from pages.look.html import number
from pages.page.buttons import put_button
from pages.page.page import Page
from pages.tiny_lm.common import SORTED
from pages.tiny_lm.loss.example_rows import N_ROWS, example_names
from pages.tiny_lm.model_in_view import Subject

FRESH, ENOUGH = 4000, 40  # texts generated to see what follows, and how many must begin with the context
ENTROPY = (
    "Only where the next token is certain. Elsewhere several can follow, and even a perfect model has a loss: the "
    "entropy. Choose example 1 and count what follows it in new texts."
)
BEGIN = "In new texts, {count} begin with this context."
TOO_FEW = " That is too few to measure, so choose an example with a shorter context."
FLOOR = (
    "The entropy of what follows is **{entropy}** nats. On these texts, no prediction from this context has a lower "
    "mean loss. The loss of this model’s prediction is **{paid}**."
)


@one_at_a_time
@lru_cache(maxsize=64)
def fresh_texts(name: str, length: int) -> Tokens:
    """Return texts (FRESH, length + 1) like those that a shipped model was trained on, once for each length."""
    source = source_of(MODELS[name].source)
    rows = source.draw(np.random.default_rng(length), FRESH, length).rows
    return rows.astype(np.min_scalar_type(len(source.vocabulary)))


def fresh_counts(subject: Subject, context: Tokens) -> NDArray[np.int64]:
    """Return how often each token (V,) came next in new texts that begin with these tokens."""
    drawn = fresh_texts(subject.name, len(context))
    return np.bincount(drawn[(drawn[:, :-1] == context).all(axis=1), -1], minlength=len(subject.vocabulary))


def draw_floor(page: Page, subject: Subject, cases: Examples, row: int) -> None:
    """Compare the prediction of one example with what followed the same context in new texts."""
    page.write(ENTROPY)
    with st.container(horizontal=True, vertical_alignment="center"):
        drawn = page.controls.switch("fresh", "Count in new texts")
        if row:
            first = {"example": example_names(subject)[0]}
            put_button(page, "Example 1", first, "first_example", disabled="example" in page.controls.locked)
    if not drawn:
        return
    if subject.name not in MODELS:
        page.write("For your own model, no new texts can be generated here.", "note")
        return
    counts = fresh_counts(subject, subject.tokens[: row + 1])
    begin = BEGIN.format(count=of_several(int(counts.sum()), FRESH, "text"))
    if counts.sum() < ENOUGH:
        page.write(begin + TOO_FEW, "note")
        return
    found = page.recipe.run("following", next_token_distribution, page.recipe.given("counts", counts))
    paid = page.recipe.run("paid", expected_loss, found.shares, cases.bets[row])
    order = ordered(found.shares, SORTED)[:N_ROWS]
    tokens, title = [subject.token(int(token)) for token in order], "fraction of the texts"
    left, right = st.columns([1.18, 1], gap="large", vertical_alignment="center")
    with left:
        look = {"title": title, "of": subject.noun}
        page.show(fraction_bars(tokens, found.shares[order], name="what follows", sentence=begin, **look))
    with right:
        page.say(FLOOR.format(entropy=number(found.entropy), paid=number(paid)), "")
