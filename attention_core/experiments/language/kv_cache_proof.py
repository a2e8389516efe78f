"""The KV cache: savings and memory, proof of equal results, and the cases in which it is invalid."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention_core.arrays import Array
from attention_core.equations.softmax import softmax
from attention_core.experiments.language.costs import cache_bytes, operations_of_writing
from attention_core.experiments.language.next_token import decisions
from attention_core.model.forward import model_forward
from attention_core.model.kv_cache import Decoder
from attention_core.model.parameters import Model

PARTS = ("nothing", "keys", "values", "queries")


class Reads(NamedTuple):
    """For each of N new tokens: positions `first..fresh` come from the cache, `fresh..stop` are computed."""

    first: NDArray[np.int64]  # (N,), first position in the context
    fresh: NDArray[np.int64]  # (N,), first position that is computed
    stop: NDArray[np.int64]  # (N,), length of the text so far
    computed: NDArray[np.int64]  # (N,), number of computed positions: stop - fresh


def positions_read(model: Model, n_prompt: int, n_new: int, cache: bool = True) -> Reads:
    """Return the cached and computed positions for each of n_new tokens after a prompt.

    A text longer than max_len drops its first token at every step. All positions shift, the cache becomes invalid, and
    everything is computed again. A non-causal model cannot use the cache.
    """
    config = model.config
    stop = n_prompt + np.arange(n_new)
    first = np.maximum(stop - config.max_len, 0)
    kept = (np.arange(n_new) > 0) & (stop <= config.max_len) & cache & config.causal
    fresh = np.where(kept, stop - 1, first)
    return Reads(first, fresh, stop, stop - fresh)


class Savings(NamedTuple):
    """Operations saved by the cache, and the memory it takes."""

    anew: int  # operations without the cache
    kept: int  # operations with it
    held: int  # positions in the cache at the end
    held_bytes: int  # bytes of their keys and values


def cache_savings(model: Model, n_prompt: int, n_new: int) -> Savings:
    """Return operations and memory by formula, for generating n_new tokens."""
    config = model.config
    work = operations_of_writing(config, n_prompt, n_new)
    held = min(n_prompt + n_new - 1, config.max_len) * config.causal  # else nothing is kept
    return Savings(work.anew, work.cached, held, cache_bytes(config, held, bits=8 * model.flat.itemsize))


def affordable(model: Model, n_prompt: int, n_new: int, most: int) -> int:
    """Return how many of the new tokens, at least one, can be generated without the cache in `most` operations."""
    for place in range(2, n_new + 1):
        if operations_of_writing(model.config, n_prompt, place).anew > most:
            return place - 1
    return n_new


class CacheProof(NamedTuple):
    """The same text generated with the KV cache and without it."""

    tokens: NDArray[np.int64]  # (N,), with the cache
    tokens_anew: NDArray[np.int64]  # (N,)
    differences: Array  # (N,), largest absolute difference of the logits
    largest: float  # largest of all differences
    scale: float  # largest absolute logit


def cache_proof(model: Model, prompt: ArrayLike, n_new: int, bits: int, *sampling: Any, **more: Any) -> CacheProof:
    """Return the differences between generation with and without the cache, in 32 or 64 bits; more is for `choices`."""
    model = Model.of(model.config, model.flat.astype(np.float64 if bits == 64 else np.float32))
    kept, anew = (decisions(model, prompt, n_new, *sampling, **more, cache=cache) for cache in (True, False))
    differences = np.abs(kept.logits - anew.logits).max(axis=-1)
    largest, scale = float(differences.max()), float(np.abs(anew.logits).max())
    return CacheProof(kept.tokens, anew.tokens, differences, largest, scale)


def predict_after_erasing(model: Model, prompt: ArrayLike, part: str) -> Array:
    """Return the probabilities (V,) of the next token if a part of the cache is set to 0 before the last token is read.

    `part` is "keys", "values", "queries" or "nothing". Of queries nothing is kept, so there is nothing to set to 0.
    """
    ids = np.asarray(prompt)[-model.config.max_len :]
    decoder = Decoder(model, len(ids))
    decoder.prefill(model_forward(model, ids[:-1]))
    for layer in decoder.layers:
        if part in ("keys", "values"):
            getattr(layer, part)[...] = 0
    return softmax(decoder.step(int(ids[-1])))
