"""Exercise on a whole layer of multi-head attention."""

import numpy as np

from attention_core import multi_head_attention
from attention_core.arrays import Array
from attention_core.experiments.multi_head.several_heads import random_heads
from attention_core.text.word_vectors import position_labels, word_vectors
from pages.exercises.exercise import Case, Exercise
from pages.exercises.faults.heads import one_fault
from pages.exercises.lessons.parts import OWN, normal
from pages.exercises.texts import TEXTS


def sentences(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return words, the four matrices and the number of heads."""
    return (
        Case("4 words of width 6, 3 heads", multi_head_arguments(np.random.default_rng(7), 4, 6, 3)),
        Case("3 words of width 8, 2 heads", multi_head_arguments(rng, 3, 8, 2)),
        Case("5 words of width 6, 2 heads", multi_head_arguments(rng, 5, 6, 2)),
        Case("one head", multi_head_arguments(rng, 3, 4, 1)),
        Case("one word", multi_head_arguments(rng, 1, 6, 2)),
    )


def multi_head_arguments(rng: np.random.Generator, length: int, width: int, n_heads: int) -> tuple[Array | int, ...]:
    return (normal(rng, length, width), *(normal(rng, width, width) for _ in range(4)), n_heads)


def own_words(words: list[str], d_model: int, n_heads: int, seed: int = 0) -> Case:
    """Return the test on a student's own words: their vectors, and matrices that are random with a seed."""
    heads = random_heads(d_model, seed)
    matrices = (heads.w_q, heads.w_k, heads.w_v, heads.w_o)
    labels = tuple(position_labels(words))
    return Case(OWN, (word_vectors(words, d_model, seed), *matrices, n_heads), rows=labels, columns=labels)


MULTI_HEAD = Exercise(
    **TEXTS["multi_head"],
    reference=multi_head_attention,
    cases=sentences,
    variants=one_fault(),
    pair=True,
    own=own_words,
    own_sizes=True,
)
