"""Interventions on heads: the model run again with heads switched off, at their mean, or patched from another run.

Everything after a changed head is computed again, so direct and indirect effects are included.
"""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attention_core.arrays import Array, Tokens, project
from attention_core.equations.heads import Heads, HeadsCache, heads_forward, merge_heads
from attention_core.model.activations import Insides, insides, unembed
from attention_core.model.block import BlockCache, residual_forward, second_half
from attention_core.model.forward import embed, score_parts
from attention_core.model.parameters import Model


class Run(NamedTuple):
    """What a model computes with some of its heads changed."""

    weights: Array  # (L, H, T, T)
    logits: Array  # (T, V)


class Dependence(NamedTuple):
    """An earlier head, and a later head whose weight from the last token on a key changes without it."""

    earlier: tuple[int, int]  # layer, head
    later: tuple[int, int]
    key: int
    weight: float
    without: float  # the weight with the earlier head switched off


def run_with_heads(
    model: Model, tokens: ArrayLike, heads: Sequence[int], instead: Array | None = None, position: int | None = None
) -> Run:
    """Return the run on one sequence (T,) with the outputs of `heads` changed; head h of layer l is l * H + h.

    They are zero, or those of `instead` (L, H, T, K): at one position, or at all of them.
    """
    ids = np.asarray(tokens)
    changed = np.zeros((model.config.n_layers * model.config.n_heads, len(ids)), bool)
    for head in heads:
        changed[head, slice(None) if position is None else position] = True
    config, (mask, phase) = model.config, score_parts(model, len(ids))
    every = changed.reshape(config.n_layers, config.n_heads, len(ids), 1)
    x, maps = embed(model, ids), []
    for layer, block in enumerate(model.parameters.blocks):
        outputs = np.zeros((), x.dtype) if instead is None else instead[layer]
        run = partial(heads_changed, params=block.attention, n_heads=config.n_heads, mask=mask, phase=phase)
        attention = residual_forward(x, block.norm1, partial(run, own=every[layer], instead=outputs), config)
        x = BlockCache(attention, second_half(attention.out, block, config)).out
        maps.append(attention.layer.attention.weights)
    return Run(np.stack(maps), unembed(model, x))


def heads_changed(
    x: Array, params: Heads, n_heads: int, mask: Array | None, phase: Array | None, own: Array, instead: Array
) -> tuple[Array, HeadsCache]:
    """Return multi-head attention of x with the head outputs replaced where `own` is True."""
    _, cache = heads_forward(x, params, n_heads, mask, phase)
    outputs = np.where(own, instead, cache.attention.output)
    return project(merge_heads(outputs), params.w_o, params.b_o), cache


def looks_without_heads(model: Model, tokens: ArrayLike, instead: Array | None = None) -> Array:
    """Return (L, H, L, H, T): what each head's last row would be with another head changed, the first two axes."""
    ids, config = np.asarray(tokens), model.config
    heads = range(config.n_layers * config.n_heads)
    rows = [run_with_heads(model, ids, [head], instead).weights[:, :, -1] for head in heads]
    return np.stack(rows).reshape(config.n_layers, config.n_heads, config.n_layers, config.n_heads, -1)


def strongest_link(inside: Insides, without: Array, keys: Array) -> Dependence | None:
    """Return the link over which an earlier head lowers a later head's last weight on one of the keys most, if any."""
    looks, links = inside.weights[:, :, -1], []
    for earlier in np.ndindex(*without.shape[:2]):
        for later in np.ndindex(*without.shape[2:4]):
            if later[0] > earlier[0]:
                drops = (looks[later] - without[earlier][later])[np.asarray(keys)]
                key = int(np.asarray(keys)[int(drops.argmax())])
                weight, left = float(looks[later][key]), float(without[earlier][later][key])
                links.append(Dependence((earlier[0], earlier[1]), (later[0], later[1]), key, weight, left))
    return max(links, key=lambda link: link.weight - link.without, default=None)


def exchange_two(tokens: ArrayLike, among: Sequence[int] = ()) -> Tokens:
    """Return the sequence with its first two different tokens exchanged everywhere; if it has two, those of `among`."""
    ids = np.asarray(tokens)
    distinct = list(dict.fromkeys(ids.tolist()))
    own = [token for token in distinct if token in set(among)]
    first, second = (own if len(own) > 1 else [*distinct, *distinct])[:2]
    return np.where(ids == first, second, np.where(ids == second, first, ids))


def exchange_last(tokens: ArrayLike, among: Sequence[int]) -> Tokens | None:
    """Return the sequence with the last token that is one of `among` replaced by another of them that it contains."""
    ids = np.asarray(tokens).copy()
    places = np.flatnonzero(np.isin(ids, among))
    others = [int(one) for one in ids[places] if one != ids[places[-1]]]
    if not others or ids[places[-1]] not in ids[: places[-1]]:
        return None
    ids[places[-1]] = others[0]
    return ids


def head_outputs(model: Model, tokens: ArrayLike) -> Array:
    """Return the head outputs (L, H, T, K) of a run, from which another run of the same length can be patched."""
    return insides(model, np.asarray(tokens)).head_outputs


def mean_outputs(model: Model, tokens: ArrayLike) -> Array:
    """Return for each head its mean output over the positions of a run, at every position (L, H, T, K)."""
    found = head_outputs(model, tokens)
    return np.broadcast_to(found.mean(axis=-2, keepdims=True), found.shape).copy()
