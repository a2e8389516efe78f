"""Exercises at the end of the lesson on several heads."""

import numpy as np

from attention_core.equations.heads import merge_heads, split_heads
from attention_core.text.word_vectors import position_labels, word_vectors
from pages.exercises.exercise import Case, Exercise, Variant
from pages.exercises.faults.heads import join_by_reshape, split_by_reshape
from pages.exercises.lessons.parts import OWN, normal
from pages.exercises.tasks import fill_in, predict, put_in_order
from pages.exercises.texts import TEXTS


def matrices_to_split(rng: np.random.Generator) -> tuple[Case, ...]:
    return (
        Case("the worked example", (np.arange(12.0).reshape(2, 6), 3)),
        Case("5 words, 2 heads of width 3", (normal(rng, 5, 6), 2)),
        Case("2 words, 3 heads of width 5", (normal(rng, 2, 15), 3)),
        Case("one word, 2 heads of width 4", (normal(rng, 1, 8), 2)),
    )


def heads_to_join(rng: np.random.Generator) -> tuple[Case, ...]:
    return (
        Case("the worked example", (np.arange(12.0).reshape(3, 2, 2),)),
        Case("2 heads, 5 words, width 3", (normal(rng, 2, 5, 3),)),
        Case("3 heads, 2 words, width 5", (normal(rng, 3, 2, 5),)),
        Case("2 heads, one word, width 4", (normal(rng, 2, 1, 4),)),
    )


def own_vectors(words: list[str], d_model: int, n_heads: int) -> Case:
    vectors = word_vectors(words, d_model, 0)
    told = "A row is a word, and the columns are those of X, counted from 0 in each head."
    return Case(OWN, (vectors, n_heads), rows=tuple(position_labels(words)), told=told)


def own_outputs(words: list[str], d_model: int, n_heads: int) -> Case:
    """Return the test on the same vectors, split into heads."""
    vectors = word_vectors(words, d_model, 0)
    told = "Each head has columns of your words’ vectors. If they are joined in order, they are these vectors."
    return Case(OWN, (split_heads(vectors, n_heads),), rows=tuple(position_labels(words)), told=told)


SPLIT = Exercise(
    **TEXTS["split_heads"],
    own=own_vectors,
    own_sizes=True,
    reference=split_heads,
    cases=matrices_to_split,
    variants=(
        Variant(("split_reshape",), split_by_reshape),
        Variant(("split_swapped",), lambda x, n_heads: x.reshape(len(x), n_heads, -1)),
        Variant(("split_moved_first",), lambda x, n_heads: x.T.reshape(n_heads, len(x), -1)),
        Variant(("split_transposed",), lambda x, n_heads: split_heads(x, n_heads).mT),
        Variant(("split_interleaved",), lambda x, n_heads: np.moveaxis(x.reshape(len(x), -1, n_heads), -1, 0)),
    ),
)
JOIN = Exercise(
    **TEXTS["join_heads"],
    own=own_outputs,
    own_sizes=True,
    reference=merge_heads,
    cases=heads_to_join,
    variants=(
        Variant(("join_reshape",), join_by_reshape),
        Variant(("join_moved_late",), lambda heads: heads.reshape(-1, heads.shape[1]).T),
        Variant(("join_interleaved",), lambda heads: np.moveaxis(heads, 0, -1).reshape(heads.shape[1], -1)),
        Variant(("join_stacked",), lambda heads: heads.reshape(-1, heads.shape[2])),
        Variant(("join_sum",), lambda heads: heads.sum(axis=0)),
        Variant(("join_mean",), lambda heads: heads.mean(axis=0)),
        Variant(("join_transposed",), lambda heads: merge_heads(heads).T),
    ),
)
EXERCISES = (SPLIT, JOIN)

TASKS = (
    predict("exercise_column", 8.0, (9.0, 4.0, 12.0), digits=0),
    fill_in("exercise_split"),
    put_in_order("exercise_join_order", also=((0, 2, 1, 3, 4),)),
)
