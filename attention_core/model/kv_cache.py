"""The KV cache: keys and values of earlier tokens are stored, so that one more token computes one position."""

import math

import numpy as np

from attention_core.arrays import Array
from attention_core.equations.activation_functions import ACTIVATIONS, CUBIC, CURVE
from attention_core.equations.norm import Norm, norm_forward
from attention_core.equations.positions import apply_rope, rope_phase
from attention_core.model.config import Config
from attention_core.model.forward import ForwardCache, position_table
from attention_core.model.parameters import Block, Model


def fold(norm: Norm | None, w: Array, b: Array | None = None) -> tuple[Array, Array]:
    """Return γ w and β w + b, for (x γ + β) w + b = x (γ w) + (β w + b); w and b where no LayerNorm is before them."""
    b = np.zeros(w.shape[1], w.dtype) if b is None else b
    return (w, b) if norm is None or norm.bias is None else (norm.gain[:, None] * w, norm.bias @ w + b)


class DecoderLayer:
    """The weights of one block, folded after a LayerNorm, and the keys and values of all positions so far.

    Nothing is folded after an RMSNorm: models that have one are large, and a second copy of them would not fit.
    """

    def __init__(self, params: Block, config: Config, dtype: np.dtype[np.floating], room: int):
        before = config.norm == "pre"
        w_qkv, self.w_o, b_qkv, self.b_o = params.attention
        if config.normalization == "layer":
            scale = np.ones(w_qkv.shape[1], dtype)
            scale[: config.d_model] = 1 / math.sqrt(config.d_head)
            w_qkv, b_qkv = w_qkv * scale, None if b_qkv is None else b_qkv * scale
        self.w_qkv, self.b_qkv = fold(params.norm1 if before else None, w_qkv, b_qkv)
        self.norm1, self.norm2 = params.norm1, params.norm2
        if (own := params.feed_forward) is not None:
            self.w1, self.b1 = fold(params.norm2 if before else None, own.w1, own.b1)
            self.w2, self.b2 = fold(None, own.w2, own.b2)
        capacity = min(room, config.window or room)  # S; a position beyond takes the place of the oldest
        self.keys = np.empty((config.groups, config.d_head, capacity), dtype)  # (G, K, S), as q reads them
        self.values = np.empty((config.groups, capacity, config.d_head), dtype)  # (G, S, K)


