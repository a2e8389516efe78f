"""The KV cache: what it spares and takes, the proof that it changes nothing, and when it cannot help."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention_core.arrays import Array
from attention_core.checks import whole
from attention_core.experiments.costs import cache_bytes, operations_of_writing
from attention_core.model.activations import insides
from attention_core.model.generate import checked_prompt, decisions
from attention_core.model.parameters import Model

ROUNDING = 1e-4  # of the largest number: what 32 bits may lose on their way through some layers


class Reads(NamedTuple):
    """What is read for each of N new tokens: positions from `fresh` on anew, those from `first` on from the cache."""

    first: NDArray[np.int64]  # (N,), the first position that the model still sees
    fresh: NDArray[np.int64]  # (N,), the first position that goes through the model
    stop: NDArray[np.int64]  # (N,), the length of the text so far
    computed: NDArray[np.int64]  # (N,), how many go through the model: stop - fresh


def positions_read(model: Model, n_prompt: int, n_new: int, cache: bool = True) -> Reads:
    """Return which positions are read for each of n_new tokens after a prompt.

    A text longer than max_len loses its first token at every step. All others then stand one place earlier, and what
    was kept of them is no longer true: all is computed anew. Nothing is kept by a model that looks ahead.
    """
    config = model.config
    stop = whole("n_prompt", n_prompt, 1) + np.arange(whole("n_new", n_new, 0))
    first = np.maximum(stop - config.max_len, 0)
    kept = (np.arange(n_new) > 0) & (stop <= config.max_len) & cache & config.causal
    fresh = np.where(kept, stop - 1, first)
    return Reads(first, fresh, stop, stop - fresh)


class Spared(NamedTuple):
    """What the cache spares and what it takes, for a text of so many new tokens."""

    anew: int  # operations without the cache
    kept: int  # and with it
    held: int  # positions whose keys and values are held in the end
    held_bytes: int


def spared(model: Model, n_prompt: int, n_new: int) -> Spared:
    """Return operations and memory by formula, in the sizes of a model."""
    config = model.config
    work = operations_of_writing(config, n_prompt, whole("n_new", n_new, 1))
    held = min(n_prompt + n_new - 1, config.max_len)
    return Spared(work.anew, work.cached, held, cache_bytes(config, held, bits=8 * model.flat.itemsize))


def affordable(model: Model, n_prompt: int, n_new: int, most: int) -> int:
    """Return how many of the new tokens, at least one, can be written without the cache in so many operations."""
    for place in range(2, n_new + 1):
        if operations_of_writing(model.config, n_prompt, place).anew > most:
            return place - 1
    return n_new


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
    """How far the numbers of each position move, layer by layer, when one more token is read."""

    keys: Array  # (L, T), the largest change of any number of the position's keys
    values: Array  # (L, T)
    outputs: Array  # (L, T), of what the layer hands on to the next
    holds: NDArray[np.bool_]  # (L,), whether no key and no value of the layer moved by more than rounding


def still_true(model: Model, tokens: ArrayLike, next_token: int, causal: bool = True) -> StillTrue:
    """Return how far what is computed for some tokens moves when the next one is read, with the mask or without.

    With it nothing moves. Without it the first layer keeps its keys and values, for they are made of each token alone;
    all later ones read what the first wrote, and there every position has looked at the new token.
    """
    if model.config.max_len < 2:
        raise ValueError("still_true needs a model that reads two tokens, got max_len 1")
    ids = checked_prompt(model, tokens)[1 - model.config.max_len :]
    seen = Model.of(replace(model.config, causal=causal), model.flat)
    before, after = insides(seen, ids), insides(seen, np.append(ids, next_token))
    keys, values = (
        np.abs(late[..., :-1, :] - early).max(axis=(-3, -1))
        for early, late in ((before.keys, after.keys), (before.values, after.values))
    )
    outputs = np.abs(after.stream[1:, :-1] - before.stream[1:]).max(axis=-1)
    scale = max(float(np.abs(part).max()) for part in (before.keys, before.values))
    holds = np.maximum(keys, values).max(axis=-1) <= ROUNDING * scale
    return StillTrue(keys, values, outputs, holds)
