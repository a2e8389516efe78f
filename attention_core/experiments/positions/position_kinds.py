"""One attention head under five position encodings: none, sinusoidal, learned, RoPE, ALiBi."""

import math
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from attention_core.arrays import Array
from attention_core.checks import floats, real, same_shape, whole
from attention_core.equations.attention import AttentionCache, attention_forward
from attention_core.equations.multi_head import multi_head_attention
from attention_core.equations.norm import layer_norm
from attention_core.equations.positions import check_base, distance_bias, rotate, shift_matrix, sinusoidal_positions
from attention_core.experiments.positions.position_similarity import gram_matrix, rope_products
from attention_core.experiments.qkv.explain import DotProduct, product_terms
from attention_core.experiments.qkv.one_head import HeadMatrices, attend
from attention_core.model.config import Order
from attention_core.rows import row_norms

Kind = Literal["none", "sinusoidal", "learned", "RoPE", "ALiBi"]
KINDS: tuple[Kind, ...] = get_args(Kind)
ADDED = ("sinusoidal", "learned")  # the kinds that add a table to the word vectors
SLOPE = 0.5  # of ALiBi, as for the first of eight heads


class ScoreTerms(NamedTuple):
    """The scores (x + p) W_Q ((x + p) W_K)ᵀ / √K expanded into four terms, which sum to the scores."""

    word_word: Array  # (T, T)
    word_place: Array  # (T, T), the query of a word with the key of a position
    place_word: Array  # (T, T)
    place_place: Array  # (T, T)


class RopeScore(NamedTuple):
    """A query and a key before and after RoPE, and their score pair by pair."""

    q: Array  # (K,)
    k: Array  # (K,)
    q_turned: Array  # (K,)
    k_turned: Array  # (K,)
    by_pair: Array  # (K / 2,), dot product of each pair of dimensions
    score: float  # their sum / √K


class Pipeline(NamedTuple):
    """Words and positions through multi-head attention, residual connection and LayerNorm, one row for each word.

    With pre-norm the heads read normalised rows and the output is a sum; with post-norm the heads read the sum and the
    output is normalised.
    """

    words: Array  # (T, D)
    positions: Array  # (T, D)
    together: Array  # (T, D), their sum
    heads: Array  # (T, D), output of the heads
    residual: Array  # (T, D), heads + together
    normed: Array  # (T, D), each row normalised to mean 0 and variance 1
    weights: Array  # (H, T, T)
    lengths: Array  # (T, 6), lengths (norms) of the rows at each step, in order of computation


def check_kind(kind: str) -> Kind:
    """Return the kind; raise ValueError if it is unknown."""
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}")
    return kind


def table_before_training(length: int, d_model: int, seed: int = 0) -> Array:
    """Return (T, D) random rows, about as long as sinusoidal ones, √(D/2): a learned encoding before training."""
    shape = (whole("length", length, 0), whole("d_model", d_model, 1))
    return np.random.default_rng([whole("seed", seed, 0), d_model, 5]).standard_normal(shape) / math.sqrt(2)


def added_positions(
    kind: str, length: int, d_model: int, base: float = 10000.0, offset: int = 0, seed: int = 0
) -> Array:
    """Return (T, D): what a kind adds to the words at positions offset ...; zeros for RoPE, ALiBi and none."""
    check_kind(kind)
    last = whole("length", length, 0) + whole("offset", offset, 0)
    if kind == "sinusoidal":
        return sinusoidal_positions(last, d_model, base)[offset:]
    if kind == "learned":
        return table_before_training(last, d_model, seed)[offset:]
    check_base(base)
    return np.zeros((length, whole("d_model", d_model, 1)))


def numbers_of_kind(kind: str, length: int, d_model: int, base: float = 10000.0, seed: int = 0) -> Array:
    """Return the numbers that encode the positions.

    They are the table that is added; for RoPE the sines and cosines of the rotation angles; for ALiBi the score bias;
    zeros for none.
    """
    if check_kind(kind) == "RoPE":
        return sinusoidal_positions(length, d_model, base)
    if kind == "ALiBi":
        return distance_bias([SLOPE], whole("length", length, 0))[0]
    return added_positions(kind, length, d_model, base, seed=seed)


def one_word(length: int, d_model: int) -> Array:
    """Return (T, D): the same vector at every position, all numbers 1/√2, so that only positions differ."""
    return np.full((whole("length", length, 0), whole("d_model", d_model, 1)), math.sqrt(0.5))


def similarity_table(kind: str, length: int, d_model: int, base: float = 10000.0, seed: int = 0) -> Array:
    """Return (T, T): what the positions alone contribute to the scores.

    It is P Pᵀ for an added table; for RoPE the product of one constant vector, all numbers 1/√2, at both positions; for
    ALiBi the bias; zeros for none.
    """
    if check_kind(kind) == "RoPE":
        same = one_word(length, d_model)
        return rope_products(same, same, base)
    if kind == "ALiBi":
        return numbers_of_kind(kind, length, d_model)
    return gram_matrix(added_positions(kind, length, d_model, base, seed=seed))


def add_positions(x: ArrayLike, table: ArrayLike, strength: float = 1.0) -> Array:
    """Return x + strength * table: each word with the row of its position added."""
    x, table = same_shape("x", x, "table", table, ndim=2)
    return x + real("strength", strength) * table


