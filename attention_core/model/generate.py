"""Text generation: temperature, top-k, top-p and sampling."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention_core.arrays import Array
from attention_core.checks import integer, real, regular
from attention_core.model.forward import checked_tokens, model_forward
from attention_core.model.kv_cache import Decoder
from attention_core.model.parameters import Model


class Choice(NamedTuple):
    """How one token was chosen."""

    token: int
    logits: Array  # (V,), of the model
    scaled: Array  # (V,), divided by the temperature
    order: NDArray[np.intp]  # (V,), token ids sorted by probability, highest first
    n_kept: int  # number of leading ids in `order` that top-k and top-p keep
    probabilities: Array  # (V,), in the order of the ids; 0 where cut off
    drawn: float | None  # the uniform random number in [0, 1); None for greedy decoding
    n_computed: int  # positions computed by the model for this token


def choose(
    logits: Array, temperature: float, top_k: int | None, top_p: float | None, drawn: float, n_computed: int
) -> Choice:
    """Return the first token at which the cumulative probability, most likely first, exceeds the random number `drawn`.

    Top-k keeps the k most likely tokens. Top-p then keeps the fewest of those that reach p together. Ties go to the
    lower id.
    """
    if temperature == 0:
        order = descending(logits)
        certain = np.where(np.arange(len(logits)) == order[0], 1.0, 0.0)
        return Choice(int(order[0]), logits, logits, order, 1, certain, None, n_computed)
    scaled = logits.astype(np.float64) / max(temperature, 1e-30)  # a smaller one only overflows
    order = descending(scaled)
    odds = np.exp(scaled[order] - scaled[order[0]])  # (V,), 1 for the likeliest
    n_kept = len(odds) if top_k is None else min(top_k, len(odds))
    sums = odds[:n_kept].cumsum()
    if top_p is not None:
        n_kept = min(n_kept, int(sums.searchsorted(top_p * sums[-1])) + 1)
        sums = sums[:n_kept]
    rank = min(int(sums.searchsorted(drawn * sums[-1], side="right")), n_kept - 1)
    probabilities = np.zeros(len(odds))
    probabilities[order[:n_kept]] = odds[:n_kept] / sums[-1]
    return Choice(int(order[rank]), logits, scaled, order, n_kept, probabilities, drawn, n_computed)


def descending(values: Array) -> NDArray[np.intp]:
    """Return the token ids sorted by their values (V,), the highest first; ties go to the lower id."""
    order = np.argsort(-values)  # three times as fast as a stable sort
    ordered = values[order]
    return order if (ordered[1:] < ordered[:-1]).all() else np.argsort(-values, kind="stable")


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
    """Return an iterator over the new tokens, each as a `Choice`.

    Once the context exceeds max_len, its first token is dropped. The position of every other token then changes, so the
    KV cache is invalid and all positions are computed again, with the cache as without. A non-causal model cannot use
    the cache at all.

    >>> from attention_core import Config, init_model
    >>> model = init_model(Config(vocab_size=5, d_model=4, n_heads=2, n_layers=1, max_len=8))
    >>> [choice.n_computed for choice in choices(model, [1, 2, 3], 3)]
    [3, 1, 1]
    """
    ids = regular("prompt", prompt)
    if ids.ndim != 1 or ids.size == 0:
        raise ValueError(f"prompt must be a list of at least one token id, got shape {ids.shape}")
    context = checked_tokens(model, "prompt", ids[:, None])[:, 0].tolist()  # it may be longer than max_len
    integer("n_new", n_new, 0)
    real("temperature", temperature, "a finite number of at least 0", lambda value: value >= 0)
    if top_k is not None:
        integer("top_k", top_k, 1)
    if top_p is not None:
        real("top_p", top_p, "in (0, 1]", lambda value: 0 < value <= 1)
    rng = np.random.default_rng(integer("seed", seed, 0))
    longest = model.config.max_len
    room = min(longest, len(context) + n_new)

    def run() -> Iterator[Choice]:
        decoder: Decoder | None = None
        for _ in range(n_new):
            if decoder is not None and len(context) <= longest:
                logits, n_computed = decoder.step(context[-1]), 1
            else:
                forward = model_forward(model, np.array(context[-longest:]))
                logits, n_computed = forward.logits[-1], len(forward.tokens)
                if cache and model.config.causal and len(context) < longest:
                    decoder = Decoder(model, room)
                    decoder.prefill(forward)
            choice = choose(logits, temperature, top_k, top_p, rng.random(), n_computed)
            context.append(choice.token)
            yield choice

    return run()


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
    """Return n_new token ids that continue the prompt (T,), sampled from softmax(logits / temperature); 0 is greedy.

    >>> from attention_core import Config, init_model, train
    >>> model = init_model(Config(vocab_size=3, d_model=8, n_heads=2, n_layers=1, max_len=6))
    >>> for record in train(model, [0, 1, 2] * 20, steps=60, learning_rate=0.03): pass
    >>> generate(model, [0, 1], 5, temperature=0)
    [2, 0, 1, 2, 0]
    """
    return [choice.token for choice in choices(model, prompt, n_new, temperature, top_k, top_p, seed, cache)]
