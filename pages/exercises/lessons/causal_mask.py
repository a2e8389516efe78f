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
from pages.exercises.tasks import Lines, fill_in, predict
from pages.exercises.texts import TEXTS
from pages.look.html import prose
from pages.questions.kinds import Mistake


def causal_attention(q: Array, k: Array, v: Array) -> tuple[Array, Array]:
    """Return attention in which no word attends to a later one."""
    return scaled_dot_product_attention(q, k, v, causal_mask(len(q)))


def lengths(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return lengths of sentences."""
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
MASK = Exercise(
    **TEXTS["causal_mask"],
    reference=causal_mask,
    cases=lengths,
    variants=mask_variants(),
    own=own_mask,
)
EXERCISES = (MASK, CAUSAL_ATTENTION, MULTI_HEAD)

TASKS = (
    predict(
        "causal_attention",
        "exercise_second_row",
        "All scaled scores of three words are 0. With a causal mask, what attention weight does the second "
        "word give to the first?",
        0.5,
        "The second word attends to two words with equal scores, so each gets 1 ÷ 2 = 0.5.",
        (
            Mistake(1 / 3, "You used no mask. The third word is masked for the second, so two words remain."),
            Mistake(1.0, "The first word gives that weight to itself. The second word attends to two words."),
            Mistake(0.0, "The first word comes before the second, so it is not masked."),
        ),
        "Count the words that the second one attends to, itself included.",
        1,
    ),
    predict(
        "causal_mask",
        "exercise_blocked",
        "How many cells does the causal mask of 5 words block?",
        float(causal_mask(5).sum()),
        "4 + 3 + 2 + 1 + 0 = 10.",
        (
            Mistake(15.0, "You counted the diagonal too. A word attends to itself, so subtract 5."),
            Mistake(25.0, "You counted all 25 cells. Count only those above the diagonal."),
            Mistake(20.0, "You counted all cells but the diagonal. Earlier keys are not blocked."),
        ),
        "Count the keys after the query in each row.",
        0,
    ),
    fill_in(
        CAUSAL_ATTENTION,
        "exercise_fill",
        "What should a masked score become?",
        "-np.inf",
        "Its exponential is 0, so its weight is 0 and the others sum to 1.",
        {
            "0.0": "A score of 0 is a score like any other, so its weight is not 0.",
            "scores - 1": "That is only a little less, so the key still gets weight.",
            "np.inf": "Softmax subtracts the largest score, and infinity minus infinity is NaN.",
        },
    ),
    Lines(
        "causal_attention",
        "exercise_mask_order",
        prose("Put the lines of causal attention in order."),
        (
            "def apply_causal_attention(Q, K, V):",
            "    scores = Q @ K.T / np.sqrt(Q.shape[-1])",
            "    scores[np.triu_indices(len(Q), k=1)] = -np.inf",
            "    e = np.exp(scores - scores.max(axis=-1, keepdims=True))",
            "    weights = e / e.sum(axis=-1, keepdims=True)",
            "    return weights @ V",
        ),
        prose("Mask after the scores and before the exponential."),
    ),
)
