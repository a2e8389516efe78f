"""Exercises at the end of the lesson on queries, keys and values."""

import numpy as np

from attention_core import scaled_dot_product_attention
from attention_core.arrays import Array
from pages.exercises.exercise import Exercise
from pages.exercises.faults.attention import NORMS, OUTPUTS, PRODUCTS, SCALES, variants, wrong_attention, wrong_weights
from pages.exercises.lessons.parts import (
    WORKED_K,
    WORKED_Q,
    attention_cases,
    own_attention,
    own_scores,
    query_key_cases,
)
from pages.exercises.tasks import Lines, fill_in, predict
from pages.exercises.texts import TEXTS
from pages.look.html import inline, prose
from pages.questions.kinds import Mistake

WEIGHTS_PRODUCTS = [name for name in PRODUCTS if name != "prod_QVt"]
WEIGHTS_SCALES = [name for name in SCALES if name != "scale_dv"]


def weights_alone(q: Array, k: Array) -> Array:
    """Return the weights of attention, which need no values."""
    return scaled_dot_product_attention(q, k, k)[1]


ATTENTION_WEIGHTS = Exercise(
    **TEXTS["attention_weights"],
    reference=weights_alone,
    cases=query_key_cases,
    variants=variants(
        wrong_weights,
        {"scale": WEIGHTS_SCALES, "norm": NORMS, "product": WEIGHTS_PRODUCTS, "transposed": ["out_transposed"]},
    ),
    weights=True,
    own=own_scores,
)
ATTENTION = Exercise(
    **TEXTS["attention"],
    reference=scaled_dot_product_attention,
    cases=attention_cases,
    variants=variants(wrong_attention, {"scale": SCALES, "norm": NORMS, "product": PRODUCTS, "output": OUTPUTS}),
    pair=True,
    own=own_attention,
)
EXERCISES = (ATTENTION_WEIGHTS, ATTENTION)

RIGHT = float(weights_alone(WORKED_Q, WORKED_K)[0, 0])
UNSCALED = float(scaled_dot_product_attention(WORKED_Q, WORKED_K, WORKED_K, scale=1.0)[1][0, 0])
HALVED = float(scaled_dot_product_attention(WORKED_Q, WORKED_K, WORKED_K, scale=0.5)[1][0, 0])

TASKS = (
    predict(
        "attention_weights",
        "exercise_weight",
        "A query is (1, 0). The keys are (1, 0), (0, 1) and (0.5, 0.5). Scores are divided by √d_k. What "
        "attention weight does the first key get?",
        RIGHT,
        "The scores 1, 0 and 0.5, divided by √2, are 0.71, 0 and 0.35. Their exponentials are 2.03, 1 and "
        "1.42, and 2.03 ÷ 4.45 = 0.46.",
        (
            Mistake(UNSCALED, "You did not scale the scores. Divide them by √2 before the softmax."),
            Mistake(HALVED, inline("You divided the scores by d_k = 2. Divide them by √2 ≈ 1.41.")),
            Mistake(1 / np.sqrt(2), "You gave the scaled score. Apply the softmax to all three."),
        ),
        "Take the three dot products, divide each by √2, and apply the softmax.",
    ),
    fill_in(
        ATTENTION_WEIGHTS,
        "exercise_product",
        "Which expression gives the score of every query with every key?",
        "Q @ K.T",
        "Each row is a query and each column a key.",
        {
            "K @ Q.T": "This has a row for each key and a column for each query, so it is transposed.",
            "Q.T @ K": inline("This adds over the words, and leaves a matrix of d_k × d_k."),
            "Q * K": "This multiplies entry by entry and adds nothing. A dot product adds the products.",
        },
    ),
    Lines(
        "attention",
        "exercise_order",
        prose("Put the lines of attention in order."),
        (
            "def attention(Q, K, V):",
            "    scores = Q @ K.T / np.sqrt(K.shape[-1])",
            "    e = np.exp(scores - scores.max(axis=-1, keepdims=True))",
            "    weights = e / e.sum(axis=-1, keepdims=True)",
            "    return weights @ V",
        ),
        prose("Scores, exponentials, weights, and then the weighted sum of the values."),
    ),
)
