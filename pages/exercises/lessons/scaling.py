"""Exercises at the end of the lesson on scaling."""

import numpy as np

from attention_core import softmax
from attention_core.arrays import Array
from pages.exercises.exercise import Case, Exercise
from pages.exercises.faults.attention import NORMS, PRODUCTS, SCALES, variants, wrong_scores
from pages.exercises.lessons.parts import WORKED_K, WORKED_Q, normal, own_scores, query_key_cases
from pages.exercises.tasks import fill_in, predict, put_in_order
from pages.exercises.texts import TEXTS


def scaled_scores(q: Array, k: Array) -> Array:
    return q @ k.T / np.sqrt(k.shape[-1])


def rows_of_scores(rng: np.random.Generator) -> tuple[Case, ...]:
    return (
        Case("the worked example", (np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 1.0]]),)),
        Case("3 rows of 4", (normal(rng, 3, 4),)),
        Case("5 rows of 2", (normal(rng, 5, 2),)),
        Case("one row of 7", (normal(rng, 1, 7),)),
        Case("large numbers", (np.array([[1e3, 1001, 1002], [-800, -801, -799], [-1e3, 1e3, -1001]]),), large=True),
    )


def own_rows(words: list[str], d_model: int, n_heads: int) -> Case:
    """Return the test on the scaled scores of a student's words."""
    found = own_scores(words, d_model, n_heads)
    return found._replace(arguments=(scaled_scores(*found.arguments),))


SOFTMAX = Exercise(
    **TEXTS["softmax"],
    reference=softmax,
    cases=rows_of_scores,
    variants=variants(lambda x, *, norm: NORMS[norm](x), {"norm": NORMS}),
    weights=True,
    own=own_rows,
)
SCORES = Exercise(
    **TEXTS["scores"],
    reference=scaled_scores,
    cases=query_key_cases,
    variants=variants(
        wrong_scores,
        {
            "scale": [name for name in SCALES if name not in ("scale_dv", "scale_after")],
            "more": ("softmaxed",),
            "product": [name for name in PRODUCTS if name != "prod_QVt"],
        },
    ),
    own=own_scores,
)
EXERCISES = (SOFTMAX, SCORES)

TASKS = (
    predict("exercise_score", float(scaled_scores(WORKED_Q, WORKED_K)[2, 2]), (1.0, 0.5, float(np.sqrt(2)))),
    fill_in("exercise_shift"),
    put_in_order("exercise_stable_order"),
)
