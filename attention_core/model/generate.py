"""Generation: one token after another, each drawn from what the model expects."""

from __future__ import annotations  # np.random, named in annotations alone, is slow to load

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention_core.arrays import Array, Tokens
from attention_core.checks import real, regular, whole
from attention_core.equations.softmax import softmax
from attention_core.model.forward import checked_tokens, model_forward
from attention_core.model.kv_cache import Decoder
from attention_core.model.parameters import Model


class Choice(NamedTuple):
    """How one token was chosen: everything that a table of the decision shows."""

    token: int
    logits: Array  # (V,), as the model gave them
    scaled: Array  # (V,), divided by the temperature
    order: NDArray[np.intp]  # (V,), ids from the likeliest down
    n_kept: int  # so many of `order` survived top-k and top-p
    probabilities: Array  # (V,), in the order of the ids; 0 where dropped
    drawn: float | None  # the random number in [0, 1); None where nothing was left to chance
    n_computed: int  # positions that went through the model for this token


def choose(
    logits: Array, temperature: float, top_k: int | None, top_p: float | None, drawn: float, n_computed: int
) -> Choice:
    """Return the token at which the running sum of the kept probabilities, likeliest first, passes `drawn`.

    Top-k keeps the k likeliest; top-p, of those, the fewest that reach p together. Ties go to the lower id.
    """
    if temperature == 0:
        order = np.argsort(-logits, kind="stable")
        certain = np.zeros(len(logits))
        certain[order[0]] = 1
        return Choice(int(order[0]), logits, logits, order, 1, certain, None, n_computed)
    scaled = logits.astype(np.float64) / max(temperature, 1e-30)  # smaller ones would overflow, to no other effect
    order = np.argsort(-scaled, kind="stable")
    odds = np.exp(scaled[order] - scaled[order[0]])  # (V,), the likeliest has 1
    n_kept = len(odds) if top_k is None else min(top_k, len(odds))
    sums = odds[:n_kept].cumsum()
    if top_p is not None:
        n_kept = min(n_kept, int(sums.searchsorted(top_p * sums[-1])) + 1)
        sums = sums[:n_kept]
    rank = min(int(sums.searchsorted(drawn * sums[-1], side="right")), n_kept - 1)
    probabilities = np.zeros(len(odds))
    probabilities[order[:n_kept]] = odds[:n_kept] / sums[-1]
    return Choice(int(order[rank]), logits, scaled, order, n_kept, probabilities, drawn, n_computed)


def choices(
    model: Model,
    prompt: ArrayLike,
    n_new: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    seed: int = 0,
    cache: bool = True,
) -> Iterator[Choice]:
    """Return an iterator over the new tokens, with all that decided each of them."""
    context = [int(token) for token in checked_prompt(model, prompt)]
    whole("n_new", n_new, 0)
    real("temperature", temperature, "a finite number of at least 0", lambda value: value >= 0)
    if top_k is not None:
        whole("top_k", top_k, 1)
    if top_p is not None:
        real("top_p", top_p, "in (0, 1]", lambda value: 0 < value <= 1)
    rng = np.random.default_rng(whole("seed", seed, 0))
    return run_choices(model, context, n_new, temperature, top_k, top_p, rng, cache)


def run_choices(
    model: Model,
    context: list[int],
    n_new: int,
    temperature: float,
    top_k: int | None,
    top_p: float | None,
    rng: np.random.Generator,
    cache: bool,
) -> Iterator[Choice]:
    """Yield one choice a token.

    Once the context is longer than the model reads, its first token drops out. Every other then stands one place
    earlier, and no longer knows of the one that left: nothing that was remembered is still true, so that all is
    computed anew, with the cache as without. Nor does a cache help a model that also looks ahead.
    """
    longest = model.config.max_len
    decoder: Decoder | None = None
    for _ in range(n_new):
        if decoder is not None and len(context) <= longest:
            logits, n_computed = decoder.step(context[-1]), 1
        else:
            forward = model_forward(model, np.array(context[-longest:]))
            logits, n_computed = forward.logits[-1], len(forward.tokens)
            if cache and model.config.causal and len(context) < longest:
                decoder = Decoder(model)
                decoder.remember(forward)
        choice = choose(logits, temperature, top_k, top_p, rng.random(), n_computed)
        context.append(choice.token)
        yield choice


def generate(
    model: Model,
    prompt: ArrayLike,
    n_new: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    seed: int = 0,
    cache: bool = True,
) -> list[int]:
    """Return the ids of n_new tokens that continue the prompt; temperature 0 always takes the likeliest."""
    return [choice.token for choice in choices(model, prompt, n_new, temperature, top_k, top_p, seed, cache)]


class Decisions(NamedTuple):
    """What decided each of N new tokens, a row for each."""

    tokens: NDArray[np.int64]  # (N,)
    logits: Array  # (N, V), as the model gave them
    bets: Array  # (N, V), their softmax: what the model expects, whatever is drawn from it
    probabilities: Array  # (N, V), what was drawn from: after the temperature, top-k and top-p
    drawn: Array  # (N,), the random numbers; NaN where nothing was left to chance
    n_kept: NDArray[np.int64]  # (N,), how many tokens survived top-k and top-p
    n_computed: NDArray[np.int64]  # (N,), positions that went through the model for this token


def decisions(
    model: Model,
    prompt: ArrayLike,
    n_new: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    seed: int = 0,
    cache: bool = True,
) -> Decisions:
    """Return the new tokens with all that decided them, as tables."""
    found = list(choices(model, prompt, whole("n_new", n_new, 1), temperature, top_k, top_p, seed, cache))
    logits = np.array([choice.logits for choice in found])
    return Decisions(
        np.array([choice.token for choice in found]),
        logits,
        softmax(logits),
        np.array([choice.probabilities for choice in found]),
        np.array([np.nan if choice.drawn is None else choice.drawn for choice in found]),
        np.array([choice.n_kept for choice in found]),
        np.array([choice.n_computed for choice in found]),
    )


def checked_prompt(model: Model, prompt: ArrayLike) -> Tokens:
    """Return the prompt as ids that the model knows; it may be longer than the model reads."""
    ids = regular("prompt", prompt)
    if ids.ndim != 1 or ids.size == 0:
        raise ValueError(f"prompt must be a list of at least one token id, got shape {ids.shape}")
    return checked_tokens(model, "prompt", ids[:, None])[:, 0]
