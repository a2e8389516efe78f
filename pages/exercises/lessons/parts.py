"""What the exercises of several lessons share: inputs that tell mistakes apart."""

import numpy as np

from attention_core.arrays import Array
from attention_core.experiments.multi_head.english_heads import known_words, trained_head
from attention_core.experiments.qkv.one_head import HeadMatrices
from attention_core.text.word_vectors import position_labels
from pages.exercises.exercise import Case

Labels = tuple[str, ...]
OWN_WORDS = "the cat didn't cross the road because it was too tired"
OWN, OWN_HEAD = "your own words", 3  # the head of Toy English that finds what “it” refers to
TRAINED = f"The numbers come from head {OWN_HEAD + 1} of Toy English, a trained model."
WORKED_Q = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
WORKED_K = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
WORKED_V = np.array([[1.0, 2.0, 0.0, 1.0], [0.0, 1.0, 3.0, 1.0], [2.0, 0.0, 1.0, 1.0]])


def normal(rng: np.random.Generator, *shape: int) -> Array:
    """Return random numbers with few digits, so that they can be read."""
    return rng.normal(size=shape).round(3)


def large(rng: np.random.Generator, *shape: int) -> Array:
    """Return numbers whose products overflow in an exponential."""
    return (60 + rng.normal(size=shape)).round(2)


def own_head(words: list[str]) -> tuple[Labels, Array, Array, Array]:
    """Return the words that the trained head knows, as labels, and their queries, keys and values."""
    x, head, labels = own_input(words)
    return labels, x @ head.w_q, x @ head.w_k, x @ head.w_v


def own_input(words: list[str]) -> tuple[Array, HeadMatrices, Labels]:
    """Return what a trained head reads for some words, its matrices, and the words as labels."""
    known = known_words(words)[0] or OWN_WORDS.split()
    found = trained_head(known, OWN_HEAD)
    return found.x, found.matrices, tuple(position_labels(known))


def of_known(words: list[str], *arguments: object, rows: Labels, columns: Labels, told: str = TRAINED) -> Case:
    """Return the test on a student's words, of which the trained model knows some."""
    return Case(OWN, arguments, rows=rows, columns=columns, told=told, skips=bool(known_words(words)[1]))


def own_attention(words: list[str], d_model: int, n_heads: int) -> Case:
    """Return the test on the queries, keys and values of a student's words."""
    labels, *arguments = own_head(words)
    return of_known(words, *arguments, rows=labels, columns=labels)


def own_scores(words: list[str], d_model: int, n_heads: int) -> Case:
    labels, q, k, _ = own_head(words)
    return of_known(words, q, k, rows=labels, columns=labels)


def attention_cases(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return queries, keys and values of different numbers and widths."""
    return (
        Case("the worked example", (WORKED_Q, WORKED_K, WORKED_V)),
        Case("3 queries, 4 keys", (normal(rng, 3, 2), normal(rng, 4, 2), normal(rng, 4, 5))),
        Case("5 queries, 2 keys", (normal(rng, 5, 7), normal(rng, 2, 7), normal(rng, 2, 3))),
        Case("one query, one key", (normal(rng, 1, 2), normal(rng, 1, 2), normal(rng, 1, 3))),
        Case("large numbers", (large(rng, 3, 2), large(rng, 4, 2), normal(rng, 4, 5)), large=True),
    )


def query_key_cases(rng: np.random.Generator) -> tuple[Case, ...]:
    return tuple(case._replace(arguments=case.arguments[:2]) for case in attention_cases(rng))


def sentence_cases(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return queries, keys and values of the words of one sentence."""
    return (
        Case("the worked example", (WORKED_Q, WORKED_K, WORKED_V)),
        Case("4 words", (normal(rng, 4, 2), normal(rng, 4, 2), normal(rng, 4, 5))),
        Case("5 words", (normal(rng, 5, 7), normal(rng, 5, 7), normal(rng, 5, 3))),
        Case("one word", (normal(rng, 1, 2), normal(rng, 1, 2), normal(rng, 1, 3))),
        Case("large numbers", (large(rng, 4, 2), large(rng, 4, 2), normal(rng, 4, 5)), large=True),
    )
