"""The residual stream: lengths and cosines of what is written to it, LayerNorm step by step, hidden units."""

from typing import NamedTuple

import numpy as np

from attention_core.arrays import Array
from attention_core.equations.feed_forward import ACTIVATIONS, GatedFeedForward
from attention_core.equations.norm import EPSILON, Norm, norm_forward
from attention_core.model.activations import Insides
from attention_core.model.parameters import Block, Model
from attention_core.rows import row_cosines, row_norms


class StreamWrites(NamedTuple):
    """Lengths (norms) of the residual stream and of what each half of a block adds, with their cosines."""

    before: Array  # (L, T), norm of the stream before the attention
    attention: Array  # (L, T), norm of what the attention adds
    attention_cosine: Array  # (L, T): 1 same direction, 0 orthogonal, -1 opposite
    middle: Array  # (L, T), norm of the stream before the feed-forward
    feed_forward: Array  # (L, T), zeros without a feed-forward layer
    feed_forward_cosine: Array  # (L, T), likewise
    after: Array  # (L, T), norm of the stream after the block


def measure_writes(inside: Insides) -> StreamWrites:
    """Return lengths (norms) and cosines of what the blocks write to the residual stream."""
    before, middle = inside.stream[:-1], inside.middle
    attention, feed_forward = inside.attention_adds, inside.feed_forward_adds
    return StreamWrites(
        before=row_norms(before),
        attention=row_norms(attention),
        attention_cosine=row_cosines(attention, before),
        middle=row_norms(middle),
        feed_forward=row_norms(feed_forward),
        feed_forward_cosine=row_cosines(feed_forward, middle),
        after=row_norms(inside.stream[1:]),
    )


class Addition(NamedTuple):
    """The residual stream and what is added to it, in their common plane; the stream is (1, 0)."""

    stream: Array  # (2,)
    added: Array  # (2,)
    total: Array  # (2,), before any LayerNorm


def addition(found: StreamWrites, layer: int, part: int, position: int) -> Addition:
    """Return the addition of attention (part 0) or feed-forward (part 1) to the stream, in their plane."""
    streams, additions, cosines = (
        (found.before, found.attention, found.attention_cosine),
        (found.middle, found.feed_forward, found.feed_forward_cosine),
    )[part]
    before, added, cosine = (float(array[layer, position]) for array in (streams, additions, cosines))
    ratio = added / before if before else 0.0
    stream = np.array([1.0, 0.0])
    step = ratio * np.array([cosine, np.sqrt(max(0.0, 1 - cosine**2))])
    return Addition(stream, step, stream + step)


class StreamShares(NamedTuple):
    """The residual stream after the last layer as fractions, one for each part, at one position; they sum to 1."""

    token: float  # of the token embedding
    place: float  # of the position embedding
    heads: Array  # (L, H)
    feed_forwards: Array  # (L,)
    length: float  # norm of the stream

    @property
    def total(self) -> float:
        """Return the sum of all fractions, which is 1 up to rounding."""
        return float(self.token + self.place + self.heads.sum() + self.feed_forwards.sum())


def stream_shares(model: Model, inside: Insides, position: int) -> StreamShares:
    """Return part · stream / |stream|² for each part of the residual stream.

    A part that points against the sum has a negative fraction. In a post-norm model the stream is not such a sum.
    """
    stream = inside.stream[-1, position].astype(np.float64)
    length = float(row_norms(stream))
    direction = stream / length**2 if length else stream
    token = model.parameters.token_embedding[inside.tokens[position]]
    return StreamShares(
        token=float(token @ direction),
        place=float((inside.embedded[position] - token) @ direction),
        heads=inside.head_writes[:, :, position] @ direction,
        feed_forwards=inside.feed_forward_adds[:, position] @ direction,
        length=length,
    )


class NormSteps(NamedTuple):
    """LayerNorm of one row, step by step."""

    x: Array  # (D,)
    mean: float
    centred: Array  # (D,), x - mean
    deviation: float  # standard deviation: √(mean of centred² + ε)
    normal: Array  # (D,), centred / standard deviation
    gain: Array  # (D,)
    bias: Array  # (D,)
    out: Array  # (D,), normal * gain + bias


def norm_steps(
    model: Model, inside: Insides, number: int, position: int, times: float = 1.0, shift: float = 0.0
) -> NormSteps:
    """Return all steps of (x - mean) / √(variance + ε) * gain + bias, for one position of one sequence.

    LayerNorms are numbered in order: two for each block, or one without a feed-forward layer, then the final one. The
    input is first multiplied by `times` and shifted, to show that LayerNorm removes both.
    """
    inputs = norm_inputs(model, inside)
    rows, (gain, bias) = inputs[number]
    x = rows[position].astype(np.float64) * times + shift
    mean, bias = (0.0, np.zeros_like(gain)) if bias is None else (x.mean(), bias)  # RMSNorm subtracts and adds nothing
    centred = x - mean
    deviation = float(np.sqrt(np.mean(centred**2) + EPSILON))
    normal = centred / deviation
    return NormSteps(x, float(mean), centred, deviation, normal, gain, bias, normal * gain + bias)


def norm_inputs(model: Model, inside: Insides) -> list[tuple[Array, Norm]]:
    """Return the input (..., T, D) of each LayerNorm, with its gain and bias."""
    found: list[tuple[Array, Norm]] = []
    post = model.config.norm == "post"
    for layer, block in enumerate(model.parameters.blocks):
        found.append((inside.stream[layer] + (inside.attention_adds[layer] if post else 0), block.norm1))
        if block.norm2 is not None:
            found.append((inside.middle[layer] + (inside.feed_forward_adds[layer] if post else 0), block.norm2))
    return [*found, (inside.stream[-1], model.parameters.final_norm)]


class HiddenUnits(NamedTuple):
    """The hidden units of a feed-forward layer, by position."""

    before: Array  # (..., T, F), x w1 + b1, or x w_gate
    after: Array  # (..., T, F), after the activation, and times x w_up in a gated layer
    off: Array  # (..., T), fraction of the units at or below 0


def hidden_units(model: Model, inside: Insides, layer: int) -> HiddenUnits:
    """Return the hidden units of a feed-forward layer before and after the activation."""
    block: Block = model.parameters.blocks[layer]
    if block.feed_forward is None or block.norm2 is None:
        raise ValueError("hidden_units needs a model with feed-forward layers, got one with d_ff 0")
    x = inside.middle[layer]
    if model.config.norm == "pre":
        x, _ = norm_forward(x, block.norm2)
    up: Array | float = 1.0
    if isinstance(own := block.feed_forward, GatedFeedForward):
        before, up = np.split(x @ own.w_gate_up, 2, axis=-1)
    else:
        before = x @ own.w1 + own.b1
    after = ACTIVATIONS[model.config.activation](before.copy(), np.empty_like(before)) * up
    return HiddenUnits(before, after, (before <= 0).mean(axis=-1))
