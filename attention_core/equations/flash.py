"""Flash attention: the same numbers block by block, without storing the (T, S) matrix of scores."""

import math
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from attention_core.arrays import Array, row_sums
from attention_core.checks import integer
from attention_core.equations.masks import additive_mask, causal_mask
from attention_core.equations.softmax import HIGH, LOW
from attention_core.inputs import broadcast_attention, too_large
from attention_core.threads import in_threads


def attend_in_blocks(
    q: Array, k: Array, v: Array, out: Array, block: int, future: Array | None, scratch: Array, axis: int | None = None
) -> None:
    """Write softmax(q kᵀ) v into `out` (G, T, V): scaled q (G, T, K), k (G, S, K) and v (G, S, V) of G heads.

    This is the online softmax. A block of keys raises the maximum m to n and adds to what stands there:
    sums = sums e^(m - n) + Σ e^(q kᵀ - n) and out = out e^(m - n) + e^(q kᵀ - n) v; the last step is out / sums.
    `future` (T, T) masks the last keys. One maximum serves all rows and starts at 0. It rises only to a score that is
    40 above it: while it is 0 nothing is subtracted, which saves two of nine passes. If the sum of some row underflows,
    or large values overflow, all is computed again with one maximum for each row (`axis` -1).
    """
    rows, n_queries, n_keys = q.shape[:-1], q.shape[-2], v.shape[-2]
    diagonal = n_keys if future is None else n_keys - n_queries  # from this key on, some queries are masked
    highest = np.zeros((1, 1, 1), q.dtype) if axis is None else np.full((*rows, 1), -np.inf, q.dtype)
    sums = np.zeros((*rows, 1), q.dtype)
    part = scratch[scratch.size - out.size :].reshape(out.shape)
    for start in range(0, n_keys, block):
        stop = min(start + block, n_keys)
        scores = scratch[: sums.size * (stop - start)].reshape(*rows, stop - start)
        np.matmul(q, k[:, start:stop].mT, out=scores)
        if future is not None and stop > diagonal:
            first = max(start, diagonal)
            scores[..., first - start :] += future[:n_queries, first - diagonal : stop - diagonal]
        peak = scores.max(axis=axis, keepdims=True)
        if (peak > highest + HIGH).any():
            risen = np.maximum(highest, peak)
            shrink = np.exp(highest - risen)
            sums *= shrink
            if start:
                out *= shrink
            highest = risen
        if highest.any():
            scores -= highest
        np.exp(scores, out=scores)
        sums += row_sums(scores)
        np.matmul(scores, v[:, start:stop], out=part if start else out)  # the first block needs no addition
        if start:
            out += part
    if axis is None and (sums.min() < LOW or not np.isfinite(out).all()):
        attend_in_blocks(q, k, v, out, block, future, scratch, axis=-1)
    else:
        out /= sums


def flash_attention(
    q: ArrayLike, k: ArrayLike, v: ArrayLike, causal: bool = False, block: int = 512, workers: int = 1
) -> Array:
    """Return softmax(q kᵀ / √K) v in blocks of at most `block` keys; memory grows with T, not with T times S.

    q is (..., T, K), k (..., S, K), v (..., S, V) and the output (..., T, V). Blocks entirely in the future are
    skipped. The threads divide the work; the numbers do not depend on how many.

    >>> flash_attention([[1, 0]], [[1, 0], [0, 1]], [[10], [20]], block=1).round(3)
    array([[13.302]])
    """
    integer("block", block, 1)
    integer("workers", workers, 1)
    q, k, v, _ = broadcast_attention(q, k, v, None)
    (*batch, length, _), keys = q.shape, k.shape[-2]
    if causal and length != keys:
        raise ValueError(f"causal needs as many queries as keys, got q {q.shape} and k {k.shape}")
    if keys == 0:
        return np.zeros((*batch, length, v.shape[-1]), q.dtype)
    n_heads = math.prod(batch)
    q, k, v = (x.reshape(n_heads, *x.shape[-2:]) for x in (q, k, v))
    output = np.empty((n_heads, length, v.shape[-1]), q.dtype)
    tile = min(-(-block // 2), max(128, length // 8))
    wide = min(block, 2 * tile, keys)  # keys of a block
    tile = max(1, min(tile, length))  # its queries
    group = max(1, min(block // tile, n_heads))  # its heads: with short operations the threads wait for each other
    future = additive_mask(causal_mask(tile)).astype(q.dtype) if causal else None
    scale = 1 / math.sqrt(q.shape[-1])
    # long tiles first, so that the threads end together; each takes the next when it is done
    tiles = product(range(0, n_heads, group), reversed(range(0, length, tile)))

    def run(_: int) -> None:
        # for the scores of each block and their product with v: fresh memory would cost page faults
        scratch = np.empty(group * tile * (wide + v.shape[-1]), q.dtype)
        for head, start in tiles:
            heads, rows = slice(head, head + group), slice(start, min(start + tile, length))
            seen = rows.stop if causal else keys
            scaled = q[heads, rows] * scale
            attend_in_blocks(scaled, k[heads, :seen], v[heads, :seen], output[heads, rows], wide, future, scratch)

    with np.errstate(over="ignore", invalid="ignore"):
        in_threads(run, workers)
    if not np.isfinite(output).all() and np.isfinite(v).all():
        raise ValueError(f"the scores q kᵀ must be finite, got {too_large(q, k)}, as must the sums of v")
    return output.reshape(*batch, length, v.shape[-1])
