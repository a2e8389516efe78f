"""The scaled scores: divided by √d_k."""

import math
from functools import partial

import numpy as np
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.equations.attention import AttentionCache
from attention_core.experiments.perturb import standard_deviation
from pages.charts.heatmap import SCORE_AXES
from pages.look.head_cards import weight_card
from pages.look.html import number, prose
from pages.page.page import Page
from pages.page.questions import Mistake, Number
from pages.page.steps import Step
from pages.qkv.common import KEY_WORD, QUERY_WORD, draw_map, thumbnail_of
from pages.qkv.matrices import View, score_limit
from pages.qkv.scene import OneHead

STEP = Step(
    "÷ √d_k",
    "Dividing calms the scores",
    "A score is a sum of d_k products, and the more there are, the wider scores spread: like √d_k. Dividing by "
    "√d_k keeps the spread in one place; these are the scaled scores. Drag d_k of random matrices, and compare "
    "the two numbers under the picture.",
)

SCALED_AXES = SCORE_AXES._replace(value="scaled score")


def draw(page: Page, scene: OneHead) -> bool:
    """Show the scaled scores once one of them was asked for."""
    before, after = number(standard_deviation(scene.products)), number(standard_deviation(scene.attention.scores))
    cell = draw_map(
        page,
        scaled_view(scene),
        "Scaled score",
        partial(weight_card, scene.attention, scene.labels, scene.labels, last="scaled score"),
        (QUERY_WORD, KEY_WORD),
        sentence=f"The spread (standard deviation) of the scores was {before}; of the scaled scores it is {after}.",
        note=scene.origin,
        question=scale_question(scene.products, scene.attention, scene.labels, page.variant("scale")),
    )
    return cell is not None


def thumbnail(scene: OneHead) -> Markup:
    """Return the small picture of the step."""
    return thumbnail_of(scaled_view(scene))


def scaled_view(scene: OneHead) -> View:
    """Return the scaled scores, in the colours of the scores before."""
    return View(scene.attention.scores, scene.labels, scene.labels, SCALED_AXES, score_limit(scene))


def scale_question(products: Array, attention: AttentionCache, labels: list[str], variant: int) -> Number:
    """Ask for a scaled score, given the score."""
    rng = np.random.default_rng([variant, 3])
    places = rng.integers(len(labels), size=(5, 2))
    asks, answers = max(places.tolist(), key=lambda place: abs(products[*place]))  # small ones hide the mistakes
    d_k = attention.q.shape[-1]
    product, score = float(products[asks, answers]), float(attention.scores[asks, answers])
    text = prose(
        f"The score of the query of {{asks}} with the key of {{answers}} is **{number(product)}**, and d_k, the width "
        f"of both, is {d_k}. What is the scaled score, after dividing by √d_k?",
        asks=labels[asks],
        answers=labels[answers],
    )
    return Number(
        "scale",
        text,
        score,
        max(0.02, 0.02 * abs(score)),
        f"{number(product)} ÷ √{d_k} = {number(product)} ÷ {number(math.sqrt(d_k))} = {number(score)}.",
        (
            Mistake(product, "That is the score itself, not yet divided."),
            Mistake(product / d_k, f"You divided by d_k; it is its root, √{d_k}."),
            Mistake(product * math.sqrt(d_k), "You multiplied by the root."),
            Mistake(-score, "The size is right, the sign is not: dividing by a root keeps it."),
        ),
        "",
    )
