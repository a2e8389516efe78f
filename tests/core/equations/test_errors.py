"""Bad input of an operation is a ValueError that names the argument, the rule and the shapes or values seen."""

import numpy as np
import pytest

import attention_core as core
from attention_core.checks import floats, whole
from attention_core.equations.masks import block_mask, padding_mask, prefix_mask, reachable, sliding_window_mask
from attention_core.equations.multi_head import head_writes, multi_head_by_einsum, multi_head_by_loop
from attention_core.equations.positions import frequencies, shift_matrix
from tests.core.errors import check, says

NAN, INF = float("nan"), float("inf")


def zeros(*shape):
    """Return an array of this shape, of which only the shape matters."""
    return np.zeros(shape)


def attend(q=(5, 3), k=(7, 3), v=(7, 2), **more):
    """Attend with inputs of these shapes."""
    return core.scaled_dot_product_attention(zeros(*q), zeros(*k), zeros(*v), **more)


def heads(way=core.multi_head_attention, n_heads=3, mask=None, context=None, **shapes):
    """Attend with three heads and inputs of these shapes."""
    usual = {"x": (5, 6), "w_q": (6, 6), "w_k": (6, 6), "w_v": (6, 6), "w_o": (6, 6)} | shapes
    return way(*(zeros(*shape) for shape in usual.values()), n_heads, mask, context)


@says(
    (lambda: core.softmax([0, NAN]), "x must not contain NaN or +inf, got 1 such in x (2,)"),
    (lambda: core.softmax([[INF, NAN, -INF]]), "x must not contain NaN or +inf, got 2 such in x (1, 3)"),
    (lambda: core.softmax(zeros(5, 3), axis=2), "axis must be between -2 and 1, got 2"),
    (lambda: core.softmax(zeros(5, 3), axis=-3), "axis must be between -2 and 1, got -3"),
    (lambda: core.softmax(1.0), "x must have at least 1 axes, got shape ()"),
    (lambda: core.softmax([1j]), "x must contain real numbers, got dtype complex128"),
    (lambda: core.softmax(["1"]), "x must contain real numbers, got dtype <U1"),
    (lambda: core.softmax(None), "x must contain real numbers, got dtype object"),
    (lambda: core.softmax([[1], [2, 3]]), "x must be a regular array, got rows of different lengths"),
    (lambda: core.softmax([1], axis=0.5), "axis must be a whole number, got 0.5"),
    (lambda: floats("x", [], ndim=2), "x must have at least 2 axes, got shape (0,)"),
    (lambda: whole("n", 2.0, 1), "n must be a whole number, got 2.0"),
    (lambda: whole("n", np.True_, 1), "n must be a whole number, got np.True_"),
    (lambda: whole("n", 0, 1), "n must be at least 1, got 0"),
    (lambda: whole("n", 8, 1, 7), "n must be between 1 and 7, got 8"),
)
def test_softmax_and_plain_numbers(call, message):
    check(call, message)


@says(
    (lambda: core.causal_mask(-1), "length must be at least 0, got -1"),
    (lambda: core.causal_mask(True), "length must be a whole number, got True"),
    (lambda: core.causal_mask(3.0), "length must be a whole number, got 3.0"),
    (lambda: sliding_window_mask(5, 0), "window must be at least 1, got 0"),
    (lambda: sliding_window_mask(-5, 1), "length must be at least 0, got -5"),
    (lambda: prefix_mask(5, -2), "prefix must be at least 0, got -2"),
    (lambda: prefix_mask(False, 2), "length must be a whole number, got False"),
    (lambda: block_mask(5, 0), "size must be at least 1, got 0"),
    (lambda: block_mask("5", 2), "length must be a whole number, got '5'"),
    (lambda: padding_mask([2, 6], 5), "lengths must be whole numbers between 0 and length 5, got [2, 6]"),
    (lambda: padding_mask([-1], 5), "lengths must be whole numbers between 0 and length 5, got [-1]"),
    (lambda: padding_mask([2.0], 5), "lengths must be whole numbers between 0 and length 5, got [2.0]"),
    (lambda: padding_mask([True], 5), "lengths must be whole numbers between 0 and length 5, got [True]"),
    (lambda: padding_mask([2], -5), "length must be at least 0, got -5"),
    (lambda: core.additive_mask([[0, 1]]), "blocked must be boolean, True = blocked, got dtype int64"),
    (lambda: core.additive_mask([0.0, -INF]), "blocked must be boolean, True = blocked, got dtype float64"),
    (lambda: reachable(zeros(3, 3), 2), "blocked must be a boolean (T, T) mask, got float64 (3, 3)"),
    (lambda: reachable(zeros(3, 5) > 0, 2), "blocked must be a boolean (T, T) mask, got bool (3, 5)"),
    (lambda: reachable(zeros(3, 3) > 0, 0), "layers must be at least 1, got 0"),
)
def test_masks(call, message):
    check(call, message)


