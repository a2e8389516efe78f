"""Softmax: from scaled scores to weights."""

import math
from functools import partial

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.equations.attention import AttentionCache
from attention_core.experiments.perturb import attends_to_itself, masked_scores
from pages.look.head_cards import weight_card
from pages.look.html import number, prose
from pages.look.sentences import brightest_cell
from pages.page.page import Page
from pages.page.questions import Choice
from pages.page.steps import Step
from pages.qkv.common import KEY_WORD, QUERY_WORD, draw_map, thumbnail_of
from pages.qkv.matrices import weights_view
from pages.qkv.scene import OneHead
from pages.qkv.softmax.both_formulas import draw_both_formulas
from pages.qkv.softmax.constants import draw_constants, shift_question

STEP = Step(
    "softmax",
    "Softmax turns scores into shares",
    "How much of every word does this one take in? Exponentials make every score positive; dividing by their sum "
    "makes them shares of 1, the weights of the row. A column need not add up to 1: a word may be looked at by "
    "all, or by none.",
)


def draw(page: Page, scene: OneHead) -> bool:
    """Show the weights once two of them were compared, then what softmax keeps and what it changes."""
    cell = draw_map(
        page,
        weights_view(scene),
        "Weight",
        partial(weight_card, scene.attention, scene.labels, scene.labels),
        (QUERY_WORD, KEY_WORD),
        sentence=weights_sentence(scene),
        note=scene.origin,
        question=ratio_question(scene.attention, scene.labels, page.variant("ratio")),
    )
    if cell is None:
        return False
    row, column = cell
    st.header("Softmax, closely", anchor=False)
    if page.ask(shift_question(scene.attention, scene.labels, page.variant("shift"))):
        draw_constants(page, scene, row, column)
    draw_both_formulas(page, scene, row)
    return True


def thumbnail(scene: OneHead) -> Markup:
    """Return the small picture of the step."""
    return thumbnail_of(weights_view(scene))


def weights_sentence(scene: OneHead) -> str:
    """Return where the largest weight lies, and how many words look at themselves."""
    weights = scene.attention.weights
    own = int(attends_to_itself(weights).sum())
    look = "looks at itself" if own == 1 else "look at themselves"
    looks = f"{own} of {len(weights)} words {look} as much as at any other."
    masked = " A word sees itself and what came before; the rest of its row is 0."
    return f"{brightest_cell(weights, scene.labels)} {looks}{'' if scene.attention.mask is None else masked}"


def ratio_question(attention: AttentionCache, labels: list[str], variant: int) -> Choice:
    """Ask how much larger one share is than another, given the two scores."""
    rng = np.random.default_rng([variant, 4])
    scores = masked_scores(attention)
    rows = np.flatnonzero((scores > -np.inf).sum(axis=-1) > 1)  # a mask may leave a row a single key, and no other
    row = int(rng.choice(rows if rows.size else len(labels)))
    first, second = two_keys(scores[row])
    higher, lower = float(scores[row, first]), float(scores[row, second])
    difference = higher - lower
    times = math.exp(min(difference, 700.0))
    mistakes = {amount(1): "Only equal scores get equal weights."}
    mistakes.setdefault(
        amount(difference), "That is how much higher the score is; the exponential turns a difference into a factor."
    )
    if number(lower) != number(0) and abs(higher / lower) < 1e4:  # else no one would divide
        ratio = amount(higher / lower)
        below = ", but no weight is below 0" if ratio.startswith("−") else ""
        mistakes.setdefault(ratio, f"That is the ratio of the scores{below}; softmax goes by their difference.")
    text = prose(
        f"In the row of {{asks}}, the key {{first}} has the scaled score **{number(higher)}** and {{second}} has "
        f"**{number(lower)}**. How large will the weight of {{first}} be, compared with that of {{second}}?",
        asks=labels[row],
        first=labels[first],
        second=labels[second],
    )
    why = f"The score is {number(difference, 3)} higher, and e to the {number(difference, 3)} is {factor(times)}."
    right = amount(times)
    return Choice.shuffled("ratio", text, [right], why, {right: ""} | mistakes, variant)


def two_keys(scores: Array) -> tuple[int, int]:
    """Return the best key of a row, whose share can be seen, and another whose score lies about 1 below if any does."""
    best = int(scores.argmax())
    others = [int(key) for key in np.flatnonzero(scores > -np.inf) if key != best] or [best]
    return best, min(others, key=lambda key: abs(scores[best] - scores[key] - 1.2))


def amount(times: float) -> str:
    """Return how many times as large something is, as an option to choose."""
    return "as large as the other" if abs(times - 1) < 0.05 else f"{factor(times)} times as large"


def factor(times: float) -> str:
    """Return a factor, to one digit as far as digits tell anything."""
    return number(times, 1) if abs(times) < 1e4 else "more than 10 000"
