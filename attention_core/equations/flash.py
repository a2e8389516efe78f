"""Attention in blocks: the same numbers without ever holding the (T, S) matrix of scores."""

import math

import numpy as np
from numpy.typing import ArrayLike

from attention_core.arrays import Array, row_sums
from attention_core.checks import whole
from attention_core.equations.attention import broadcast_attention
from attention_core.equations.masks import additive_mask, causal_mask
from attention_core.equations.softmax import HIGH, LOW
from attention_core.threads import in_threads


def attend_in_blocks(
    q: Array,
    k: Array,
    v: Array,
    out: Array,
    block: int,
    future: Array | None,
    room: Array,
    axis: int | None = None,
) -> None:
    """Write softmax(q kᵀ) v for some queries of one head into `out`; `future` masks the last keys, if any.

    Exponentials are summed block by block of keys, relative to a running maximum. When a later block rises above it,
    everything summed so far is multiplied by e^(old - new): the online softmax. One maximum serves all rows, and it
    starts at 0, where it stays while no score exceeds 40: then nothing is subtracted, which saves two passes in nine.
    Only if the sum of a row vanishes beside it, all is done again with a maximum for each row (`axis` -1).
    """
    length, width = len(q), len(v)
    diagonal = width if future is None else width - length  # from this key on, some query must not look
    highest = np.zeros((1, 1), q.dtype) if axis is None else np.full((length, 1), -np.inf, q.dtype)
    sums = np.zeros((length, 1), q.dtype)
    out[...] = 0
    for start in range(0, width, block):
        stop = min(start + block, width)
        scores = room[: length * (stop - start)].reshape(length, stop - start)
        np.matmul(q, k[start:stop].T, out=scores)
        if future is not None and stop > diagonal:
            first = max(start, diagonal)
            scores[:, first - start :] += future[:length, first - diagonal : stop - diagonal]
        peak = scores.max(axis=axis, keepdims=True)
        if (peak > highest + HIGH).any():
            risen = np.maximum(highest, peak)
            shrink = np.exp(highest - risen)
            out *= shrink
            sums *= shrink
            highest = risen
        if highest.any():
            scores -= highest
        np.exp(scores, out=scores)
        sums += row_sums(scores)
        out += scores @ v[start:stop]
    if axis is None and sums.min() < LOW:
        attend_in_blocks(q, k, v, out, block, future, room, axis=-1)
    else:
        out /= sums


def flash_attention(
    q: ArrayLike, k: ArrayLike, v: ArrayLike, causal: bool = False, block: int = 512, workers: int = 1
) -> Array:
    """Return softmax(q kᵀ / √K) v by blocks of `block` keys; memory grows with T, never with T times S.

    Blocks that lie wholly in the future are skipped. Threads share the queries; how many do may change the last digits.
    """
    whole("block", block, 1)
    whole("workers", workers, 1)
    q, k, v, _ = broadcast_attention(q, k, v, None)
    length, keys = q.shape[-2], k.shape[-2]
    if causal and length != keys:
        raise ValueError(f"causal needs as many queries as keys, got q {q.shape} and k {k.shape}")
    if keys == 0:
        return np.zeros((*q.shape[:-1], v.shape[-1]), q.dtype)
    output = np.empty((*q.shape[:-1], v.shape[-1]), q.dtype)
    tile = min(-(-block // 2), max(128 * workers, length // 8))  # short operations make threads wait for each other
    tile, block = max(1, min(tile, length)), min(block, keys)
    future = additive_mask(causal_mask(tile)).astype(q.dtype) if causal else None
    scale = 1 / math.sqrt(q.shape[-1])

    def run(worker: int) -> None:
        room = np.empty(tile * block, q.dtype)  # for the scores of all blocks: fresh memory for each costs page faults
        for turn, head in enumerate(np.ndindex(q.shape[:-2])):
            # who begins changes from head to head: of two blocks of queries, the later sees more keys
            for start in range((worker + turn) % workers * tile, length, workers * tile):
                rows = slice(start, min(start + tile, length))
                seen = rows.stop if causal else keys
                scaled = q[head][rows] * scale
                attend_in_blocks(scaled, k[head][:seen], v[head][:seen], output[head][rows], block, future, room)

    in_threads(run, workers)
    return output
