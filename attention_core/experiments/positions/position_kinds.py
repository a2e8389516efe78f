"""One attention head under five position encodings: none, sinusoidal, learned, RoPE, ALiBi."""

import math
from typing import Literal, NamedTuple, get_args

import numpy as np

from attention_core.arrays import Array
from attention_core.checks import integer
from attention_core.equations.attention import AttentionCache, attention_forward
from attention_core.equations.positions import distance_bias, frequencies, rotate, sinusoidal_positions
from attention_core.experiments.qkv.one_head import HeadMatrices, attend

Kind = Literal["none", "sinusoidal", "learned", "RoPE", "ALiBi"]
KINDS: tuple[Kind, ...] = get_args(Kind)
ADDED = ("sinusoidal", "learned")  # the kinds that add a table to the word vectors
SLOPE = 0.5  # of ALiBi, as for the first of eight heads


class RopeScore(NamedTuple):
    """A query and a key before and after RoPE, and their score pair by pair."""

    q: Array  # (K,)
    k: Array  # (K,)
    q_turned: Array  # (K,)
    k_turned: Array  # (K,)
    by_pair: Array  # (K / 2,), dot product of each pair of dimensions
    score: float  # their sum / √K


def table_before_training(length: int, d_model: int, seed: int = 0) -> Array:
    """Return (T, D) random rows, about as long as sinusoidal ones, √(D/2): a learned encoding before training."""
    return np.random.default_rng([seed, d_model, 5]).standard_normal((length, d_model)) / math.sqrt(2)


def added_positions(
    kind: str, length: int, d_model: int, base: float = 10000.0, offset: int = 0, seed: int = 0
) -> Array:
    """Return (T, D): what a kind adds to the words at positions offset ...; zeros for RoPE, ALiBi and none."""
    last = length + offset
    if kind == "sinusoidal":
        return sinusoidal_positions(last, d_model, base)[offset:]
    if kind == "learned":
        return table_before_training(last, d_model, seed)[offset:]
    return np.zeros((length, d_model))


def one_word(length: int, d_model: int) -> Array:
    """Return (T, D): the same vector at every position, all numbers 1/√2, so that only positions differ."""
    return np.full((length, d_model), math.sqrt(0.5))


def add_positions(x: Array, table: Array, strength: float = 1.0) -> Array:
    """Return x + strength * table: each word with the row of its position added."""
    return x + strength * table


def placed_attention(
    x: Array,
    head: HeadMatrices,
    kind: str,
    base: float = 10000.0,
    offset: int = 0,
    strength: float = 1.0,
    seed: int = 0,
) -> AttentionCache:
    """Return the attention of one head over words (T, D) at positions offset ... under one encoding.

    `strength` multiplies what is added: to the words, or with ALiBi to the scores. RoPE adds nothing.
    """
    if kind in ADDED:
        return attend(add_positions(x, added_positions(kind, len(x), x.shape[-1], base, offset, seed), strength), head)
    if kind == "RoPE":
        q, k = (rotate(x @ matrix, base, offset) for matrix in (head.w_q, head.w_k))
        return attention_forward(q, k, x @ head.w_v)
    if kind == "ALiBi":
        return attend(x, head, strength * distance_bias([SLOPE], len(x))[0])
    return attend(x, head)


def explain_rope_score(q: Array, k: Array, q_at: int, k_at: int, base: float = 10000.0) -> RopeScore:
    """Return the score of a query and a key after RoPE at their positions, pair by pair."""
    q_turned, k_turned = rotate(q[None], base, q_at)[0], rotate(k[None], base, k_at)[0]
    by_pair = (q_turned * k_turned).reshape(-1, 2).sum(axis=-1)  # (K / 2,)
    return RopeScore(q, k, q_turned, k_turned, by_pair, float(by_pair.sum() / math.sqrt(len(q))))


def shift_matrix(offset: float, d_model: int, base: float = 10000.0) -> Array:
    """Return the (D, D) matrix M with PE[t + offset] = PE[t] @ M for every t: one rotation for each pair."""
    if integer("d_model", d_model, 1) % 2:
        raise ValueError(f"d_model must be even, so that every sine has its cosine, got {d_model}")
    angles = offset * frequencies(d_model, base)
    sines, cosines = np.arange(0, d_model, 2), np.arange(1, d_model, 2)
    matrix = np.zeros((d_model, d_model))  # (D, D)
    matrix[sines, sines] = matrix[cosines, cosines] = np.cos(angles)
    matrix[cosines, sines] = np.sin(angles)  # sin(a + b) = sin a cos b + cos a sin b
    matrix[sines, cosines] = -np.sin(angles)  # cos(a + b) = cos a cos b - sin a sin b
    return matrix


def shift_positions(encoding: Array, steps: int, base: float = 10000.0) -> Array:
    """Return every row shifted by some steps, without its position: PE[t] · M(steps)."""
    return encoding @ shift_matrix(steps, encoding.shape[-1], base)


def positions_between(encoding: Array, parts: int, base: float = 10000.0) -> tuple[Array, Array]:
    """Return the fractions of positions between two whole ones, and the encoding there: PE[t] · M(k / parts)."""
    starts, steps = encoding[:-1], np.arange(1, parts) / parts
    fractional = np.add.outer(steps, np.arange(len(starts))).ravel()  # ((parts - 1) (T - 1),)
    moved = [starts @ shift_matrix(step, encoding.shape[-1], base) for step in steps]
    return fractional, np.concatenate([starts[:0], *moved])