def concatenate_positions(x: ArrayLike, table: ArrayLike, strength: float = 1.0) -> Array:
    """Return [x, strength * table]: each word with the row of its position beside it, of twice the width."""
    x, table = same_shape("x", x, "table", table, ndim=2)
    return np.concatenate([x, real("strength", strength) * table], axis=-1)


def placed_attention(
    x: ArrayLike,
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
    x = floats("x", x, ndim=2)
    strength = real("strength", strength)
    if check_kind(kind) in ADDED:
        return attend(add_positions(x, added_positions(kind, len(x), x.shape[-1], base, offset, seed), strength), head)
    if kind == "RoPE":
        q, k = (rotate(x @ matrix, base, offset) for matrix in (head.w_q, head.w_k))
        return attention_forward(q, k, x @ head.w_v)
    if kind == "ALiBi":
        return attend(x, head, strength * distance_bias([SLOPE], len(x))[0])
    return attend(x, head)


def score_terms(x: ArrayLike, places: ArrayLike, head: HeadMatrices) -> ScoreTerms:
    """Return the four terms of the scores of words x and position rows `places`."""
    x, places = same_shape("x", x, "places", places, ndim=2)
    root = math.sqrt(head.w_q.shape[-1])
    queries, keys = [(rows @ head.w_q) / root for rows in (x, places)], [rows @ head.w_k for rows in (x, places)]
    return ScoreTerms(*(q @ k.mT for q in queries for k in keys))


def summed_terms(terms: ScoreTerms) -> Array:
    """Return the sum of the four terms: the scores."""
    return terms.word_word + terms.word_place + terms.place_word + terms.place_place


def term_sizes(terms: ScoreTerms) -> Array:
    """Return (4,): the root mean square of each term."""
    return np.sqrt(np.mean(np.square(terms), axis=(1, 2)))


def term_fractions(terms: ScoreTerms) -> Array:
    """Return (4,): each term's fraction of the sum of their mean squares; zeros where all are 0."""
    squares = np.mean(np.square(terms), axis=(1, 2))
    return squares / max(squares.sum(), np.finfo(float).tiny)


def explain_rope_score(q: ArrayLike, k: ArrayLike, q_at: int, k_at: int, base: float = 10000.0) -> RopeScore:
    """Return the score of a query and a key after RoPE at their positions, pair by pair."""
    q, k = floats("q", q, ndim=1), floats("k", k, ndim=1)
    if q.ndim != 1 or q.shape != k.shape:
        raise ValueError(f"q and k must be vectors of the same length, got {q.shape} and {k.shape}")
    q_turned, k_turned = rotate(q[None], base, q_at)[0], rotate(k[None], base, k_at)[0]
    by_pair = (q_turned * k_turned).reshape(-1, 2).sum(axis=-1)  # (K / 2,)
    return RopeScore(q, k, q_turned, k_turned, by_pair, float(by_pair.sum() / math.sqrt(len(q))))


def shift_positions(encoding: ArrayLike, steps: int, base: float = 10000.0) -> Array:
    """Return every row shifted by some steps, without its position: PE[t] · M(steps)."""
    rows = floats("encoding", encoding, ndim=2)
    return rows @ shift_matrix(whole("steps", steps, -(1 << 20), 1 << 20), rows.shape[-1], base)


def positions_between(encoding: ArrayLike, parts: int, base: float = 10000.0) -> tuple[Array, Array]:
    """Return the fractions of positions between two whole ones, and the encoding there: PE[t] · M(k / parts)."""
    rows = floats("encoding", encoding, ndim=2)
    starts, steps = rows[:-1], np.arange(1, whole("parts", parts, 1)) / parts
    fractional = np.add.outer(steps, np.arange(len(starts))).ravel()  # ((parts - 1) (T - 1),)
    moved = [starts @ shift_matrix(step, rows.shape[-1], base) for step in steps]
    return fractional, np.concatenate([starts[:0], *moved])


def explain_similarity(encoding: ArrayLike, first: int, second: int) -> DotProduct:
    """Return the dot product of two rows of an encoding, term by term."""
    rows = floats("encoding", encoding, ndim=2)
    return product_terms(*(rows[whole("position", position, 0, len(rows) - 1)] for position in (first, second)))


def pipeline(
    x: ArrayLike,
    table: ArrayLike,
    strength: float = 1.0,
    n_heads: int = 8,
    deviation: float = 0.3,
    seed: int = 0,
    order: Order = "post",
) -> Pipeline:
    """Return words + positions through random heads, residual connection and LayerNorm.

    `deviation` is the standard deviation of the matrices.
    """
    x = floats("x", x, ndim=2)
    width = x.shape[-1]
    positions = real("strength", strength) * floats("table", table, ndim=2)
    together = add_positions(x, positions)
    rng = np.random.default_rng([whole("seed", seed, 0), 11])
    scale = real("deviation", deviation, "at least 0", lambda value: value >= 0)
    w_q, w_k, w_v, w_o = scale * rng.standard_normal((4, width, width))
    gain, bias = np.ones(width), np.zeros(width)
    read = layer_norm(together, gain, bias) if order == "pre" else together
    heads, weights = multi_head_attention(read, w_q, w_k, w_v, w_o, n_heads)
    residual = together + heads
    normed = read if order == "pre" else layer_norm(residual, gain, bias)
    last = (normed, heads, residual) if order == "pre" else (heads, residual, normed)
    long = np.stack([row_norms(rows) for rows in (x, positions, together, *last)], axis=-1)  # (T, 6)
    return Pipeline(x, positions, together, heads, residual, normed, weights, long)
