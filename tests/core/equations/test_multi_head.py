"""Multi-head attention written three ways, within a sentence or across two; and what each head writes."""

from pathlib import Path

import numpy as np
import pytest

import attention_core as core
from attention_core.equations.multi_head import head_writes
from attention_core.experiments.multi_head.loop_and_einsum import multi_head_by_einsum, multi_head_by_loop
from tests.core.gradients import BATCHES, drawer

T, S, H, K = 5, 7, 3, 2
D = H * K
WAYS = [core.multi_head_attention, multi_head_by_loop, multi_head_by_einsum]
every_way = pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)


def drawn(*batch):
    """Return x, the four matrices and a context."""
    draw = drawer()
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


@every_way
@pytest.mark.parametrize("call", ["self", "cross"])
def test_outputs_and_weights_of_every_head_are_those_of_torch(way, call):
    """`data/make_torch.py` asked torch.nn.MultiheadAttention once."""
    file = np.load(Path(__file__).parents[1] / "data" / "torch_multi_head.npz")
    torch = {name.removeprefix(f"{call}."): file[name] for name in file.files if name.startswith(call)}
    mask, matrices = core.causal_mask(7) if call == "self" else None, (torch[f"w_{letter}"] for letter in "qkvo")
    for found, name in zip(
        way(torch["x"], *matrices, 3, mask, torch.get("context")), ("output", "weights"), strict=True
    ):
        assert found.shape == torch[name].shape
        np.testing.assert_allclose(found, torch[name], rtol=0, atol=1e-10)


@every_way
@pytest.mark.parametrize(("given", "written"), [(D, 0), (0, D), (0, 0)])
def test_input_and_output_may_have_no_columns(way, given, written):
    output, weights = way(np.ones((T, given)), *[np.ones((given, D))] * 3, np.ones((D, written)), H)
    assert output.shape == (T, written)
    np.testing.assert_allclose(weights, np.full((H, T, T), 1 / T))


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


def test_what_a_head_writes_worked_by_hand():
    # head 0 owns the first row of w_o, head 1 the second
    writes = head_writes([[[2]], [[3]]], [[1, 10], [100, 1000]])
    np.testing.assert_array_equal(writes, [[[2, 20]], [[300, 3000]]])


def test_writes_need_a_row_of_w_o_for_each_number_of_each_head():
    message = r"^w_o must have a row for each number of each head, got w_o \(5, 6\) and heads \(3, 7, 2\)$"
    with pytest.raises(ValueError, match=message):
        head_writes(np.zeros((H, S, K)), np.zeros((T, D)))
