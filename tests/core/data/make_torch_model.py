"""Write torch_model_*.npz: what PyTorch makes of whole causal language models and their gradients, in float64.

Run once by hand with `python -m tests.core.data.make_torch_model`; it needs PyTorch (2.13 made the files), which the
tests do not. The model below is written from PyTorch's own parts and knows nothing of `attention_core` but the
weights, by name. Each file holds `config` (JSON), `tokens`, `targets`, `logits`, `loss`, and every parameter and its
gradient as `weights/name` and `gradients/name`.
"""

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

import attention_core as core

CONFIGS = {
    "pre_learned_gelu": core.Config(13, 10, 5, 2, 11, d_ff=17, positions="learned"),
    "post_sinusoidal_relu": core.Config(
        13, 9, 3, 2, 11, d_ff=7, positions="sinusoidal", norm="post", activation="relu"
    ),
    "pre_rope_gelu": core.Config(13, 12, 3, 2, 11, d_ff=5, positions="rope"),
}
BATCH, LENGTH = 3, 7


def turned(x: torch.Tensor) -> torch.Tensor:
    """Return (B, H, T, K) with each pair turned by its angle, as the RoFormer paper writes it: cosines and sines."""
    width = x.shape[-1]
    angles = torch.arange(x.shape[-2])[:, None] * 10000.0 ** (-torch.arange(0, width, 2, dtype=x.dtype) / width)
    even, odd = x[..., 0::2], x[..., 1::2]
    parts = even * angles.cos() - odd * angles.sin(), even * angles.sin() + odd * angles.cos()
    return torch.stack(parts, dim=-1).flatten(-2)


class TorchBlock(nn.Module):
    """Attention and feed-forward, in either order of norm and layer."""

    def __init__(self, config: core.Config):
        super().__init__()
        width = config.d_model
        self.config = config
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = nn.ModuleDict({name: nn.Linear(width, width, bias=False) for name in ("q", "k", "v", "o")})
        self.first, self.second = nn.Linear(width, config.d_ff), nn.Linear(config.d_ff, width)

    def attend(self, x: torch.Tensor) -> torch.Tensor:
        """Return causal multi-head attention by PyTorch's own kernel."""
        q, k, v = (self.attention[name](x).unflatten(-1, (self.config.n_heads, -1)).transpose(1, 2) for name in "qkv")
        if self.config.positions == "rope":
            q, k = turned(q), turned(k)
        heads = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.attention["o"](heads.transpose(1, 2).flatten(-2))

    def feed(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.first(x)
        return self.second(F.gelu(hidden, approximate="tanh") if self.config.activation == "gelu" else F.relu(hidden))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the stream after both."""
        if self.config.norm == "pre":
            x = x + self.attend(self.norm1(x))
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed(x))


class TorchModel(nn.Module):
    """Embeddings, blocks, a last norm, and the embedding again."""

    def __init__(self, config: core.Config):
        super().__init__()
        self.embedding = nn.Embedding(config.vocab_size, config.d_model)
        self.positions = nn.Embedding(config.max_len, config.d_model) if config.positions == "learned" else None
        self.waves = waves(config.max_len, config.d_model) if config.positions == "sinusoidal" else None
        self.blocks = nn.ModuleList(TorchBlock(config) for _ in range(config.n_layers))
        self.final_norm = nn.LayerNorm(config.d_model)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embedding(tokens)
        if self.positions is not None:
            x = x + self.positions(torch.arange(tokens.shape[1]))
        if self.waves is not None:
            x = x + self.waves[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        return F.linear(self.final_norm(x), self.embedding.weight)


def waves(length: int, width: int) -> torch.Tensor:
    """Return the sinusoidal positions, written number by number."""
    table = torch.empty(length, width, dtype=torch.float64)
    for t in range(length):
        for i in range(width):
            angle = torch.tensor(t / 10000 ** (2 * (i // 2) / width), dtype=torch.float64)
            table[t, i] = angle.cos() if i % 2 else angle.sin()
    return table


def parameter(model: TorchModel, name: str) -> tuple[nn.Parameter, bool]:
    """Return PyTorch's parameter for one of our names, and whether it is kept the other way round."""
    norm = {"gain": "weight", "bias": "bias"}
    match name.split("."):
        case ["token_embedding"]:
            return model.embedding.weight, False
        case ["position_embedding"]:
            return model.positions.weight, False
        case ["final_norm", part]:
            return getattr(model.final_norm, norm[part]), False
        case ["blocks", i, "attention", part]:
            return model.blocks[int(i)].attention[part.removeprefix("w_")].weight, True
        case ["blocks", i, "feed_forward", part]:
            layer = model.blocks[int(i)].first if part.endswith("1") else model.blocks[int(i)].second
            return (layer.weight, True) if part.startswith("w") else (layer.bias, False)
        case ["blocks", i, own, part]:
            return getattr(getattr(model.blocks[int(i)], own), norm[part]), False
    raise KeyError(name)


def golden(config: core.Config) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    weights = {
        name: array + 0.3 * rng.standard_normal(array.shape)  # no gain is 1 and no bias 0
        for name, array in core.named_arrays(core.init_model(config, dtype=np.float64)).items()
    }
    tokens, targets = rng.integers(config.vocab_size, size=(2, BATCH, LENGTH))
    model = TorchModel(config).double()
    with torch.no_grad():
        for name, array in weights.items():
            own, across = parameter(model, name)
            own.copy_(torch.from_numpy(array.T if across else array))
    logits = model(torch.from_numpy(tokens))
    loss = F.cross_entropy(logits.flatten(0, 1), torch.from_numpy(targets).flatten())
    loss.backward()
    found = {name: parameter(model, name) for name in weights}
    gradients = {name: (own.grad.T if across else own.grad).numpy() for name, (own, across) in found.items()}
    return {
        "config": np.array(json.dumps(asdict(config))),
        "tokens": tokens,
        "targets": targets,
        "logits": logits.detach().numpy(),
        "loss": np.array(loss.item()),
        **{f"weights/{name}": array for name, array in weights.items()},
        **{f"gradients/{name}": array for name, array in gradients.items()},
    }


if __name__ == "__main__":
    for name, config in CONFIGS.items():
        np.savez_compressed(Path(__file__).parent / f"torch_model_{name}.npz", **golden(config))
