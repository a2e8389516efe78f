"""The same numbers as torch.nn.MultiheadAttention; `data/make_torch.py` asked it."""

from pathlib import Path

import numpy as np
import pytest

import attention_core as core
from attention_core.experiments.multi_head.loop_and_einsum import multi_head_by_einsum, multi_head_by_loop

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
