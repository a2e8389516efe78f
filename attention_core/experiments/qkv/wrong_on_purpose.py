"""Deliberate mistakes and workarounds, for the lessons to show their effect."""

import numpy as np

from attention_core.arrays import Array
from attention_core.equations.masks import Blocked
from attention_core.equations.positions import frequencies, rotate, sinusoidal_positions
from attention_core.equations.softmax import softmax

LARGE = -1e9  # a common substitute for -inf


def softmax_without_shift(x: Array) -> Array:
    """Return e^x / sum(e^x) over the last axis, as in the textbook formula.

    Wrong: nothing is subtracted before the exponential, and e^710 overflows float64. The largest weight then is NaN,
    from inf / inf, and the others are 0. Where every exponential underflows to 0, all weights are NaN.
    """
    with np.errstate(all="ignore"):  # the lesson shows the NaN
        values = np.exp(x.astype(np.float64))
        return values / values.sum(axis=-1, keepdims=True)


def zero_after_softmax(scores: Array, blocked: Blocked) -> Array:
    """Return softmax(scores) with 0 in the blocked cells.

    Wrong: softmax divided by a sum that includes the blocked keys, so the remaining weights sum to less than 1.
    """
    return np.where(blocked, 0.0, softmax(scores))


def zero_and_renormalise(scores: Array, blocked: Blocked) -> Array:
    """Return softmax(scores) with 0 in the blocked cells and each row renormalised.

    Right, by a detour: the sum over all keys cancels. A fully blocked row stays 0.
    """
    weights = zero_after_softmax(scores, blocked)
    left = weights.sum(axis=-1, keepdims=True)
    return weights / np.where(left == 0, 1, left)


def softmax_of_zeroed_scores(scores: Array, blocked: Blocked) -> Array:
    """Return softmax(scores times 0 where blocked, times 1 elsewhere).

    Wrong: a score of 0 does not block, and e^0 = 1 exceeds the exponential of every negative score.
    """
    return softmax(np.where(blocked, 0.0, scores))


def soft_capped_after_mask(scores: Array, blocked: Blocked, cap: float) -> Array:
    """Return cap * tanh(score / cap), with a score of -inf where blocked.

    Wrong: -inf becomes -cap, so that softmax gives blocked keys weight. A soft-cap comes before the mask.
    """
    return np.asarray(cap * np.tanh(np.where(blocked, -np.inf, scores) / cap))


def softmax_with_large_number(scores: Array, blocked: Blocked, bits: int) -> Array:
    """Return softmax(scores - 10^9 where blocked) in floats of 32 or 64 bits.

    Nearly the same as -inf while a row has an allowed key. In a fully blocked row, 10^9 is subtracted from every
    score, which leaves softmax unchanged: with 64 bits the row looks unmasked. With 32 bits neighbouring floats are 64
    apart there: scores below 32 are lost and all weights are equal, larger scores are rounded to multiples of 64.
    """
    dtype = {32: np.float32, 64: np.float64}.get(bits)
    added = np.where(blocked, LARGE, 0.0).astype(dtype)
    return softmax(scores.astype(dtype) + added)


def softmax_of_sum(scores: Array, mask: Array) -> Array:
    """Return softmax(scores + mask) by the textbook formula: NaN where no key is left."""
    return softmax_without_shift(scores + mask)


def positions_with_raw_exponent(length: int, d_model: int, base: float = 10000.0) -> Array:
    """Return sinusoids with the exponent -2j / D in column j.

    Wrong: j counts columns where it should count pairs, (0, 0, 1, 1, 2, 2 ...). The sine and cosine of a pair have
    different frequencies, sin² + cos² is not 1, rows differ in length, and a step is no rotation.
    """
    columns = np.arange(d_model)
    angles = np.arange(length)[:, None] * base ** (-2.0 * columns / d_model)  # (T, D)
    return np.where(columns % 2, np.cos(angles), np.sin(angles))


def positions_by_slices(length: int, d_model: int, base: float = 10000.0) -> Array:
    """Return the sinusoids as in many tutorials.

    Wrong: an odd width has one sine more than cosines, and NumPy refuses the last assignment.
    """
    angles = np.arange(length)[:, None] * frequencies(d_model, base)
    encoding = np.zeros((length, d_model))  # (T, D)
    encoding[:, 0::2] = np.sin(angles)
    encoding[:, 1::2] = np.cos(angles)
    return encoding


def complaint_about_slices(length: int, d_model: int, base: float = 10000.0) -> str:
    """Return NumPy's error message for `positions_by_slices`; an empty text if there is none."""
    try:
        positions_by_slices(length, d_model, base)
    except ValueError as error:
        return str(error)
    return ""


def positions_side_by_side(length: int, d_model: int, base: float = 10000.0) -> Array:
    """Return all sines and then all cosines.

    Wrong where neighbouring columns are taken as a pair. Right by itself: the columns are only permuted, so the dot
    products of rows are the same.
    """
    waves = sinusoidal_positions(length, d_model, base)
    return np.concatenate([waves[:, 0::2], waves[:, 1::2]], axis=-1)


def rotate_halves(x: Array, base: float = 10000.0, offset: int = 0) -> Array:
    """Return RoPE with x[i] and x[i + K/2] as a pair, as in some models.

    Right by itself; wrong with vectors or weights made for neighbouring pairs.
    """
    half = x.shape[-1] // 2
    neighbours = np.stack([x[..., :half], x[..., half:]], axis=-1).reshape(x.shape)
    rotated = rotate(neighbours, base, offset)
    return np.concatenate([rotated[..., 0::2], rotated[..., 1::2]], axis=-1)


def rope_products_of_mixed_pairs(q: Array, k: Array, base: float = 10000.0, offset: int = 0) -> Array:
    """Return the dot products of q rotated in neighbouring pairs and k rotated in half-split pairs.

    Wrong: the rotations do not match, so the scores depend on the offset of the sentence.
    """
    return rotate(q, base, offset) @ rotate_halves(k, base, offset).mT
