"""One attention head made by hand from small numbers: its columns have names, and its weights are soft."""

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from attention_core.arrays import Array
from attention_core.experiments.qkv.one_head import HeadMatrices, clocks, turned_back
from attention_core.text.small_english import ADJECTIVES, NOUNS, PRONOUNS, SMALL_WORDS
from attention_core.text.word_vectors import word_vector

NamedJob = Literal["pronoun to noun", "adjective to noun", "noun to its adjectives", "previous word", "first word"]
NAMED_JOBS: tuple[NamedJob, ...] = get_args(NamedJob)
HANDS = (7.0, 11.0)  # tokens; the periods of two clock hands that encode the position

IS_NOUN, IS_ADJECTIVE, IS_PRONOUN, ONE, EARLY = range(5)  # columns of x: 1 or 0 three times; always 1; 1 / position
WHERE = slice(5, 9)  # cosines and then sines of both hands
NAMED_COLUMNS = ("noun", "adjective", "pronoun", "constant", "early", "clock 1", "clock 2", "clock 3", "clock 4")
OWN = len(NAMED_COLUMNS)  # from here on, the vector of the word itself
CLASSES = {"noun": NOUNS, "adjective": ADJECTIVES, "pronoun": PRONOUNS}
DIMENSIONS: dict[NamedJob, tuple[str, ...]] = {  # what the columns of q and k compare
    "pronoun to noun": ("noun", "early"),
    "adjective to noun": ("noun", *NAMED_COLUMNS[WHERE]),
    "noun to its adjectives": ("adjective", *NAMED_COLUMNS[WHERE]),
    "previous word": ("clock 1", "clock 2", "clock 3", "clock 4"),
    "first word": ("early",),
}


def named_embedding(words: Sequence[str], given: Sequence[str], vectors: Array, seed: int = 0) -> Array:
    """Return x (T, D): the named columns, then the word's own vector.

    The words in `given` have the rows of `vectors`. Of the others, small words such as "the" and "it", which say little
    alone, have a vector of zeros, and any other word has a random one, of entries from 0 to 1.
    """
    width = vectors.shape[1]
    lower = [word.lower() for word in words]
    x = np.zeros((len(words), OWN + width))  # (T, D)
    for column, members in enumerate(CLASSES.values()):
        x[:, column] = [word in members for word in lower]
    x[:, ONE] = 1
    x[:, EARLY] = 1 / np.arange(1, len(words) + 1)
    x[:, WHERE] = clocks(np.arange(len(words)), HANDS)
    for row, word in enumerate(lower):
        if word in given:
            x[row, OWN:] = vectors[list(given).index(word)]
        elif word not in SMALL_WORDS:
            x[row, OWN:] = np.round(1 / (1 + np.exp(-2 * word_vector(word, width, seed))), 1)
    return x


def named_head(job: NamedJob, d_model: int) -> HeadMatrices:
    """Return the matrices of a head that does its job over `named_embedding`; its values are the words' own vectors."""
    d_head = len(DIMENSIONS[job])
    w_q, w_k = np.zeros((d_model, d_head)), np.zeros((d_model, d_head))  # (D, K)
    if job == "pronoun to noun":
        w_q[IS_PRONOUN] = [3, 3]  # a pronoun wants a noun, and an early word; any other query is 0
        w_k[IS_NOUN, 0] = w_k[EARLY, 1] = 2
    elif job == "first word":
        w_q[ONE, 0] = w_k[EARLY, 0] = 2
    elif job == "previous word":
        w_q[WHERE], w_k[WHERE] = 3 * turned_back(1, HANDS), 3 * np.eye(4)
    else:
        wants, wanted, offset = (
            (IS_ADJECTIVE, IS_NOUN, 1.5) if job == "adjective to noun" else (IS_NOUN, IS_ADJECTIVE, -1.5)
        )
        w_q[wants, 0], w_k[wanted, 0] = 3, 2
        w_q[WHERE, 1:], w_k[WHERE, 1:] = 2 * turned_back(-offset, HANDS), 2 * np.eye(4)
    return HeadMatrices(w_q, w_k, np.eye(d_model)[:, OWN:])


def own_vectors(x: Array) -> Array:
    """Return the words' own vectors (T, V), the columns of x after the named ones."""
    return x[:, OWN:]


def add_to_own(x: Array, output: Array) -> Array:
    """Return x with the output (T, V) of a head added to the words' own vectors."""
    moved = x.copy()
    moved[:, OWN:] += output
    return moved
