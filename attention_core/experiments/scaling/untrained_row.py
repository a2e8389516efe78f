"""One row of a head before training, at every key width: the words, their positions and the matrices are random."""

import math
from functools import lru_cache

import numpy as np

from attention_core.arrays import Array
from attention_core.experiments.qkv.one_head import random_head
from attention_core.text.word_vectors import word_vectors

WORD_WIDTH = 512  # width of the word vectors: as wide as the widest key in the lessons


def untrained_words(words: tuple[str, ...], d_model: int, seed: int) -> Array:
    """Return x (T, D): for each token a random vector of the word plus one of its position, of variance 1."""
    positions = [f"position {i}" for i in range(len(words))]
    return (word_vectors(words, d_model, seed) + word_vectors(positions, d_model, seed)) / math.sqrt(2)


untrained_head = lru_cache(maxsize=2)(random_head)  # 4 MiB each at the width of the lessons


def row_over_widths(words: tuple[str, ...], query: int, widths: tuple[int, ...], seed: int) -> Array:
    """Return q · k (W, T) of one word's query with every key, at each key width.

    A wider head begins with the columns of a narrower one, so each further column adds one product to the sum.
    """
    x, head = untrained_words(words, WORD_WIDTH, seed), untrained_head(WORD_WIDTH, max(WORD_WIDTH, *widths), seed, 1)
    w_q, w_k = (matrix[:, : max(widths)] for matrix in head[:2])
    sums = np.cumsum((x[query] @ w_q) * (x @ w_k), axis=-1)  # (T, K), column d_k - 1 sums d_k products
    return sums[:, np.array(widths) - 1].T  # (W, T)
