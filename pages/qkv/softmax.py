"""Softmax: from scores to weights, in one row."""

import math
from functools import partial
from typing import NamedTuple

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.equations.attention import AttentionCache
from attention_core.equations.softmax import exponentials
from attention_core.experiments.qkv.explain import explain_weight, masked_scores
from pages.charts.heatmap import CLICK, ROW_SUMS, attention_heatmap, outline, steps_of_row
from pages.heads.matrices import OneHead
from pages.look.cards import card, chain, weight_lines
from pages.look.facts import as_shown, largest, looks_same
from pages.look.html import number, prose
from pages.look.sentences import brightest_cell
from pages.page.page import Page
from pages.page.steps import Step
from pages.qkv.common import pair_of_words, question_of_row, show_worked, weight_cell, worked_row
from pages.qkv.journey import draw_place
from pages.questions.kinds import Choice

STEP = Step(
    "softmax",
    "Softmax computes weights from scaled scores",
    "Each score is divided by √d_k, the root of a key’s width (lesson 2 says why). Softmax raises e to each **scaled "
    "score** and divides by the sum of the row. The **attention weights** of a row sum to 1.",
)
SCALED, RAISED, WEIGHT = "score ÷ √{}", "exponential", "weight"  # the rows
MASKED, LATER = ", masked", " −∞: a later word, which this model does not read (lesson 4)."
EQUALLY = "equally large"


def draw(page: Page, scene: OneHead) -> bool:
    """Show the weights of one row, stage by stage, once two of them were compared."""
    row, column = pair_of_words(page, scene)
    attention, labels = scene.attention, scene.labels
    scores = masked_scores(attention)[row]
    question = question_of_row(page, scene, "ratio", partial(ratio_question, attention, labels))
    if not (columns := page.ask_beside(question, partial(blank, page, scene, scores))):
        return False
    page.prints(f"weight from {labels[row]} to {labels[column]}", attention.weights, row, column)
    draw_place(page, scene, "softmax")
    powers = exponentials(attention.scores, attention.mask).values[row]
    stages = {scaled(attention): scores, RAISED: powers, WEIGHT: attention.weights[row]}
    with columns[0]:
        sentence = brightest_cell(attention.weights, labels, row)
        chart = worked_row(scene, stages, column, steps_of_row(attention, row), name="weights", sentence=sentence)
        later = LATER if np.isinf(scores).any() else ""
        show_worked(page, chart, labels, "" if scene.kind == "hand-made" else scene.origin + later)
        page.look_closer("All rows", partial(whole, page, scene, row, column))
    with columns[1], st.container(border=True):
        title = Markup('From the score of <b class="query">{}</b> → <b class="key">{}</b> to its weight')
        lines = weight_lines(explain_weight(attention, row, column), attention.q.shape[-1])
        page.write(card(title.format(labels[row], labels[column]), chain(*lines)))
    return True


def scaled(attention: AttentionCache) -> str:
    return SCALED.format(attention.q.shape[-1]) + MASKED * (attention.mask is not None)


def blank(page: Page, scene: OneHead, scores: Array) -> None:
    unknown = np.full(len(scores), np.nan)
    stages = {scaled(scene.attention): scores, RAISED: unknown, WEIGHT: unknown}
    page.show(worked_row(scene, stages, None, name="scores", sentence="The weights are still blank."))


def whole(page: Page, scene: OneHead, row: int, column: int) -> None:
    labels = scene.labels
    sentence = "A row sums to 1. A column may sum to more, because one key can get a large weight in every row."
    layers = ROW_SUMS, outline(row, column), CLICK
    chart = attention_heatmap(scene.attention, labels, *layers, name="all weights", sentence=sentence)
    page.show(chart, weight_cell(page, scene).choose)