FIT = "mask must broadcast to the scores, got mask"
OVERFLOW = "the scores q kᵀ must be finite, got q up to 1e+200 and k up to 1e+200 in"
KIND = "mask must be boolean (True = blocked) or float (added to the scores), got dtype"


@says(
    (lambda: attend(k=(7, 2)), "q and k must have the same width, at least 1, got q (5, 3) and k (7, 2)"),
    (lambda: attend((5, 0), (7, 0)), "q and k must have the same width, at least 1, got q (5, 0) and k (7, 0)"),
    (lambda: attend(v=(5, 2)), "k and v must have the same length, got k (7, 3) and v (5, 2)"),
    (lambda: attend((3,)), "q must have at least 2 axes, got shape (3,)"),
    (lambda: attend(k=(3,)), "k must have at least 2 axes, got shape (3,)"),
    (lambda: attend(v=(7,)), "v must have at least 2 axes, got shape (7,)"),
    (
        lambda: attend((2, 5, 3), (3, 7, 3)),
        "the batch axes of q, k and v must fit, got q (2, 5, 3), k (3, 7, 3) and v (7, 2)",
    ),
    (lambda: attend(mask=zeros(7, 5)), f"{FIT} (7, 5) and scores (5, 7)"),
    (lambda: attend((1, 3), mask=zeros(5, 7)), f"{FIT} (5, 7) and scores (1, 7)"),
    (lambda: attend((2, 5, 3), mask=zeros(3, 5, 7) > 0), f"{FIT} (3, 5, 7) and scores (2, 5, 7)"),
    (lambda: attend(mask=np.zeros((5, 7), int)), f"{KIND} int64"),
    (lambda: attend(mask=np.zeros((5, 7), complex)), f"{KIND} complex128"),
    (lambda: attend(mask=[NAN]), "mask must not contain NaN or +inf; -inf blocks"),
    (lambda: attend(mask=[INF]), "mask must not contain NaN or +inf; -inf blocks"),
    (lambda: core.scaled_dot_product_attention([[1e200]], [[-1e200]] * 2, zeros(2, 3)), f"{OVERFLOW} float64"),
    (lambda: core.scaled_dot_product_attention([[1e200]], [[1e200], [0]], zeros(2, 3)), f"{OVERFLOW} float64"),
    (lambda: core.flash_attention([[1e200]], [[-1e200]] * 2, zeros(2, 3)), f"{OVERFLOW} float64"),
    (lambda: core.flash_attention([[1e200]], [[1e200], [0]], zeros(2, 3)), f"{OVERFLOW} float64"),
    (lambda: attend(scale=NAN), "scale must be a finite number, got nan"),
    (lambda: attend(scale=INF), "scale must be a finite number, got inf"),
    (lambda: core.flash_attention(*[zeros(5, 3)] * 3, block=0), "block must be at least 1, got 0"),
    (lambda: core.flash_attention(*[zeros(5, 3)] * 3, block=2.5), "block must be a whole number, got 2.5"),
    (lambda: core.flash_attention(*[zeros(5, 3)] * 3, workers=0), "workers must be at least 1, got 0"),
    (
        lambda: core.flash_attention(zeros(5, 3), zeros(7, 3), zeros(7, 2), causal=True),
        "causal needs as many queries as keys, got q (5, 3) and k (7, 3)",
    ),
    (
        lambda: core.flash_attention(zeros(5, 3), zeros(7, 2), zeros(7, 2)),
        "q and k must have the same width, at least 1, got q (5, 3) and k (7, 2)",
    ),
)
def test_attention(call, message):
    check(call, message)


