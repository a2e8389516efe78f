"""Write torch_*.npz: what PyTorch makes of multi-head attention, and of whole language models with their gradients.

`python -m tests.core.data.make_torch` needs torch, of which 2.13 made the files; the tests read them and need none. The
model is written with PyTorch's own parts, over the arrays of `named_arrays`, which are multiplied from the right.
"""

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional as F

import attention_core as core

FOLDER = Path(__file__).parent
CONFIGS = {
    "post_sinusoidal_relu": core.Config(13, 9, 3, 2, 11, d_ff=7, norm="post", activation="relu", epsilon=0.2),
    "gpt_2": core.Config(13, 10, 5, 2, 11, d_ff=17, positions="learned", attention_biases="all"),
    "gelu_erf": core.Config(13, 10, 5, 2, 11, d_ff=17, positions="none", activation="gelu_erf", epsilon=0.1),
    "qwen2": core.Config(
        *(13, 12, 6, 2, 11, 5, "rope", "silu"),
        **{"normalization": "rms", "gated": True, "n_groups": 3, "tied": False, "rope_base": 70.0},
        **{"attention_biases": "qkv", "epsilon": 1e-6},
    ),
}


def rotated(x, base):
    """Return (B, H, T, K) with each pair rotated by its angle, as the RoFormer paper writes it: cosines and sines."""
    width = x.shape[-1]
    angles = torch.arange(x.shape[-2])[:, None] * base ** (-torch.arange(0, width, 2, dtype=x.dtype) / width)
    even, odd = x[..., 0::2], x[..., 1::2]
    parts = even * angles.cos() - odd * angles.sin(), even * angles.sin() + odd * angles.cos()
    return torch.stack(parts, dim=-1).flatten(-2)


def wave(t, i, width):
    angle = torch.tensor(t / 10000 ** (2 * (i // 2) / width), dtype=torch.float64)
    return angle.cos() if i % 2 else angle.sin()


def logits(config, arrays, tokens):
    width, length = config.d_model, tokens.shape[1]
    activation = {"gelu": lambda x: F.gelu(x, approximate="tanh"), "gelu_erf": F.gelu, "relu": F.relu, "silu": F.silu}

    def norm(x, name):
        if config.normalization == "rms":
            return F.rms_norm(x, (width,), arrays[f"{name}.gain"], config.epsilon)
        return F.layer_norm(x, (width,), arrays[f"{name}.gain"], arrays[f"{name}.bias"], config.epsilon)

    def attend(x, name):
        def linear(x, letter):
            return F.linear(x, arrays[f"{name}.w_{letter}"].T, arrays.get(f"{name}.b_{letter}"))

        q, k, v = (linear(x, letter).unflatten(-1, (-1, config.d_head)).transpose(1, 2) for letter in "qkv")
        if config.positions == "rope":
            q, k = rotated(q, config.rope_base), rotated(k, config.rope_base)
        heads = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        return linear(heads.transpose(1, 2).flatten(-2), "o")

    def feed(x, name):
        own = {key.rpartition(".")[2]: array for key, array in arrays.items() if key.startswith(name)}
        if config.gated:
            return (activation[config.activation](x @ own["w_gate"]) * (x @ own["w_up"])) @ own["w_down"]
        return activation[config.activation](x @ own["w1"] + own["b1"]) @ own["w2"] + own["b2"]

    x = arrays["token_embedding"][tokens]
    if config.positions == "learned":
        x = x + arrays["position_embedding"][:length]
    elif config.positions == "sinusoidal":
        x = x + torch.tensor([[wave(t, i, width) for i in range(width)] for t in range(length)])
    for layer in range(config.n_layers):
        for half, part, own in ((attend, "attention", "norm1"), (feed, "feed_forward", "norm2")):
            name, normed = f"blocks.{layer}.{part}", f"blocks.{layer}.{own}"
            x = x + half(norm(x, normed), name) if config.norm == "pre" else norm(x + half(x, name), normed)
    return F.linear(norm(x, "final_norm"), arrays.get("output", arrays["token_embedding"]))


def model(config):
    """Return the weights, logits, loss and gradients of a model none of whose numbers is at the 0 or 1 of its start."""
    rng = np.random.default_rng(0)
    start = core.named_arrays(core.init_model(config, dtype=np.float64))
    arrays = {name: torch.tensor(a + 0.3 * rng.standard_normal(a.shape)).requires_grad_() for name, a in start.items()}
    tokens, targets = rng.integers(config.vocab_size, size=(2, 3, 7))
    found = logits(config, arrays, torch.from_numpy(tokens))
    loss = F.cross_entropy(found.flatten(0, 1), torch.from_numpy(targets).flatten())
    loss.backward()
    return {
        **{"config": np.array(json.dumps(asdict(config))), "tokens": tokens, "targets": targets},
        **{"logits": found.detach().numpy(), "loss": np.array(loss.item())},
        **{f"weights/{name}": array.detach().numpy() for name, array in arrays.items()},
        **{f"gradients/{name}": array.grad.numpy() for name, array in arrays.items()},
    }


def multi_head(name, seed, n_keys):
    """Return what PyTorch's own layer makes of a sentence that attends to itself, or to a context of `n_keys` words."""
    torch.manual_seed(seed)
    layer = torch.nn.MultiheadAttention(15, 3, bias=False, batch_first=True, dtype=torch.float64)
    x, context = (torch.randn(2, n, 15, dtype=torch.float64) for n in (7, n_keys))
    mask = None if n_keys else torch.ones(7, 7, dtype=torch.bool).triu(1)
    seen = context if n_keys else x
    output, weights = layer(x, seen, seen, attn_mask=mask, average_attn_weights=False)
    found = {"x": x, "output": output, "weights": weights, "w_o": layer.out_proj.weight.T}
    found |= {f"w_{letter}": w.T for letter, w in zip("qkv", layer.in_proj_weight.chunk(3), strict=True)}
    found |= {"context": context} if n_keys else {}
    return {f"{name}.{key}": value.detach().numpy() for key, value in found.items()}


if __name__ == "__main__":
    np.savez_compressed(FOLDER / "torch_multi_head.npz", **multi_head("self", 0, 0), **multi_head("cross", 1, 5))
    for name, config in CONFIGS.items():
        np.savez_compressed(FOLDER / f"torch_model_{name}.npz", **model(config))
