"""The KV cache, proved: what is read anew for each token with it and without, and that the logits are the same."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention_core.arrays import Array
from attention_core.checks import whole
from attention_core.config import Config
from attention_core.generate import checked_prompt, decisions
from attention_core.insides import insides
from attention_core.parameters import Model


class Reads(NamedTuple):
    """What is read for each of N new tokens: positions from `fresh` on anew, those from `first` on from the cache."""

    first: NDArray[np.int64]  # (N,), the first position that the model still sees
    fresh: NDArray[np.int64]  # (N,), the first position that goes through the model
    stop: NDArray[np.int64]  # (N,), the length of the text so far
    computed: NDArray[np.int64]  # (N,), how many go through the model: stop - fresh


def positions_read(config: Config, n_prompt: int, n_new: int, cache: bool = True) -> Reads:
    """Return which positions are read for each of n_new tokens after a prompt.

    A text longer than max_len loses its first token at every step. All others then stand one place earlier, and what
    was kept of them is no longer true: all is computed anew. Nothing is kept by a model that looks ahead.
    """
    stop = whole("n_prompt", n_prompt, 1) + np.arange(whole("n_new", n_new, 0))
    first = np.maximum(stop - config.max_len, 0)
    kept = (np.arange(n_new) > 0) & (stop <= config.max_len) & cache & config.causal
    fresh = np.where(kept, stop - 1, first)
    return Reads(first, fresh, stop, stop - fresh)


class CacheProof(NamedTuple):
    """The same text written twice: with the KV cache, and with all positions computed anew for each token."""

    tokens: NDArray[np.int64]  # (N,), with the cache
    tokens_anew: NDArray[np.int64]  # (N,)
    computed: NDArray[np.int64]  # (N,), positions that went through the model, with the cache
    computed_anew: NDArray[np.int64]  # (N,)
    differences: Array  # (N,), the largest between the logits of both, of all tokens of the vocabulary
    largest: float  # the largest of all differences
    scale: float  # the largest logit, whatever its sign


def cache_proof(
    model: Model,
    prompt: ArrayLike,
    n_new: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    seed: int = 0,
    bits: int = 32,
) -> CacheProof:
    """Return what differs between writing with the cache and without, in numbers of 32 or 64 bits."""
    whole("n_new", n_new, 1)
    if bits not in (32, 64):
        raise ValueError(f"bits must be 32 or 64, got {bits!r}")
    model = Model.of(model.config, model.flat.astype(np.float64 if bits == 64 else np.float32))
    drawing = (model, prompt, n_new, temperature, top_k, top_p, seed)
    kept, anew = decisions(*drawing, cache=True), decisions(*drawing, cache=False)
    differences = np.abs(kept.logits - anew.logits).max(axis=-1)
    return CacheProof(
        kept.tokens,
        anew.tokens,
        kept.n_computed,
        anew.n_computed,
        differences,
        float(differences.max()),
        float(np.abs(anew.logits).max()),
    )


class StillTrue(NamedTuple):
    """How far what was kept of each position moves, layer by layer, when one more token is read."""

    keys: Array  # (L, T), the largest change of any number of the position's keys
    values: Array  # (L, T)


def still_true(model: Model, tokens: ArrayLike, next_token: int, causal: bool = True) -> StillTrue:
    """Return how far the keys and values of some tokens move when the next one is read, with the mask or without.

    With it nothing moves. Without it the first layer keeps its keys and values, for they are made of each token alone;
    all later ones read what the first wrote, and there every position has looked at the new token.
    """
    if model.config.max_len < 2:
        raise ValueError("still_true needs a model that reads two tokens, got max_len 1")
    ids = checked_prompt(model, tokens)[1 - model.config.max_len :]
    seen = Model.of(replace(model.config, causal=causal), model.flat)
    before, after = insides(seen, ids), insides(seen, np.append(ids, next_token))
    moved = [
        np.abs(late[..., :-1, :] - early).max(axis=(-3, -1))
        for early, late in ((before.keys, after.keys), (before.values, after.values))
    ]
    return StillTrue(*moved)
