"""One head over words that know their places in five ways: nothing, two tables that are added, RoPE, ALiBi."""

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
from attention_core.experiments.explain import DotProduct, product_terms
from attention_core.experiments.one_head import HeadMatrices, attend
from attention_core.experiments.position_similarity import products, rope_products
from attention_core.model.config import Order
from attention_core.rows import row_norms

Kind = Literal["none", "sinusoidal", "learned", "RoPE", "ALiBi"]
KINDS: tuple[Kind, ...] = get_args(Kind)
ADDED = ("sinusoidal", "learned")  # the kinds that add a table to the words
SLOPE = 0.5  # of ALiBi: that of the first of eight heads


class ScoreTerms(NamedTuple):
    """(x + p) W_Q ((x + p) W_K)ᵀ / √K multiplied out; the four sum to the scores."""

    word_word: Array  # (T, T)
    word_place: Array  # (T, T), the query of a word, the key of a place
    place_word: Array  # (T, T)
    place_place: Array  # (T, T)


class TurnedScore(NamedTuple):
    """A query and a key before and after RoPE has turned them, and their score pair by pair."""

    q: Array  # (K,)
    k: Array  # (K,)
    q_turned: Array  # (K,)
    k_turned: Array  # (K,)
    by_pair: Array  # (K / 2,), what each pair of dimensions adds to the product
    score: float  # their sum / √K


class Pipeline(NamedTuple):
    """Words and positions on their way through several heads, each step with a row for each word.

    With the norm first ("pre") the heads read normed rows, and what leaves is a sum; with the norm last ("post") the
    heads read the sum, and what leaves is normed.
    """

    words: Array  # (T, D)
    positions: Array  # (T, D)
    together: Array  # (T, D), their sum
    heads: Array  # (T, D), what the heads make of it
    residual: Array  # (T, D), with the sum added again
    normed: Array  # (T, D), each row brought to mean 0 and variance 1
    weights: Array  # (H, T, T)
    lengths: Array  # (T, 6), of the rows of each step in the order in which they are made


def check_kind(kind: str) -> Kind:
    """Return the kind, or say which there are."""
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}")
    return kind


def table_before_training(length: int, d_model: int, seed: int = 0) -> Array:
    """Return (T, D) random rows as long as those of the waves, about √(D/2): a learned encoding before training."""
    shape = (whole("length", length, 0), whole("d_model", d_model, 1))
    return np.random.default_rng([whole("seed", seed, 0), d_model, 5]).standard_normal(shape) / math.sqrt(2)


def place_table(kind: str, length: int, d_model: int, base: float = 10000.0, offset: int = 0, seed: int = 0) -> Array:
    """Return (T, D): what a kind adds to the words at the positions from an offset on; zeros if it adds nothing."""
    check_kind(kind)
    last = whole("length", length, 0) + whole("offset", offset, 0)
    if kind == "sinusoidal":
        return sinusoidal_positions(last, d_model, base)[offset:]
    if kind == "learned":
        return table_before_training(last, d_model, seed)[offset:]
    check_base(base)
    return np.zeros((length, whole("d_model", d_model, 1)))


def numbers_of_kind(kind: str, length: int, d_model: int, base: float = 10000.0, seed: int = 0) -> Array:
    """Return the numbers by which a kind tells positions apart.

    They are the table that is added; with RoPE the sines and cosines of the angles by which pairs turn; with ALiBi
    what is added to the scores; zeros for none.
    """
    if check_kind(kind) == "RoPE":
        return sinusoidal_positions(length, d_model, base)
    if kind == "ALiBi":
        return distance_bias([SLOPE], whole("length", length, 0))[0]
    return place_table(kind, length, d_model, base, seed=seed)


def one_word(length: int, d_model: int) -> Array:
    """Return (T, D): one and the same vector at every position, all its numbers 1/√2, so that only positions differ."""
    return np.full((whole("length", length, 0), whole("d_model", d_model, 1)), math.sqrt(0.5))


