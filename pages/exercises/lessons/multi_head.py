"""Exercises at the end of the lesson on several heads."""

import numpy as np

from attention_core.equations.heads import merge_heads, split_heads
from attention_core.text.word_vectors import position_labels, word_vectors
from pages.exercises.exercise import Case, Exercise, Variant
from pages.exercises.faults.heads import join_by_reshape, split_by_reshape
from pages.exercises.lessons.parts import OWN, normal
from pages.exercises.tasks import Lines, fill_in, predict
from pages.exercises.texts import TEXTS
from pages.look.html import inline, prose
from pages.questions.kinds import Mistake


def matrices_to_split(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return words and numbers of heads."""
    return (
        Case("the worked example", (np.arange(12.0).reshape(2, 6), 3)),
        Case("5 words, 2 heads of width 3", (normal(rng, 5, 6), 2)),
        Case("2 words, 3 heads of width 5", (normal(rng, 2, 15), 3)),
        Case("one word, 2 heads of width 4", (normal(rng, 1, 8), 2)),
    )


def heads_to_join(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return the outputs of heads."""
    return (
        Case("the worked example", (np.arange(12.0).reshape(3, 2, 2),)),
        Case("2 heads, 5 words, width 3", (normal(rng, 2, 5, 3),)),
        Case("3 heads, 2 words, width 5", (normal(rng, 3, 2, 5),)),
        Case("2 heads, one word, width 4", (normal(rng, 2, 1, 4),)),
    )


def own_vectors(words: list[str], d_model: int, n_heads: int) -> Case:
    """Return the test on the vectors of a student's words."""
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
    predict(
        "split_heads",
        "exercise_column",
        "A model has d_model = 12 and 3 heads. Counting from 0, at which column does the last head start?",
        8.0,
        "Each head has 12 ÷ 3 = 4 columns, so the heads start at columns 0, 4 and 8.",
        (
            Mistake(9.0, "You used a width of 3. There are 3 heads, and each is 4 wide."),
            Mistake(4.0, "The second head starts there. The last head is the third."),
            Mistake(12.0, "That is one past the last column. Count from 0."),
        ),
        inline("Divide d_model by the number of heads, and count from 0."),
        0,
    ),
    fill_in(
        SPLIT,
        "exercise_split",
        "Which expression splits the columns into heads?",
        "X.reshape(T, n_heads, K).transpose(1, 0, 2)",
        "Split the columns first, then move the axis of the heads to the front.",
        {
            "X.reshape(n_heads, T, K)": "The shape is right, but this cuts up the rows instead of the columns.",
            "X.reshape(T, K, n_heads).transpose(2, 0, 1)": "This gives neighbouring columns to different heads.",
            "X.reshape(T, n_heads, K)": "The axis of the heads is still in the middle.",
        },
    ),
    Lines(
        "join_heads",
        "exercise_join_order",
        prose("Put the lines that join the heads in order."),
        (
            "def join_heads(heads):",
            "    n_heads, length, width = heads.shape",
            "    moved = np.swapaxes(heads, 0, 1)",
            "    joined = moved.reshape(length, n_heads * width)",
            "    return joined",
        ),
        prose("Move the positions to the front first. The reshape then puts the heads side by side."),
        also=((0, 2, 1, 3, 4),),
    ),
)
