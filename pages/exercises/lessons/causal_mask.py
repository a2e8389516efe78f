"""Exercises at the end of the lesson on masks."""

from collections.abc import Callable
from functools import partial

import numpy as np

from attention_core import causal_mask, scaled_dot_product_attention
from attention_core.arrays import Array
from attention_core.text.word_vectors import position_labels
from pages.exercises.exercise import Case, Exercise, Variant
from pages.exercises.faults.attention import MASKS, NORMS, OUTPUTS, PRODUCTS, SCALES, variants, wrong_attention
from pages.exercises.lessons.parts import OWN, own_attention, sentence_cases
from pages.exercises.lessons.whole_layer import MULTI_HEAD
from pages.exercises.tasks import fill_in, predict, put_in_order
from pages.exercises.texts import TEXTS


def causal_attention(q: Array, k: Array, v: Array) -> tuple[Array, Array]:
    """Return attention in which no word attends to a later one."""
    return scaled_dot_product_attention(q, k, v, causal_mask(len(q)))


def lengths(rng: np.random.Generator) -> tuple[Case, ...]:
    others = rng.choice(np.arange(5, 12), 2, replace=False)
    return tuple(Case(f"{n} words" if n > 1 else "one word", (int(n),)) for n in (4, *others, 1))


BLOCKED: dict[str, Callable[[int], Array]] = {
    "right": causal_mask,
    "mask_flipped": lambda n: causal_mask(n).T,
    "mask_inverted": lambda n: ~causal_mask(n),
    "mask_strict": lambda n: ~causal_mask(n).T,
    "mask_late": lambda n: np.triu(np.ones((n, n), dtype=bool), k=2),
    "mask_missing": lambda n: np.zeros((n, n), dtype=bool),
}
FORMS = (
    ("mask_numbers", 1.0),
    *(("mask_additive", fill) for fill in (-np.inf, -1e9, np.finfo(np.float32).min, np.finfo(np.float64).min)),
)


def mask_variants() -> tuple[Variant, ...]:
    """Return the masks that block the wrong cells, those that are no booleans, and those that are both."""
    cells = [name for name in BLOCKED if name != "right"]
    plain = [Variant((name,), BLOCKED[name]) for name in cells]
    numbers = [Variant((form,), partial(filled, blocked="right", fill=fill)) for form, fill in FORMS]
    both = [Variant((name, form), partial(filled, blocked=name, fill=fill)) for name in cells for form, fill in FORMS]
    return (*plain, *numbers, *both)


def filled(n: int, blocked: str, fill: float | np.float32) -> Array:
    """Return a number where a mask blocks, and 0 elsewhere."""
    return np.where(BLOCKED[blocked](n), fill, 0.0)


def own_mask(words: list[str], d_model: int, n_heads: int) -> Case:
    """Return the test on the length of a student's words."""
    labels = tuple(position_labels(words))
    axes = ("query", "key", "mask value")
    return Case(OWN, (len(words),), rows=labels, columns=labels, axes=axes, told="True is shown as 1, False as 0.")


CAUSAL_ATTENTION = Exercise(
    **TEXTS["causal_attention"],
    reference=causal_attention,
    cases=sentence_cases,
    variants=variants(
        wrong_attention,
        {"mask": MASKS, "scale": SCALES, "norm": NORMS, "product": PRODUCTS, "output": OUTPUTS},
        mask="right",
    ),
    pair=True,
    own=own_attention,
)
MASK = Exercise(**TEXTS["causal_mask"], reference=causal_mask, cases=lengths, variants=mask_variants(), own=own_mask)
EXERCISES = (MASK, CAUSAL_ATTENTION, MULTI_HEAD)

TASKS = (
    predict("exercise_second_row", 0.5, (1 / 3, 1.0, 0.0), digits=1),
    predict("exercise_blocked", float(causal_mask(5).sum()), (15.0, 25.0, 20.0), digits=0),
    fill_in("exercise_fill"),
    put_in_order("exercise_mask_order"),
)
