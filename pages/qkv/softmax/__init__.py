"""Softmax: from scaled scores to weights."""

import math
from functools import partial
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.equations.attention import AttentionCache
from attention_core.experiments.qkv.perturb import attends_to_itself, masked_scores
from pages.heads.matrices import Scene
from pages.look.html import number, prose
from pages.look.sentences import brightest_cell
from pages.page.page import Page
from pages.page.questions.kinds import Choice
from pages.page.steps import Step
from pages.qkv.common import (
    draw_map,
    draw_row_as_arcs,
    question_of_row,
    read_query_and_key,
    score_card,
    thumbnail_of,
    weight_cell,
)
from pages.qkv.matrices import weights_view
from pages.qkv.softmax.both_formulas import draw_both_formulas
from pages.qkv.softmax.constants import draw_constants, shift_question

STEP = Step(
    "softmax",
    "Softmax converts scores into weights",
    "Softmax raises e to each scaled score and divides by the row’s sum. An **attention weight** says how much of a "
    "key’s value the query’s word takes in. Rows sum to 1. Columns need not: one key may get large weights from all "
    "rows, another almost none.",
    words="amount experiment times",
)


def draw(page: Page, scene: Scene) -> bool:
    """Show the weights once two of them were compared, then what softmax keeps and what it changes."""
    cell = draw_map(
        page,
        weights_view(scene),
        "Weight",
        score_card(scene),
        weight_cell(page, scene.labels),
        sentence=weights_sentence(scene),
        note=scene.origin,
        question=question_of_row(page, scene.labels, "ratio", partial(ratio_question, scene.attention, scene.labels)),
        above=partial(draw_row_as_arcs, page, scene),
    )
    if cell is None:
        return False
    read_query_and_key(page, scene, *cell)
    page.say("In this lesson “weights” are attention weights. Elsewhere the word often means parameters.", "note")
    row, column = cell
    page.heading("Softmax in detail")
    shift = question_of_row(page, scene.labels, "shift", partial(shift_question, scene.attention, scene.labels))
    if shift is None or page.ask(shift):
        draw_constants(page, scene, row, column)
        draw_both_formulas(page, scene, row)  # which says what a constant does
    return True


def thumbnail(scene: Scene) -> Markup:
    return thumbnail_of(weights_view(scene))


def weights_sentence(scene: Scene) -> str:
    """Return which weight is largest, and how many words attend to themselves."""
    weights = scene.attention.weights
    if len(weights) == 1:
        return brightest_cell(weights, scene.labels)
    own = int(attends_to_itself(weights).sum())
    attend = "attends to itself" if own == 1 else "attend to themselves"
    attending = f"{own} of {len(weights)} words {attend} at least as much as to any other."
    masked = " The causal mask blocks later words: their weights are 0."
    return f"{brightest_cell(weights, scene.labels)} {attending}{'' if scene.attention.mask is None else masked}"


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
        """What comes of dividing the scores; None where no one would, or would believe it."""
        found = self.higher / self.lower if self.lower else math.inf
        return found if abs(found) < 1e4 and amount(found) != amount(0) else None


def compared_keys(scores: Array, variant: int) -> Compared | None:
    """Return the key of a row with the largest weight and one to compare it with; None where there is none."""
    keys = telling_keys(scores)
    if not keys:
        return None
    first, second = int(scores.argmax()), keys[variant % len(keys)]
    return Compared(first, second, *(round(float(scores[key]), 2) for key in (first, second)))


def ratio_question(attention: AttentionCache, labels: list[str], row: int, variant: int) -> Choice | None:
    """Ask how many times as large the largest weight of a row is as another, given the two scores."""
    keys = compared_keys(masked_scores(attention)[row], variant)
    if keys is None:
        return None
    right = amount(ratio_of(keys.gap))
    gap, shown_higher, shown_lower = map(number, (keys.gap, keys.higher, keys.lower))
    mistakes = {amount(1): "Only equal scores get equal weights. Raise e to the difference."}
    mistakes.setdefault(amount(keys.gap), f"You took the difference of the scores, {gap}. Raise e to that power.")
    if keys.quotient is not None:
        below = ", but a weight is never negative" if keys.quotient < 0 else ""
        divided = f"You divided the scores{below}. Subtract them, then raise e to the difference."
        mistakes.setdefault(amount(keys.quotient), divided)
    text = prose(
        f"In the row of {{asks}}, the key {{first}} has the scaled score **{shown_higher}** and {{second}} has "
        f"**{shown_lower}**. How large will the weight of {{first}} be, compared with that of {{second}}?",
        asks=labels[row],
        first=labels[keys.first],
        second=labels[keys.second],
    )
    taken = f"({shown_lower})" if keys.lower < 0 else shown_lower
    why = Markup("{} − {} = {}, and e<sup>{}</sup> is {}.").format(
        shown_higher, taken, gap, gap, factor(ratio_of(keys.gap))
    )
    asked = Choice.shuffled("ratio", text, [right], why, {right: ""} | mistakes, variant)
    return asked._replace(place=(row, keys.first))


def telling_keys(scores: Array) -> list[int]:
    """Return the keys of a row whose weight is worth comparing with the largest: not equal to it, and no two alike.

    First comes one whose score is about 1 below. A mask may leave a single key, and none here.
    """
    best = float(scores.max())
    gaps = {key: gap_shown(best, float(scores[key])) for key in np.flatnonzero(scores > -np.inf).tolist()}
    keys = sorted(
        (key for key, gap in gaps.items() if amount(ratio_of(gap)) != amount(1)), key=lambda key: abs(gaps[key] - 1.2)
    )
    return list({number(scores[key]): key for key in keys[::-1]}.values())[::-1]


def gap_shown(higher: float, lower: float) -> float:
    """Return the difference of two scores as it follows from their two digits in the map."""
    return round(round(higher, 2) - round(lower, 2), 2)


def ratio_of(gap: float) -> float:
    """Return how many times as large a weight is whose score is larger by a gap."""
    return math.exp(min(gap, 700.0))


def amount(times: float) -> str:
    """Return how many times as large something is, as an option to choose."""
    return "equally large" if abs(times - 1) < 0.05 else f"{factor(times)} times as large"


def factor(times: float) -> str:
    """Return a factor with about two digits: two digits of the scores tell no more."""
    size = abs(times)
    if size >= 1e4:
        return "more than 10,000"
    digits = 1 if size < 9.95 else 1 - math.floor(math.log10(size))
    return f"about {number(round(times, digits), max(digits, 0))}"
