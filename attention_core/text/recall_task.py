"""Tasks that are solved by looking back, so that a trained head shows what it does.

Batches are rows (B, T + 1): `[:, :-1]` are the inputs, `[:, 1:]` the targets. `functools.partial(associative_recall,
n_rows=32, length=32)` is a task that needs only a generator.
"""

from __future__ import annotations

from string import ascii_lowercase, digits
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention_core.arrays import Tokens

ROW_LETTERS, LETTERS_PER_ROW = ascii_lowercase[:10], 6
RECALL_TOKENS = (*ROW_LETTERS, *digits)  # of `associative_recall`, in the order of their ids


class Recall(NamedTuple):
    """Which positions are repeated letters, and which keys are the digits that answer them."""

    answerable: NDArray[np.bool_]  # (..., T)
    sources: NDArray[np.bool_]  # (..., T, S)


def repeated_sequences(rng: np.random.Generator, n_rows: int, length: int, vocab_size: int) -> Tokens:
    """Return rows of a random segment repeated once; its tokens are distinct if the vocabulary is large enough.

    These rows measure induction but do not teach it: a model finds other solutions. `associative_recall` teaches it.
    """
    segment = (length + 2) // 2
    tokens = np.tile(np.arange(vocab_size), (n_rows, -(-segment // vocab_size), 1))
    first = rng.permuted(tokens, axis=-1).reshape(n_rows, -1)[:, :segment]
    return np.concatenate([first, first], axis=1)[:, : length + 1]  # (B, T + 1)


def associative_recall(rng: np.random.Generator, n_rows: int, length: int) -> Tokens:
    """Return rows such as "a3 c7 b1 a3"; each row has new pairs, so the model must look back.

    With all ten letters in each row many models never learn the task. With six, two attention-only layers of width 64
    reached 95 % accuracy after 200 to 375 steps for each of ten seeds; one layer does not.
    """
    pairs = (length + 2) // 2
    alphabets = rng.random((n_rows, len(ROW_LETTERS))).argsort(axis=1)[:, :LETTERS_PER_ROW]
    answers = len(ROW_LETTERS) + rng.integers(len(digits), size=(n_rows, LETTERS_PER_ROW))
    drawn = rng.integers(LETTERS_PER_ROW, size=(n_rows, pairs))
    parts = [np.take_along_axis(table, drawn, axis=1) for table in (alphabets, answers)]
    return np.stack(parts, axis=-1).reshape(n_rows, -1)[:, : length + 1]  # (B, T + 1)


def recall_targets(tokens: ArrayLike) -> Recall:
    """Return the repeated letters of the input (..., T), and all earlier digits that answer them.

    `(weights * sources).sum(-1)[answerable].mean()` is a head's attention to the answers.
    """
    inputs = np.asarray(tokens)
    same = inputs[..., :, None] == inputs[..., None, :]  # (..., T, S)
    position = np.arange(inputs.shape[-1])
    letter = position % 2 == 0
    sources = np.zeros_like(same)
    sources[..., 1:] = same[..., :-1] & letter[:, None] & (position[1:] < position[:, None])
    return Recall(np.any(sources, axis=-1), sources)


def recall_accuracy(logits: ArrayLike, rows: ArrayLike) -> float:
    """Return the fraction of repeated letters with the largest logit on the right digit, for logits (..., T, V)."""
    guesses, tokens = np.asarray(logits).argmax(axis=-1), np.asarray(rows)  # (..., T), (..., T + 1)
    answerable = recall_targets(tokens[..., :-1]).answerable
    return float((guesses == tokens[..., 1:])[answerable].mean())
