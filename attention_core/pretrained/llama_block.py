"""One block of a Llama model: grouped-query attention with RoPE and a gated MLP, an RMSNorm before each."""

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from attention_core.arrays import Array, project
from attention_core.equations.attention import attention_forward
from attention_core.equations.heads import merge_heads, split_heads
from attention_core.equations.positions import apply_rope
from attention_core.pretrained.llama_parameters import LlamaBlock, LlamaConfig


class StoredKeys(NamedTuple):
    """The KV cache of one block: keys and values of all positions so far, in memory for all to come."""

    keys: Array  # (G, S, K), after RoPE
    values: Array  # (G, S, K)


class LlamaBlockCache(NamedTuple):
    """The intermediate results of one block over T positions, of which the last query attends to S keys."""

    x: Array  # (T, D), the residual stream before the block
    attention_input: Array  # (T, D), after RMSNorm
    queries: Array  # (H, T, K), after RoPE
    keys: Array  # (G, S, K), after RoPE; head h uses group h // (H / G)
    values: Array  # (G, S, K)
    weights: Array  # (H, T, S)
    head_outputs: Array  # (H, T, K), zeros for a head that is switched off
    attention_adds: Array  # (T, D)
    middle: Array  # (T, D), the residual stream between attention and MLP
    mlp_input: Array  # (T, D), after RMSNorm
    mlp_adds: Array  # (T, D)
    out: Array  # (T, D), the residual stream after the block


def inverse_rms(x: Array, epsilon: float) -> Array:
    """Return 1 / √(mean(x²) + ε) of each row, shape (..., 1)."""
    return 1 / np.sqrt(np.vecdot(x, x)[..., None] / x.shape[-1] + x.dtype.type(epsilon))


def rms_norm(x: Array, gain: Array, epsilon: float) -> Array:
    """Return x / √(mean(x²) + ε) * gain: unlike LayerNorm, no mean is subtracted and no bias added."""
    return x * inverse_rms(x, epsilon) * gain


def silu(x: Array) -> Array:
    """Return x / (1 + e^-x), written with tanh because e^-x can overflow."""
    gate = np.tanh(x * x.dtype.type(0.5))
    gate += 1
    gate *= x
    gate *= x.dtype.type(0.5)
    return gate


def llama_block_forward(
    x: Array,
    params: LlamaBlock,
    config: LlamaConfig,
    phase: Array,
    mask: Array | None,
    stored: StoredKeys | None = None,
    switched_off: Collection[int] = (),
) -> LlamaBlockCache:
    """Return x + attention(RMSNorm(x)), then that + MLP(RMSNorm(that)), with all intermediate results.

    The positions are the last T of the S that the mask (T, S) has. With a KV cache (`stored`), the keys and values of
    the others are read from it, and the new ones are written to it.
    """
    n_heads, n_groups = config.n_heads, config.n_groups
    attention_input = rms_norm(x, params.attention_gain, config.epsilon)
    qkv = split_heads(project(attention_input, params.w_qkv), n_heads + 2 * n_groups)  # (H + 2 G, T, K)
    rotated = apply_rope(qkv[: n_heads + n_groups], phase)  # queries and keys
    queries, keys, values = rotated[:n_heads], rotated[n_heads:], qkv[n_heads + n_groups :]
    if stored is not None:
        new = slice(stored.keys.shape[1] - len(x), None)
        stored.keys[:, new], stored.values[:, new] = keys, values
        keys, values = stored  # (G, S, K)
    grouped = queries.reshape(n_groups, n_heads // n_groups, *queries.shape[1:])  # (G, H / G, T, K)
    attention = attention_forward(grouped, keys[:, None], values[:, None], mask)
    weights = attention.weights.reshape(n_heads, *attention.weights.shape[2:])  # (H, T, S)
    head_outputs = attention.output.reshape(queries.shape)  # (H, T, K)
    head_outputs[list(switched_off)] = 0
    attention_adds = project(merge_heads(head_outputs), params.w_o)
    middle = x + attention_adds
    mlp_input = rms_norm(middle, params.mlp_gain, config.epsilon)
    gate_up = project(mlp_input, params.w_gate_up)  # (T, 2 F)
    hidden = silu(gate_up[:, : config.d_ff])  # (T, F)
    hidden *= gate_up[:, config.d_ff :]
    mlp_adds = project(hidden, params.w_down)
    return LlamaBlockCache(
        x=x,
        attention_input=attention_input,
        queries=queries,
        keys=keys,
        values=values,
        weights=weights,
        head_outputs=head_outputs,
        attention_adds=attention_adds,
        middle=middle,
        mlp_input=mlp_input,
        mlp_adds=mlp_adds,
        out=middle + mlp_adds,
    )