def likeness_table(kind: str, length: int, d_model: int, base: float = 10000.0, seed: int = 0) -> Array:
    """Return (T, T): what two positions by themselves give a score.

    It is P Pᵀ of a table that is added; with RoPE the product of one and the same vector at both positions, all its
    numbers 1/√2; with ALiBi its penalty; zeros for none.
    """
    if check_kind(kind) == "RoPE":
        same = one_word(length, d_model)
        return rope_products(same, same, base)
    if kind == "ALiBi":
        return numbers_of_kind(kind, length, d_model)
    return products(place_table(kind, length, d_model, base, seed=seed))


def with_places(x: ArrayLike, table: ArrayLike, strength: float = 1.0) -> Array:
    """Return x + strength * table: each word with the row of its position added."""
    x, table = same_shape("x", x, "table", table, ndim=2)
    return x + real("strength", strength) * table


def placed_attention(
    x: ArrayLike,
    head: HeadMatrices,
    kind: str,
    base: float = 10000.0,
    offset: int = 0,
    strength: float = 1.0,
    seed: int = 0,
) -> AttentionCache:
    """Return the attention of one head over words (T, D) whose positions start at an offset, encoded in one way.

    The strength multiplies what is added: to the words, or with ALiBi to the scores. RoPE adds nothing.
    """
    x = floats("x", x, ndim=2)
    strength = real("strength", strength)
    if check_kind(kind) in ADDED:
        return attend(with_places(x, place_table(kind, len(x), x.shape[-1], base, offset, seed), strength), head)
    if kind == "RoPE":
        q, k = (rotate(x @ matrix, base, offset) for matrix in (head.w_q, head.w_k))
        return attention_forward(q, k, x @ head.w_v)
    if kind == "ALiBi":
        return attend(x, head, strength * distance_bias([SLOPE], len(x))[0])
    return attend(x, head)


def score_terms(x: ArrayLike, places: ArrayLike, head: HeadMatrices) -> ScoreTerms:
    """Return the four terms of the scores of words x and the rows `places` that are added to them."""
    x, places = same_shape("x", x, "places", places, ndim=2)
    root = math.sqrt(head.w_q.shape[-1])
    queries, keys = [(rows @ head.w_q) / root for rows in (x, places)], [rows @ head.w_k for rows in (x, places)]
    return ScoreTerms(*(q @ k.mT for q in queries for k in keys))


def summed_terms(terms: ScoreTerms) -> Array:
    """Return the sum of the four terms."""
    return terms.word_word + terms.word_place + terms.place_word + terms.place_place


def turned_score(q: ArrayLike, k: ArrayLike, q_at: int, k_at: int, base: float = 10000.0) -> TurnedScore:
    """Return the score of a query at one position and a key at another after RoPE, and what each pair adds to it."""
    q, k = floats("q", q, ndim=1), floats("k", k, ndim=1)
    if q.ndim != 1 or q.shape != k.shape:
        raise ValueError(f"q and k must be vectors of the same length, got {q.shape} and {k.shape}")
    q_turned, k_turned = rotate(q[None], base, q_at)[0], rotate(k[None], base, k_at)[0]
    by_pair = (q_turned * k_turned).reshape(-1, 2).sum(axis=-1)  # (K / 2,)
    return TurnedScore(q, k, q_turned, k_turned, by_pair, float(by_pair.sum() / math.sqrt(len(q))))


def turned_table(encoding: ArrayLike, steps: int, base: float = 10000.0) -> Array:
    """Return every row moved on by some steps without a look at where it stands: PE[t] · M(steps)."""
    rows = floats("encoding", encoding, ndim=2)
    return rows @ shift_matrix(whole("steps", steps, -(1 << 20), 1 << 20), rows.shape[-1], base)


def likeness_of(encoding: ArrayLike, first: int, second: int) -> DotProduct:
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
    """Return words + positions through several heads with random matrices of this deviation, and every row's length."""
    x = floats("x", x, ndim=2)
    width = x.shape[-1]
    positions = real("strength", strength) * floats("table", table, ndim=2)
    together = with_places(x, positions)
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
