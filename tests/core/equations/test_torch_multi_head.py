"""The same numbers as torch.nn.MultiheadAttention, forwards and backwards; `data/make_torch_goldens.py` asked it."""

from pathlib import Path

import numpy as np
import pytest

import attention_core as core
from attention_core.arrays import project, project_backward
from attention_core.equations.attention import attention_backward, attention_forward
from attention_core.equations.heads import Heads, heads_backward, heads_forward, merge_heads, split_heads
from attention_core.equations.multi_head import multi_head_by_einsum, multi_head_by_loop

with np.load(Path(__file__).parents[1] / "data" / "torch_multi_head.npz", allow_pickle=False) as file:
    GOLDENS = dict(file)
N_HEADS = 3
MATRICES = ("w_q", "w_k", "w_v", "w_o")


def golden(call):
    """Return {name: array} of one call of torch, `self` or `cross`."""
    return {name.removeprefix(call + "."): array for name, array in GOLDENS.items() if name.startswith(call + ".")}


def assert_close(found, expected):
    """Require agreement to ten decimals, also of shapes."""
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("call", ["self", "cross"])
@pytest.mark.parametrize("way", [core.multi_head_attention, multi_head_by_loop, multi_head_by_einsum])
@pytest.mark.promise("tutorial 18")
def test_outputs_and_weights_of_every_head_are_those_of_torch(way, call):
    torch = golden(call)
    mask = core.causal_mask(7) if call == "self" else None
    output, weights = way(torch["x"], *(torch[name] for name in MATRICES), N_HEADS, mask, torch.get("context"))
    assert_close(output, torch["output"])
    assert_close(weights, torch["weights"])


def test_gradients_of_a_sentence_that_looks_at_itself_are_those_of_torch():
    torch = golden("self")
    params = Heads(np.hstack([torch[name] for name in MATRICES[:3]]), torch["w_o"])
    out, cache = heads_forward(torch["x"], params, N_HEADS, core.additive_mask(core.causal_mask(7)))
    dx, grads = heads_backward(torch["dout"], cache)
    assert_close(out, torch["output"])
    assert_close(dx, torch["dx"])
    assert_close(grads.w_o, torch["dw_o"])
    for found, name in zip(np.split(grads.w_qkv, 3, axis=1), MATRICES, strict=False):
        assert_close(found, torch[f"d{name}"])


def test_gradients_of_a_sentence_that_looks_at_another_are_those_of_torch():
    torch = golden("cross")
    x, context, w_q, w_k, w_v, w_o = (torch[name] for name in ("x", "context", *MATRICES))
    q, k, v = (split_heads(project(s, w), N_HEADS) for s, w in ((x, w_q), (context, w_k), (context, w_v)))
    cache = attention_forward(q, k, v)
    dmerged, dw_o = project_backward(torch["dout"], merge_heads(cache.output), w_o)
    dq, dk, dv = (merge_heads(d) for d in attention_backward(split_heads(dmerged, N_HEADS), cache))
    dx, dw_q = project_backward(dq, x, w_q)
    by_keys, dw_k = project_backward(dk, context, w_k)
    by_values, dw_v = project_backward(dv, context, w_v)
    found = {"x": dx, "context": by_keys + by_values, "w_q": dw_q, "w_k": dw_k, "w_v": dw_v, "w_o": dw_o}
    for name, gradient in found.items():
        assert_close(gradient, torch[f"d{name}"])