class Compared(NamedTuple):
    """Two keys of a row, the first with the largest weight, and their scaled scores as the map shows them."""

    first: int
    second: int
    higher: float
    lower: float

    @property
    def gap(self) -> float:
        return gap_shown(self.higher, self.lower)

    @property
    def quotient(self) -> float | None:
        """What comes of dividing the scores; None where no one would or would believe it, or it is nearly right."""
        found = self.higher / self.lower if self.lower else math.inf
        near = abs(found / ratio_of(self.gap) - 1) < 0.25
        return found if abs(found) < 1e4 and amount(found) != amount(0) and not near else None


def compared_keys(scores: Array, variant: int) -> Compared | None:
    """Return the key of a row with the largest weight and one to compare it with; None where there is none."""
    keys = telling_keys(scores)
    if not keys:
        return None
    first, second = largest(scores).first, keys[variant % len(keys)]
    return Compared(first, second, *(float(as_shown(scores[key])) for key in (first, second)))


def ratio_question(attention: AttentionCache, labels: list[str], row: int, variant: int) -> Choice | None:
    """Ask how many times as large the largest weight of a row is as another, given the two scores."""
    keys = compared_keys(masked_scores(attention)[row], variant)
    if keys is None:
        return None
    right = amount(ratio_of(keys.gap))
    gap, shown_higher, shown_lower = map(number, (keys.gap, keys.higher, keys.lower))
    mistakes = {EQUALLY: "Keys with equal weights have equal scaled scores. Raise e to the difference."}
    mistakes.setdefault(amount(keys.gap), f"{gap} is the difference of the scaled scores. Raise e to that power.")
    if keys.quotient is not None:
        less = " A weight is never negative." if keys.quotient < 0 else ""
        divided = f"You divided the scaled scores.{less} Subtract them, then raise e to the difference."
        mistakes.setdefault(amount(keys.quotient), divided)
    text = prose(
        f"In the row of {{asks}}, the key {{first}} has the scaled score **{shown_higher}** and {{second}} has "
        f"**{shown_lower}**. How large will the weight of {{first}} be, compared with the weight of {{second}}?",
        asks=labels[row],
        first=labels[keys.first],
        second=labels[keys.second],
    )
    taken = f"({shown_lower})" if keys.lower < 0 else shown_lower
    why = Markup("{} − {} = {}, and e<sup>{}</sup> is {}.").format(
        shown_higher, taken, gap, gap, factor(ratio_of(keys.gap))
    )
    return Choice.of("ratio", text, right, why, mistakes, variant, place=(row, keys.first))


def telling_keys(scores: Array) -> list[int]:
    """Return the keys of a row whose weight is worth comparing with the largest: not equal to it, and no two alike.

    First comes one whose score is about 1 below. A mask may leave a single key, and none here.
    """
    best = float(scores.max())
    gaps = {key: gap_shown(best, float(scores[key])) for key in np.flatnonzero(scores > -np.inf).tolist()}
    keys = sorted(
        (key for key, gap in gaps.items() if amount(ratio_of(gap)) != EQUALLY), key=lambda key: abs(gaps[key] - 1.2)
    )
    return list({number(scores[key]): key for key in keys[::-1]}.values())[::-1]


def gap_shown(higher: float, lower: float) -> float:
    """Return the difference of two scores as it follows from their two digits in the map."""
    return float(as_shown(as_shown(higher) - as_shown(lower)))


def ratio_of(gap: float) -> float:
    """Return how many times as large a weight is whose score is larger by a gap."""
    return math.exp(min(gap, 700.0))


def amount(times: float) -> str:
    """Return how many times as large something is, as an option to choose."""
    return EQUALLY if looks_same(times, 1, 1) else f"{factor(times)} times as large"


def factor(times: float) -> str:
    """Return a factor with about two digits: two digits of the scores tell no more."""
    size = abs(times)
    if size >= 1e4:
        return "more than 10,000"
    digits = 1 if size < 9.95 else 1 - math.floor(math.log10(size))
    return f"about {number(round(times, digits), max(digits, 0))}"
