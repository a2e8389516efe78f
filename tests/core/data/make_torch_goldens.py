"""Write torch_multi_head.npz: what PyTorch's multi-head attention makes of some inputs, forwards and backwards.

Run once by hand, where torch is installed: `python tests/core/data/make_torch_goldens.py`. The tests read the file and
need no torch. `self` is a sentence that looks at itself under a causal mask, `cross` one that looks at a context. The
matrices are stored as they are multiplied from the right, x @ w; torch keeps their transposes.
"""

from pathlib import Path

import numpy as np
import torch

BATCH, HEADS, LENGTH, KEYS, WIDTH = 2, 3, 7, 5, 15


def goldens(name: str, seed: int, context_length: int | None) -> dict[str, np.ndarray]:
    """Return inputs, outputs and gradients of one call."""
    torch.manual_seed(seed)
    layer = torch.nn.MultiheadAttention(WIDTH, HEADS, bias=False, batch_first=True, dtype=torch.float64)
    x = torch.randn(BATCH, LENGTH, WIDTH, dtype=torch.float64, requires_grad=True)
    mask = torch.ones(LENGTH, LENGTH, dtype=torch.bool).triu(1)
    context = x
    if context_length is not None:
        mask, context = None, torch.randn(BATCH, context_length, WIDTH, dtype=torch.float64, requires_grad=True)
    output, weights = layer(x, context, context, attn_mask=mask, average_attn_weights=False)
    dout = torch.randn_like(output)
    (output * dout).sum().backward()
    found = {"x": x, "output": output, "weights": weights, "dout": dout, "dx": x.grad}
    if context is not x:
        found |= {"context": context, "dcontext": context.grad}
    found |= dict(zip(("w_q", "w_k", "w_v"), (w.T for w in layer.in_proj_weight.chunk(3)), strict=True))
    found |= dict(zip(("dw_q", "dw_k", "dw_v"), (w.T for w in layer.in_proj_weight.grad.chunk(3)), strict=True))
    found |= {"w_o": layer.out_proj.weight.T, "dw_o": layer.out_proj.weight.grad.T}
    return {f"{name}.{key}": value.detach().numpy() for key, value in found.items()}


if __name__ == "__main__":
    arrays = goldens("self", 0, None) | goldens("cross", 1, KEYS)
    np.savez_compressed(Path(__file__).with_name("torch_multi_head.npz"), **arrays)
