"""Multi-head attention written three ways, within a sentence or across two; and what each head writes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import attention_core as core
from attention_core.equations.heads import Heads, heads_forward
from attention_core.equations.multi_head import head_writes, multi_head_by_einsum, multi_head_by_loop
from tests.core.gradients import BATCHES, assert_all_float32, drawer

T, S, H, K = 5, 7, 3, 2
D = H * K
WAYS = [core.multi_head_attention, multi_head_by_loop, multi_head_by_einsum]
every_way = pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)


def drawn(*batch, seed=0, dtype=np.float64):
    """Return x, the four matrices and a context."""
    draw = drawer(seed, dtype)
    return draw(*batch, T, D), [draw(D, D) for _ in range(4)], draw(*batch, S, D)


@every_way
def test_two_heads_that_look_across_worked_by_hand(way):
    # all matrices are 1, so each head reads one column. Head 0 asks 1 of [0, ln 3]: shares 1/4 and 3/4, so 3/4 ln 3.
    # Head 1 asks 0 of [8, 4]: equal shares, so 6.
    one = np.eye(2)
    output, weights = way([[1, 0]], one, one, one, one, 2, context=[[0, 8], [np.log(3), 4]])
    np.testing.assert_allclose(weights, [[[1 / 4, 3 / 4]], [[1 / 2, 1 / 2]]])
    np.testing.assert_allclose(output, [[3 / 4 * np.log(3), 6]])


@every_way
@pytest.mark.parametrize("across", [False, True])
@pytest.mark.parametrize("batch", BATCHES)
def test_batch_axes_are_many_attentions(way, batch, across):
    x, matrices, context = drawn(*batch)
    output, weights = way(x, *matrices, H, context=context if across else None)
    assert output.shape == (*batch, T, D)
    assert weights.shape == (*batch, H, T, S if across else T)
    for index in np.ndindex(batch):
        alone = way(x[index], *matrices, H, context=context[index] if across else None)
        np.testing.assert_allclose(output[index], alone[0])
        np.testing.assert_allclose(weights[index], alone[1])


@pytest.mark.parametrize("across", [False, True])
@pytest.mark.parametrize("shape", [None, (S,), (T, S), (1, T, S), (H, T, S), (2, 1, T, S), (2, H, T, S), (2, 1, 1, S)])
@pytest.mark.parametrize("kind", [bool, float])
def test_the_three_ways_agree(shape, across, kind):
    x, matrices, context = drawn(2)
    mask = None
    if shape is not None:
        mask = drawer(1)(*shape)[..., : S if across else T]
        mask = mask > 0.5 if kind is bool else mask
    found = [way(x, *matrices, H, mask, context if across else None) for way in WAYS]
    for output, weights in found[1:]:
        np.testing.assert_allclose(output, found[0][0])
        np.testing.assert_allclose(weights, found[0][1])


@every_way
def test_a_mask_without_an_axis_for_the_heads_serves_them_all(way):
    x, matrices, _ = drawn(2)
    mask = core.causal_mask(T)
    output, weights = way(x, *matrices, H, mask)
    assert (weights[..., mask] == 0).all()
    np.testing.assert_allclose(way(x, *matrices, H, np.stack([mask] * H))[0], output)


@every_way
def test_a_mask_with_an_axis_for_the_heads_blinds_one_of_them(way):
    x, matrices, _ = drawn(2)
    mask = np.zeros((H, T, T), bool)
    mask[1] = True
    _, weights = way(x, *matrices, H, mask)
    assert (weights[:, 1] == 0).all()
    np.testing.assert_allclose(weights[:, [0, 2]].sum(axis=-1), 1)


@every_way
def test_one_context_serves_a_batch(way):
    x, matrices, context = drawn(2)
    output, _ = way(x, *matrices, H, context=context[0])
    np.testing.assert_allclose(output[1], way(x[1], *matrices, H, context=context[0])[0])


@every_way
def test_matrices_need_not_be_square(way):
    draw = drawer()
    x, context = draw(T, 7), draw(S, 5)
    w_q, w_k, w_v, w_o = draw(7, 3 * 2), draw(5, 3 * 2), draw(5, 3 * 4), draw(3 * 4, 11)
    output, weights = way(x, w_q, w_k, w_v, w_o, 3, context=context)
    assert weights.shape == (3, T, S)
    q, k, v = x @ w_q[:, 2:4], context @ w_k[:, 2:4], context @ w_v[:, 4:8]  # head 1
    np.testing.assert_allclose(weights[1], core.softmax(q @ k.T / np.sqrt(2)))
    others = [w @ context @ w_v[:, 4 * h : 4 * h + 4] @ w_o[4 * h : 4 * h + 4] for h, w in enumerate(weights) if h != 1]
    np.testing.assert_allclose(output, sum(others) + weights[1] @ v @ w_o[4:8])


@every_way
def test_an_output_may_have_no_columns(way):
    x, w = np.ones((T, D)), np.ones((D, D))
    output, weights = way(x, w, w, w, np.ones((D, 0)), 1)
    assert output.shape == (T, 0)
    np.testing.assert_allclose(weights, 1 / T)


@every_way
def test_one_head_is_plain_attention(way):
    x, (w_q, w_k, w_v, w_o), context = drawn(2)
    output, weights = way(x, w_q, w_k, w_v, w_o, 1, context=context)
    expected = core.scaled_dot_product_attention(x @ w_q, context @ w_k, context @ w_v)
    np.testing.assert_allclose(weights[:, 0], expected[1])
    np.testing.assert_allclose(output, expected[0] @ w_o)


def test_it_is_the_attention_of_the_model():
    x, (w_q, w_k, w_v, w_o), _ = drawn(2)
    out, cache = heads_forward(x, Heads(np.hstack([w_q, w_k, w_v]), w_o), H, core.additive_mask(core.causal_mask(T)))
    output, weights = core.multi_head_attention(x, w_q, w_k, w_v, w_o, H, core.causal_mask(T))
    np.testing.assert_allclose(output, out)
    np.testing.assert_allclose(weights, cache.attention.weights)


@every_way
@given(seed=st.integers(0, 2**32 - 1), order=st.permutations(range(S)))
def test_the_order_of_the_context_changes_nothing(way, seed, order):
    x, matrices, context = drawn(seed=seed)
    output, weights = way(x, *matrices, H, context=context)
    shuffled, shuffled_weights = way(x, *matrices, H, context=context[order])
    np.testing.assert_allclose(shuffled, output, atol=1e-10)
    np.testing.assert_allclose(shuffled_weights, weights[..., order], atol=1e-12)


@pytest.mark.parametrize("batch", BATCHES)
def test_what_the_heads_write_sums_to_the_output(batch):
    x, (w_q, w_k, w_v, w_o), context = drawn(*batch)
    output, weights = core.multi_head_attention(x, w_q, w_k, w_v, w_o, H, context=context)
    values = np.stack(np.split(context @ w_v, H, axis=-1), axis=-3)  # (..., H, S, K)
    writes = head_writes(weights @ values, w_o)
    assert writes.shape == (*batch, H, T, D)
    np.testing.assert_allclose(writes.sum(axis=-3), output)


def test_what_a_head_writes_worked_by_hand():
    # head 0 owns the first row of w_o, head 1 the second
    writes = head_writes([[[2]], [[3]]], [[1, 10], [100, 1000]])
    np.testing.assert_array_equal(writes, [[[2, 20]], [[300, 3000]]])


def test_a_silent_head_is_one_whose_rows_of_w_o_are_zero():
    x, (w_q, w_k, w_v, w_o), _ = drawn()
    rows = np.arange(D)[:, None] // K
    _, cache = heads_forward(x, Heads(np.hstack([w_q, w_k, w_v]), w_o), H)
    without, _ = core.multi_head_attention(x, w_q, w_k, w_v, np.where(rows == 1, 0, w_o), H)
    np.testing.assert_allclose(without, head_writes(cache.attention.output, w_o)[[0, 2]].sum(axis=0))


def test_the_number_of_parameters_does_not_depend_on_the_number_of_heads():
    sizes = {core.init_model(core.Config(5, 12, n_heads, 2, 7)).flat.size for n_heads in (1, 2, 3, 4, 6, 12)}
    assert len(sizes) == 1


@every_way
@pytest.mark.parametrize("batch", BATCHES)
def test_float32_stays_float32(way, batch):
    x, matrices, context = drawn(*batch, dtype=np.float32)
    mask = core.additive_mask(np.zeros((T, S), bool))
    assert_all_float32(way(x, *matrices, H), way(x, *matrices, H, mask, context))
    assert_all_float32(head_writes(drawer(1, np.float32)(*batch, H, T, K), matrices[3]))


@every_way
def test_the_widest_dtype_of_the_inputs_decides(way):
    x, (w_q, *rest), _ = drawn(dtype=np.float32)
    output, weights = way(x, w_q.astype(np.float64), *rest, H)
    assert output.dtype == weights.dtype == np.float64


@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 2, 4]))
def test_under_the_causal_mask_another_last_word_moves_no_earlier_output_by_a_bit(seed, n_heads):
    draw = drawer(seed)
    x, w_q, w_k, w_v, w_o = draw(7, 8), draw(8, 8), draw(8, 8), draw(8, 8), draw(8, 8)
    changed = np.concatenate([x[:-1], 5 * draw(1, 8)])
    outputs = [core.multi_head_attention(s, w_q, w_k, w_v, w_o, n_heads, core.causal_mask(7))[0] for s in (x, changed)]
    np.testing.assert_array_equal(outputs[0][:-1], outputs[1][:-1])
    assert (outputs[0][-1] != outputs[1][-1]).any()