@pytest.mark.parametrize("way", [core.multi_head_attention, multi_head_by_loop, multi_head_by_einsum])
@says(
    (
        lambda way: heads(way, mask=np.zeros((2, 5, 5), bool)),
        "mask must broadcast to the scores, got mask (2, 5, 5) and ",
    ),
    (lambda way: heads(way, 0), "n_heads must be at least 1, got 0"),
    (lambda way: heads(way, True), "n_heads must be a whole number, got True"),
    (lambda way: heads(way, 4), "n_heads must divide the width of w_q, got n_heads 4 and w_q (6, 6)"),
    (lambda way: heads(way, w_q=(6, 0)), "n_heads must divide the width of w_q, got n_heads 3 and w_q (6, 0)"),
    (lambda way: heads(way, w_v=(6, 5)), "n_heads must divide the width of w_v, got n_heads 3 and w_v (6, 5)"),
    (lambda way: heads(way, x=(6,)), "x must have at least 2 axes, got shape (6,)"),
    (lambda way: heads(way, context=zeros(6)), "context must have at least 2 axes, got shape (6,)"),
    (lambda way: heads(way, w_k=(6, 6, 1)), "w_k must be a matrix, got shape (6, 6, 1)"),
    (lambda way: heads(way, w_q=(5, 6)), "w_q must have a row for each column of x, got (5, 6) and (5, 6)"),
    (
        lambda way: heads(way, context=zeros(7, 5)),
        "w_k must have a row for each column of context, got (6, 6) and (7, 5)",
    ),
    (lambda way: heads(way, w_k=(6, 3)), "w_q and w_k must have the same width, got w_q (6, 6) and w_k (6, 3)"),
    (
        lambda way: heads(way, w_o=(5, 6)),
        "w_o must have a row for each column of w_v, got w_o (5, 6) and w_v (6, 6)",
    ),
    (lambda way: heads(way, mask=zeros(3, 5) > 0), f"{FIT} (3, 5) and scores"),
    (lambda way: heads(way, mask=np.zeros((5, 5), int)), f"{KIND} int64"),
)
def test_multi_head_attention_in_each_of_three_ways(way, call, message):
    check(call, message, way)


@says(
    (
        lambda: head_writes(zeros(3, 5, 2), zeros(5, 6)),
        "w_o must have a row for each number of each head, got w_o (5, 6) and heads (3, 5, 2)",
    ),
    (lambda: head_writes(zeros(5, 2), zeros(6, 6)), "heads must have at least 3 axes, got shape (5, 2)"),
    (lambda: core.rotate(zeros(5, 3)), "x must have an even width, because dimensions rotate in pairs, got x (5, 3)"),
    (
        lambda: core.rotate(zeros(2, 5, 0)),
        "x must have an even width, because dimensions rotate in pairs, got x (2, 5, 0)",
    ),
    (lambda: core.rotate(zeros(4)), "x must have at least 2 axes, got shape (4,)"),
    (lambda: core.rotate(zeros(5, 4), base=0), "base must be a finite number above 0, got 0"),
    (lambda: core.rotate(zeros(5, 4), base=NAN), "base must be a finite number above 0, got nan"),
    (lambda: core.sinusoidal_positions(-1, 4), "length must be at least 0, got -1"),
    (lambda: core.sinusoidal_positions(True, 4), "length must be a whole number, got True"),
    (lambda: core.sinusoidal_positions(5, 0), "d_model must be at least 1, got 0"),
    (lambda: core.sinusoidal_positions(5, 4, base=-1), "base must be a finite number above 0, got -1"),
    (lambda: frequencies(0), "width must be at least 1, got 0"),
    (lambda: shift_matrix(1, 5), "d_model must be even, so that every sine has its cosine, got 5"),
    (lambda: core.alibi_bias(0, 5), "n_heads must be at least 1, got 0"),
    (lambda: core.alibi_bias(3, -5), "length must be at least 0, got -5"),
    (
        lambda: core.layer_norm(zeros(5, 3), zeros(2), zeros(3)),
        "gain and bias must be as wide as x, got x (5, 3), gain (2,) and bias (3,)",
    ),
    (
        lambda: core.layer_norm(zeros(5, 0), zeros(0), zeros(0)),
        "gain and bias must be as wide as x, got x (5, 0), gain (0,) and bias (0,)",
    ),
    (
        lambda: core.layer_norm(np.float32([1e20, -1e20]), np.float32([1, 1]), np.float32([0, 0])),
        "the variance of x must be finite, got x up to 1e+20 in float32",
    ),
    (lambda: core.layer_norm(1.0, 1.0, 1.0), "x must have at least 1 axes, got shape ()"),
)
def test_positions_norms_and_what_heads_write(call, message):
    check(call, message)