class Decoder:
    """Token-by-token inference: the logits of `model_forward` at a cost linear in T.

    For a single row, NumPy's call overhead exceeds the arithmetic. Everything that can be multiplied in advance is
    folded into the weights, which halves the time of a token.
    """

    def __init__(self, model: Model, room: int | None = None):
        """Prepare the weights, with `room` for so many positions: max_len at most, which may be much memory."""
        config, dtype, room = model.config, model.flat.dtype, room or model.config.max_len
        self.config, self.length = config, 0
        self.embedding = model.parameters.token_embedding
        self.positions = model.parameters.position_embedding
        if config.positions == "sinusoidal":
            self.positions = position_table(room, config.d_model, dtype.str)
        self.layers = [DecoderLayer(block, config, dtype, room) for block in model.parameters.blocks]
        self.final_norm = model.parameters.final_norm
        self.unembedding, self.b = fold(self.final_norm, model.parameters.unembedding.T)
        rotates = config.positions == "rope"
        self.phase = rope_phase(room, config.d_head, config.rope_base, 0, dtype.str) if rotates else None  # (S, K / 2)
        self.bias = None  # (H, S), the distance bias of the last position; that of an earlier one is the end of it
        if config.slopes is not None:
            self.bias = (-np.array(config.slopes)[:, None] * np.arange(room)[::-1]).astype(dtype)
        self.mean = np.full(config.d_model, 1 / config.d_model, dtype)

    def prefill(self, cache: ForwardCache) -> None:
        """Store the keys and values of a forward pass over the first tokens."""
        self.length = cache.tokens.shape[-1]
        per_group = self.config.n_heads // self.config.groups  # heads, for each of which the pass repeats k and v
        for layer, block in zip(self.layers, cache.blocks, strict=True):
            attention = block.attention.layer.attention
            capacity = layer.keys.shape[-1]
            places = np.arange(max(0, self.length - capacity), self.length)
            layer.keys[..., places % capacity] = attention.k[::per_group, places].mT
            layer.values[:, places % capacity] = attention.v[::per_group, places]

    def step(self, token: int) -> Array:
        """Return the logits (V,) of the token after this one."""
        x = self.embedding[token]
        if self.positions is not None:
            x = x + self.positions[self.length]
        self.length += 1
        for layer in self.layers:
            for norm, half in ((layer.norm1, self.attend), (layer.norm2, self.feed)):
                if norm is None:
                    continue
                if self.config.norm == "pre":
                    x = x + half(self.normalise(x, norm), layer)
                else:
                    x, _ = norm_forward(x + half(x, layer), norm, self.config.epsilon)
        return self.normalise(x, self.final_norm).dot(self.unembedding) + self.b

    def normalise(self, x: Array, norm: Norm) -> Array:
        """Return the row with mean 0 and variance 1, whose gain and bias are folded, or RMSNorm with its gain."""
        if norm.bias is None:
            return np.asarray(x * (1 / math.sqrt(x.dot(x) / len(x) + self.config.epsilon)) * norm.gain)
        centred = x - x.dot(self.mean)
        centred *= 1 / math.sqrt(centred.dot(centred) / len(x) + self.config.epsilon)
        return centred

    def attend(self, x: Array, layer: DecoderLayer) -> Array:
        """Return the attention output (D,) of a layer for the newest token, over all positions so far."""
        n_heads, n_groups, capacity = self.config.n_heads, self.config.groups, layer.keys.shape[-1]
        place, held = (self.length - 1) % capacity, min(self.length, capacity)
        qkv = x.dot(layer.w_qkv)
        qkv += layer.b_qkv
        rows = qkv.reshape(-1, self.config.d_head)
        q, k, v = rows[:n_heads], rows[n_heads : n_heads + n_groups], rows[n_heads + n_groups :]  # (H or G, K)
        if self.phase is not None:
            q, k = apply_rope(q, self.phase[self.length - 1]), apply_rope(k, self.phase[self.length - 1])
        layer.keys[:, :, place] = k
        layer.values[:, place] = v
        if self.config.normalization == "rms":
            q = q * x.dtype.type(1 / math.sqrt(self.config.d_head))
        scores = np.matmul(q.reshape(n_groups, -1, q.shape[1]), layer.keys[:, :, :held])  # (G, H / G, S)
        if self.bias is not None:  # from the oldest key, in a full cache at place + 1, to the newest, at place
            bias = self.bias[:, len(self.bias[0]) - held :]
            scores += (np.roll(bias, place + 1, axis=1) if self.length > held else bias).reshape(scores.shape)
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        mixed = np.matmul(scores, layer.values[:, :held])  # (G, H / G, K)
        mixed /= scores.sum(axis=-1, keepdims=True)
        out = mixed.reshape(-1).dot(layer.w_o)
        return out if layer.b_o is None else out + layer.b_o

    def feed(self, x: Array, layer: DecoderLayer) -> Array:
        """Return the feed-forward output (D,) of a layer."""
        hidden = x.dot(layer.w1)
        hidden += layer.b1
        if self.config.gated:
            gate, up = np.split(hidden, 2)
            hidden = self.activate(gate) * up
        else:
            hidden = self.activate(hidden)
        return hidden.dot(layer.w2) + layer.b2

    def activate(self, hidden: Array) -> Array:
        """Return the activation; GELU is computed in place."""
        if self.config.activation != "gelu":
            return ACTIVATIONS[self.config.activation](hidden)[0]
        gate = hidden * hidden  # without the slope this takes half the time
        gate *= CURVE * CUBIC
        gate += CURVE
        gate *= hidden
        np.tanh(gate, out=gate)
        gate += 1
        hidden *= gate
        hidden *= 0.5
        return hidden
