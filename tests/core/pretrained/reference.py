"""A Llama model as its definition says it, in float64, head by head and pair by pair: slow, and nothing of the core."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class Reference(NamedTuple):
    logits: np.ndarray  # (T, V)
    weights: np.ndarray  # (L, H, T, T)
    stream: np.ndarray  # (L + 1, T, D)
    middle: np.ndarray  # (L, T, D)
    queries: np.ndarray  # (L, H, T, K)
    keys: np.ndarray  # (L, G, T, K)
    values: np.ndarray  # (L, G, T, K)
    head_outputs: np.ndarray  # (L, H, T, K)
    mlp_adds: np.ndarray  # (L, T, D)
    final: np.ndarray  # (T, D)


def normalised(x: np.ndarray, gain: np.ndarray, epsilon: float) -> np.ndarray:
    return np.array([row / np.sqrt((row**2).sum() / len(row) + epsilon) * gain for row in x])


def rotated(x: np.ndarray, base: float) -> np.ndarray:
    """Return RoPE of (T, K): neighbouring dimensions are a pair."""
    out = np.empty_like(x)
    for t, row in enumerate(x):
        for i in range(0, len(row), 2):
            angle = t * base ** (-i / len(row))
            cos, sin = np.cos(angle), np.sin(angle)
            out[t, i], out[t, i + 1] = row[i] * cos - row[i + 1] * sin, row[i] * sin + row[i + 1] * cos
    return out


def attended(q: np.ndarray, k: np.ndarray) -> np.ndarray:
    weights = np.zeros((len(q), len(k)))
    for t in range(len(q)):
        scores = np.exp(k[: t + 1] @ q[t] / np.sqrt(q.shape[1]))
        weights[t, : t + 1] = scores / scores.sum()
    return weights


def forward(
    metadata: dict[str, Any], number: Callable[[str], np.ndarray], ids: list[int], without: Any = ()
) -> Reference:
    """Return the forward pass; `number` gives a tensor by its name, its matrices as (outputs, inputs)."""
    heads, groups = metadata["llama.attention.head_count"], metadata["llama.attention.head_count_kv"]
    epsilon, base = metadata["llama.attention.layer_norm_rms_epsilon"], metadata["llama.rope.freq_base"]
    embedding = number("token_embd.weight")
    x = embedding[ids]
    found = {name: [] for name in Reference._fields} | {"stream": [x]}
    for layer in range(metadata["llama.block_count"]):

        def own(name: str, layer: int = layer) -> np.ndarray:
            return number(f"blk.{layer}.{name}.weight")

        seen = normalised(x, own("attn_norm"), epsilon)
        w_q, w_k, w_v = own("attn_q"), own("attn_k"), own("attn_v")
        width = len(w_q) // heads
        q = [rotated(seen @ w_q[h * width : (h + 1) * width].T, base) for h in range(heads)]
        k = [rotated(seen @ w_k[g * width : (g + 1) * width].T, base) for g in range(groups)]
        v = [seen @ w_v[g * width : (g + 1) * width].T for g in range(groups)]
        weights = [attended(q[h], k[h // (heads // groups)]) for h in range(heads)]
        outputs = [(weights[h] @ v[h // (heads // groups)]) * ((layer, h) not in without) for h in range(heads)]
        middle = x + np.hstack(outputs) @ own("attn_output").T
        seen = normalised(middle, own("ffn_norm"), epsilon)
        gate = seen @ own("ffn_gate").T
        adds = (gate / (1 + np.exp(-gate)) * (seen @ own("ffn_up").T)) @ own("ffn_down").T
        x = middle + adds
        for name, array in (("stream", x), ("middle", middle), ("queries", q), ("keys", k), ("values", v)):
            found[name].append(array)
        for name, array in (("weights", weights), ("head_outputs", outputs), ("mlp_adds", adds)):
            found[name].append(array)
    final = normalised(x, number("output_norm.weight"), epsilon)
    try:
        logits = final @ number("output.weight").T
    except KeyError:
        logits = final @ embedding.T
    arrays = {name: np.array(arrays) for name, arrays in found.items()}
    return Reference(**arrays | {"final": final, "logits": logits})
