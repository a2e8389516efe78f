"""A stack of attention-only layers: the smallest model in which information reaches a word through another word."""

from collections.abc import Sequence

import numpy as np

from attention_core.arrays import Array
from attention_core.experiments.qkv.one_head import HeadMatrices, attend, random_head
from attention_core.rows import reorder, row_distances


def random_layers(n_layers: int, d_model: int, d_head: int, seed: int = 0) -> list[HeadMatrices]:
    """Return one random head for each layer, with values of width d_model, so that they can be added to the stream."""
    return [random_head(d_model, d_head, seed + layer, d_model) for layer in range(n_layers)]


def run_layers(
    x: Array, layers: list[HeadMatrices], mask: Array | None = None, masked: Sequence[int] | None = None
) -> Array:
    """Return (L, ..., T, D): the residual stream after each layer, x ← x + attention(x).

    The mask is used in the layers that `masked` counts from 0, or in all.
    """
    after = []
    for layer, head in enumerate(layers):
        x = x + attend(x, head, mask if masked is None or layer in masked else None).output
        after.append(x)
    return np.stack(after)  # (L, ..., T, D)


def moved_by_word(
    x: Array,
    changed: Array,
    place: int,
    layers: list[HeadMatrices],
    mask: Array | None,
    masked: Sequence[int] | None = None,
) -> Array:
    """Return (L, T): how far each row moves, after each layer, when x gets row `place` of `changed`."""
    other = x.copy()
    other[place] = changed[place]
    return row_distances(run_layers(x, layers, mask, masked), run_layers(other, layers, mask, masked))


def moved_by_order(x: Array, order: list[int], layers: list[HeadMatrices], mask: Array | None) -> Array:
    """Return (L, T): how far each row moves, after each layer, when the rows are permuted and the mask is not."""
    after = run_layers(reorder(x, order), layers, mask)
    return row_distances(run_layers(x, layers, mask), after[:, np.argsort(order)])
