"""The residual stream: lengths and cosines of what is added to it."""

from typing import NamedTuple

import numpy as np

from attention_core.arrays import Array
from attention_core.model.activations import Insides
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
