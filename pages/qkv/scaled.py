"""The scaled scores: divided by √d_k."""

import math
from functools import partial

import numpy as np
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.equations.attention import AttentionCache
from attention_core.experiments.qkv.perturb import standard_deviation
from pages.charts.heatmap import SCORE_AXES
from pages.heads.matrices import Scene
from pages.look.html import inline, number, prose
from pages.page.page import Page
from pages.page.questions.kinds import Mistake, Number
from pages.page.steps import Step
from pages.qkv.common import (
    digits_needed,
    draw_map,
    question_of_row,
    score_card,
    thumbnail_of,
    weight_cell,
)
from pages.qkv.matrices import View, score_limit

STEP = Step(
    "÷ √d_k",
    "Dividing by √dₖ keeps scores from growing with dₖ",
    "A score is a sum of d_k products. With random matrices, the standard deviation of scores (how far they "
    "usually lie from their mean) grows like √d_k on average, and dividing by √d_k cancels this growth.",
    then="Choose random matrices, drag d_k from 4 to 32, and compare the two standard deviations.",
)

SCALED_AXES = SCORE_AXES._replace(value="scaled score")


def draw(page: Page, scene: Scene) -> bool:
    """Show the scaled scores once one of them was asked for."""
    before, after = number(standard_deviation(scene.products)), number(standard_deviation(scene.attention.scores))
    cell = draw_map(
        page,
        scaled_view(scene),
        "Scaled score",
        score_card(scene, last="scaled score"),
        weight_cell(page, scene.labels),
        sentence=f"Standard deviation of the scores: {before}; of the scaled scores: {after}.",
        note=scene.origin,
        question=question_of_row(
            page, scene.labels, "scale", partial(scale_question, scene.products, scene.attention, scene.labels)
        ),
    )
    return cell is not None


def thumbnail(scene: Scene) -> Markup:
    return thumbnail_of(scaled_view(scene))


def scaled_view(scene: Scene) -> View:
    """Return the scaled scores, in the colours of the scores before."""
    return View(scene.attention.scores, scene.labels, scene.labels, SCALED_AXES, score_limit(scene))


def telling_keys(products: Array) -> list[int]:
    """Return the keys of a row whose scores are worth a question: not 0, and no two alike, the largest first."""
    found = {number(products[key]): key for key in np.argsort(np.abs(products), kind="stable").tolist()}
    found.pop(number(0), None)
    return list(found.values())[::-1]


def scale_question(
    products: Array, attention: AttentionCache, labels: list[str], row: int, variant: int
) -> Number | None:
    """Ask for a scaled score of a row, given the score; first for the largest."""
    keys = telling_keys(products[row])
    if not keys:
        return None
    asks, answers = row, keys[variant % len(keys)]
    d_k = attention.q.shape[-1]
    product, score, root = float(products[asks, answers]), float(attention.scores[asks, answers]), math.sqrt(d_k)
    digits = digits_needed(lambda a, b: number(a / b), product, root)
    shown, divisor = number(product, digits), number(root, 0 if root.is_integer() else digits)
    text = prose(
        f"The query of {{asks}} and the key of {{answers}} have the score **{shown}**. Their width d_k is {d_k}. "
        "What is the scaled score, after dividing by √d_k?",
        asks=labels[asks],
        answers=labels[answers],
    )
    return Number(
        "scale",
        text,
        score,
        max(0.02, 0.02 * abs(score)),
        f"{shown} ÷ √{d_k} = {shown} ÷ {divisor} = {number(score)}.",
        (
            Mistake(product, f"You gave the score itself. Divide it by √{d_k}."),
            Mistake(product / d_k, inline(f"You divided by d_k. Divide by its root, √{d_k}.")),
            Mistake(product * root, f"You multiplied by √{d_k}. Divide by it."),
            Mistake(-score, f"You changed the sign. √{d_k} is positive, so the sign stays."),
        ),
        "",
        place=(asks, answers),
    )
