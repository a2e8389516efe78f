"""One attention head: with random matrices, or with hand-made matrices for a named job."""

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np

from attention_core.arrays import Array
from attention_core.equations.attention import AttentionCache, attention_forward
from attention_core.text.small_english import ADJECTIVES, NOUNS
from attention_core.text.word_vectors import word_vectors

Job = Literal["previous word", "same word", "first word", "adjective to noun"]
JOBS: tuple[Job, ...] = get_args(Job)
LONGEST = 24  # words in a sentence
PERIODS = (26.0, 50.0)  # tokens; the periods of the two clocks, longer than any sentence
SHARPNESS = 6.0  # lead of the wanted key's score over its neighbour: e^6 = 400 times the weight

CONSTANT, ADJECTIVE, NOUN = 0, 1, 2  # columns of x: always 1; 1 for an adjective; 1 for a noun
CLOCKS = slice(3, 7)  # cosines and then sines of both clocks, which encode the position
WORD = slice(7, 11)  # a unit vector for the word
NARROWEST = WORD.stop


class HeadMatrices(NamedTuple):
    """The three matrices of one head."""

    w_q: Array  # (D, K)
    w_k: Array  # (D, K)
    w_v: Array  # (D, K), or of another width


def attend(x: Array, head: HeadMatrices, mask: Array | None = None) -> AttentionCache:
    """Return the attention of one head over x (T, D), with all intermediate results."""
    return attention_forward(x @ head.w_q, x @ head.w_k, x @ head.w_v, mask)


def random_head(d_model: int, d_head: int, seed: int = 0, d_value: int | None = None) -> HeadMatrices:
    """Return random matrices with standard deviation 1/√D: random words then get scores of standard deviation 1.

    Values are as wide as queries and keys unless `d_value` is given. A wider head begins with the columns of a narrower
    one, and no matrix depends on the width of another, so changing one width leaves everything else unchanged.
    """
    widths = (d_head, d_head, d_head if d_value is None else d_value)
    rngs = (np.random.default_rng([seed, which]) for which in range(3))
    numbers = (rng.standard_normal((columns, d_model)) for rng, columns in zip(rngs, widths, strict=True))
    return HeadMatrices(*(columns.T / math.sqrt(d_model) for columns in numbers))


def clocks(positions: Array, periods: tuple[float, float] = PERIODS) -> Array:
    """Return (T, 4): the cosines and sines of both clocks at these positions."""
    angles = 2 * math.pi * positions[:, None] / np.array(periods)
    return np.concatenate([np.cos(angles), np.sin(angles)], axis=-1)


def turned_back(offset: float, periods: tuple[float, float] = PERIODS) -> Array:
    """Return the (4, 4) matrix that rotates the clocks of a position to those `offset` tokens before."""
    angles = 2 * math.pi * offset / np.array(periods)
    cosines, sines = np.diag(np.cos(angles)), np.diag(np.sin(angles))
    return np.block([[cosines, -sines], [sines, cosines]])  # cos(a - b) = cos a cos b + sin a sin b


def hand_set_embedding(words: Sequence[str], d_model: int, seed: int = 0) -> Array:
    """Return x (T, D) with named columns: a constant, two word classes, two clocks, and the word itself.

    The remaining columns contain more of the word's random vector; the heads ignore them.
    """
    x = np.zeros((len(words), d_model))  # (T, D)
    x[:, CONSTANT] = 1
    x[:, ADJECTIVE] = [word.lower() in ADJECTIVES for word in words]
    x[:, NOUN] = [word.lower() in NOUNS for word in words]
    x[:, CLOCKS] = clocks(np.arange(len(words)))
    vectors = word_vectors(words, d_model - WORD.start, seed)
    x[:, WORD.start :] = vectors / math.sqrt(d_model)
    own = vectors[:, :4]
    x[:, WORD] = own / np.linalg.norm(own, axis=-1, keepdims=True)
    return x


def hand_set_head(job: Job, d_model: int, d_head: int) -> HeadMatrices:
    """Return the matrices of a head that does its job over `hand_set_embedding`; the values are the word vectors.

    The clocks of near positions agree, so q · k falls with the distance from the position that q encodes. The adjective
    head encodes its own position and adds a bonus for nouns; all other words attend to their neighbourhood.
    """
    w_q, w_k, w_v = (np.zeros((d_model, d_head)) for _ in range(3))  # (D, K)
    w_v[WORD, :4] = np.eye(4)
    sharp = SHARPNESS * math.sqrt(d_head)  # the scores are divided by √K
    here, next_door = clocks(np.arange(2))
    steep = sharp / float(here @ here - here @ next_door)
    if job == "same word":
        w_q[WORD, :4] = 12 * sharp * np.eye(4)
        w_k[WORD, :4] = np.eye(4)
        return HeadMatrices(w_q, w_k, w_v)
    w_k[CLOCKS, :4] = np.eye(4)
    if job == "previous word":
        w_q[CLOCKS, :4] = steep * turned_back(1)
    elif job == "first word":
        w_q[CONSTANT, :4] = steep * here  # the clocks of position 0, for every query
    if job in ("previous word", "first word"):
        w_q[CONSTANT, 4] = -steep * float(here @ here)  # a constant for every key, so that the largest score is 0
        w_k[CONSTANT, 4] = 1
    else:
        w_q[CLOCKS, :4] = steep / 8 * turned_back(-0.4)  # slightly ahead: of two nouns at equal distance, the later one
        w_q[ADJECTIVE, 4] = 8 * sharp
        w_k[NOUN, 4] = 1
    return HeadMatrices(w_q, w_k, w_v)
