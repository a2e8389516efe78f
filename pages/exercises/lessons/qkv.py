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
from pages.exercises.tasks import fill_in, predict, put_in_order
from pages.exercises.texts import TEXTS

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
    predict("exercise_weight", RIGHT, (UNSCALED, HALVED, 1 / np.sqrt(2))),
    fill_in("exercise_product"),
    put_in_order("exercise_order"),
)
