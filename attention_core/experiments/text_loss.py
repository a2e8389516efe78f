"""A text as training examples: every token but the last is a place where the model bets on the next, and pays."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attention_core.arrays import Array, Tokens
from attention_core.checks import regular, whole
from attention_core.equations.loss import cross_entropy_forward
from attention_core.model.forward import checked_tokens, model_forward
from attention_core.model.parameters import Model


class Examples(NamedTuple):
    """The T examples in a text of T + 1 tokens: what the model bet after each, and what the token that came cost."""

    targets: Tokens  # (T,), the tokens that came
    bets: Array  # (T, V)
    target_bets: Array  # (T,), of them those on the targets
    target_logits: Array  # (T,)
    log_sums: Array  # (T,), the logarithm of the sum of the exponentials of all logits
    losses: Array  # (T,), log_sums - target_logits, which is -log(target_bets)
    mean: float  # of the losses: the loss of the text


def examples(model: Model, tokens: ArrayLike) -> Examples:
    """Return the examples in a text: loss = log(sum(exp(logits))) - logits[target], place by place."""
    inputs, targets = halves(model, tokens)
    logits = model_forward(model, inputs).logits.astype(np.float64)  # (T, V)
    mean, cache = cross_entropy_forward(logits, targets)
    rows = np.arange(len(targets))
    chosen = logits[rows, targets]
    return Examples(
        targets, cache.probabilities, cache.probabilities[rows, targets], chosen, cache.each + chosen, cache.each, mean
    )


def halves(model: Model, tokens: ArrayLike) -> tuple[Tokens, Tokens]:
    """Return what of a text is read, all but the last, and what is to be found, all but the first."""
    ids = regular("tokens", tokens)
    if ids.ndim != 1 or len(ids) < 2:
        raise ValueError(f"tokens must be a text (T + 1,) of at least two tokens, got shape {ids.shape}")
    return checked_tokens(model, "tokens", ids[:-1]), checked_tokens(model, "tokens", ids[1:])


def loss_of_text(model: Model, tokens: ArrayLike) -> float:
    """Return the loss of a text: the mean over its examples."""
    return examples(model, tokens).mean


def mean_where(losses: Array, counted: ArrayLike) -> float:
    """Return the mean of the losses that count in a training; at least one has to."""
    chosen = np.asarray(counted, bool)
    if chosen.shape != losses.shape or not chosen.any():
        raise ValueError(f"counted must choose some of {losses.shape} losses, got {chosen.sum()} of {chosen.shape}")
    return float(losses[chosen].mean())


def perplexity(loss: float) -> float:
    """Return e^loss: among so many tokens, all as likely, a guess would cost as much."""
    with np.errstate(over="ignore"):  # a model may be as wrong as it likes: endlessly many is an answer
        return float(np.exp(loss))


def cut_loss(model: Model, tokens: ArrayLike, row: int) -> float:
    """Return the loss of one example if the text ended right after its target: what is hidden cannot change it."""
    targets = halves(model, tokens)[1]
    whole("row", row, 0, len(targets) - 1)
    return float(examples(model, np.asarray(tokens)[: row + 2]).losses[row])


class Followers(NamedTuple):
    """What came next in texts that begin alike, and how little anybody could lose on average by betting on it."""

    shares: Array  # (V,)
    entropy: float  # nats: -sum(p log p), the least mean loss that any bet can reach


def followers(counts: ArrayLike) -> Followers:
    """Return the shares of what was counted (V,), and their entropy."""
    found = np.asarray(counts, np.float64)
    if found.ndim != 1 or (found < 0).any() or found.sum() == 0:
        raise ValueError(f"counts must be numbers (V,) of at least 0, not all of them 0, got shape {found.shape}")
    shares = found / found.sum()
    some = shares[shares > 0]
    return Followers(shares, float(max(0.0, -(some * np.log(some)).sum())))


def expected_loss(shares: Array, bets: Array) -> float:
    """Return the mean loss of a bet (V,) where tokens come by these shares (V,): never below their entropy."""
    some = shares > 0
    return float(-(shares[some] * np.log(bets[some])).sum())
