"""One head by itself: with random matrices, or set by hand so that it does one thing that can be named."""

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np

from attention_core.arrays import Array
from attention_core.checks import whole
from attention_core.equations.attention import AttentionCache, attention_forward
from attention_core.text.small_english import ADJECTIVES, NOUNS
from attention_core.text.word_vectors import word_vectors

Job = Literal["previous word", "same word", "first word", "adjective to noun"]
JOBS: tuple[Job, ...] = get_args(Job)
LONGEST = 24  # words in a sentence
PERIODS = (26.0, 50.0)  # tokens after which each of two clocks comes round: beyond any sentence
SHARPNESS = 6.0  # how far the wanted key's score stands above the next position's: e^6 = 400 times the weight

CONSTANT, ADJECTIVE, NOUN = 0, 1, 2  # columns of x: always 1; 1 for an adjective; 1 for a noun
CLOCKS = slice(3, 7)  # the cosines and then the sines of both clocks, which tell the position
WORD = slice(7, 11)  # a unit vector that belongs to the word
NARROWEST = WORD.stop


class HeadMatrices(NamedTuple):
    """The three matrices of one head."""

    w_q: Array  # (D, K)
    w_k: Array  # (D, K)
    w_v: Array  # (D, K), or of another width


def attend(x: Array, head: HeadMatrices, mask: Array | None = None) -> AttentionCache:
    """Return the attention of one head over x (T, D), with everything on the way to it."""
    return attention_forward(x @ head.w_q, x @ head.w_k, x @ head.w_v, mask)


def random_head(d_model: int, d_head: int, seed: int = 0, d_value: int | None = None) -> HeadMatrices:
    """Return matrices of deviation 1/√D, under which random words get scores of deviation 1: a head before training.

    The values are as wide as the queries and keys, unless `d_value` says otherwise. A wider head begins with the
    columns of a narrower one, and no matrix depends on the width of another: nothing changes but what was changed.
    """
    width, own = whole("d_model", d_model, 1), whole("d_head", d_head, 1)
    widths = (own, own, own if d_value is None else whole("d_value", d_value, 1))
    rngs = (np.random.default_rng([whole("seed", seed, 0), which]) for which in range(3))
    draws = (rng.standard_normal((columns, width)) for rng, columns in zip(rngs, widths, strict=True))
    return HeadMatrices(*(columns.T / math.sqrt(width) for columns in draws))


def clocks(positions: Array) -> Array:
    """Return (T, 4): the cosines and sines of both clocks at some positions."""
    angles = 2 * math.pi * positions[:, None] / np.array(PERIODS)
    return np.concatenate([np.cos(angles), np.sin(angles)], axis=-1)


def turned_back(offset: float) -> Array:
    """Return the (4, 4) matrix that turns the clocks of a position to those of `offset` tokens before."""
    angles = 2 * math.pi * offset / np.array(PERIODS)
    cosines, sines = np.diag(np.cos(angles)), np.diag(np.sin(angles))
    return np.block([[cosines, -sines], [sines, cosines]])  # cos(a - b) = cos a cos b + sin a sin b


def hand_set_embedding(words: Sequence[str], d_model: int, seed: int = 0) -> Array:
    """Return x (T, D), whose columns can be named: a constant, two kinds of word, two clocks, and the word itself.

    What is left of the width is filled with more of the word's own random vector, which the heads do not look at.
    """
    whole("d_model", d_model, NARROWEST)
    if len(words) > LONGEST:
        raise ValueError(f"words must be at most {LONGEST}, got {len(words)}")
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
    """Return matrices under which a head over `hand_set_embedding` does its job; the values are the words' vectors.

    Two positions are near when their clocks agree, so that q · k falls with the distance from where q points. The
    head for adjectives points at their own place and adds a bonus for nouns; every other word looks around itself.
    """
    whole("d_model", d_model, NARROWEST)
    whole("d_head", d_head, 5)
    if job not in JOBS:
        raise ValueError(f"job must be one of {', '.join(JOBS)}, got {job!r}")
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
        w_q[CONSTANT, :4] = steep * here  # the clocks at position 0, for every word
    if job in ("previous word", "first word"):
        w_q[CONSTANT, 4] = -steep * float(here @ here)  # the same for every key, so that the best score is 0
        w_k[CONSTANT, 4] = 1
    else:
        w_q[CLOCKS, :4] = steep / 8 * turned_back(-0.4)  # a little ahead: of two nouns as near, the later
        w_q[ADJECTIVE, 4] = 8 * sharp
        w_k[NOUN, 4] = 1
    return HeadMatrices(w_q, w_k, w_v)


def one_head(
    words: Sequence[str], job: Job | None = None, seed: int = 0, d_model: int = 16, d_head: int = 8
) -> AttentionCache:
    """Return the attention of one head over a sentence, set by hand for a job or, without one, random."""
    if job is None:
        return attend(word_vectors(words, d_model, seed), random_head(d_model, d_head, seed))
    return attend(hand_set_embedding(words, d_model, seed), hand_set_head(job, d_model, d_head))
