"""float32 stays float32 in every function and in every number of a cache, also where rows lie far apart."""

import numpy as np
import pytest

import attention_core as core
from attention_core.arrays import column_sums, project, project_backward, row_sums
from attention_core.checks import floats
from attention_core.equations.attention import attention_backward, attention_forward, sink_backward
from attention_core.equations.loss import cross_entropy_backward, cross_entropy_forward
from attention_core.equations.multi_head import head_writes
from attention_core.equations.positions import apply_rope, rope_phase
from attention_core.equations.softmax import exponentials, softmax_backward, softmax_forward
from attention_core.experiments.multi_head.loop_and_einsum import multi_head_by_einsum, multi_head_by_loop
from tests.core.gradients import BATCHES, assert_all_float32, drawer

T, S, H, K = 5, 7, 3, 2
D = H * K


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("size", [1, 1000])
def test_float32_stays_float32(batch, size):
    draw = drawer(dtype=np.float32)
    q, k, v, dout = draw(*batch, T, K) * np.float32(size), draw(*batch, S, K), draw(*batch, S, K), draw(*batch, T, K)
    mask = np.where(draw(T, S) > 0, np.float32(-np.inf), np.float32(0))
    mask[2], free = -np.inf, np.zeros((T, S))  # which is float64, as masks that a student makes
    assert_all_float32(core.scaled_dot_product_attention(q, k, v, free, 0.5))
    for more in ((mask,), (None, None, 1.5, draw(*batch))):
        cache = attention_forward(q, k, v, *more)
        assert_all_float32(cache, attention_backward(dout, cache), sink_backward(dout, cache))
    assert_all_float32(core.flash_attention(q, k, v, block=4), core.flash_attention(q, q, dout, causal=True, block=4))
    assert_all_float32(core.rotate(q), core.rotate(q, 100, 7), apply_rope(q, rope_phase(T, K, 100.0, 0, "<f4")))

    scores = draw(T, S) - np.float32(size) * np.arange(T, dtype=np.float32)[:, None]
    weights = softmax_forward(scores, mask)
    assert_all_float32(core.softmax(scores), exponentials(scores), exponentials(scores, mask), weights)
    assert_all_float32(softmax_backward(draw(T, S).copy(), weights))
    for share in (1 / T, np.full(T, 1 / T), np.full(T, 1 / T, np.float32)):
        loss, cache = cross_entropy_forward(scores, np.arange(T))
        assert loss == cache.each.mean(dtype=np.float64)  # a sum over many positions needs more digits
        assert_all_float32(cache, cross_entropy_backward(cache, share))

    x, context, w = draw(*batch, T, D), draw(*batch, S, D), draw(D, D)
    for way in (core.multi_head_attention, multi_head_by_loop, multi_head_by_einsum):
        assert_all_float32(way(x, w, w, w, w, H), way(x, w, w, w, w, H, free, context))
    assert_all_float32(head_writes(draw(*batch, H, T, K), w), row_sums(x), column_sums(x), project(x, w))
    assert_all_float32(project_backward(x, x, w)[:2], floats("x", x))
