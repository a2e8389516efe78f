"""A model at a moment of its training, or without one of its parts: what it writes and how well, to be compared."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention_core.arrays import Array, Tokens
from attention_core.checks import whole
from attention_core.equations.loss import cross_entropy_forward
from attention_core.equations.softmax import softmax
from attention_core.experiments.head_patterns import checked_rows
from attention_core.model.forward import attention_weights, logits
from attention_core.model.generate import generate
from attention_core.model.parameters import Model, n_parameters


class Moment(NamedTuple):
    """What a model makes of a prompt."""

    written: Tokens  # (N,), the tokens that it writes after it
    bets: Array  # (V,), on the first of them
    weights: Array  # (L, H, T, T), where its heads look in the prompt


class Assessment(NamedTuple):
    """How well a model does on rows that it never learned from."""

    loss: float  # nats, as in training: it reads a whole row at once
    accuracy: float  # the share of tokens that it bets on most, likewise
    cut_loss: float  # nats, where the row is cut off before each token that is bet on: so it is when it writes
    cut_accuracy: float  # likewise
    ahead: Array  # (L, H), the mean weight on the very next token, which is the answer
    order: float  # the share of its bet that moves when all tokens but the last of a row are shuffled
    parameters: int


def moment(
    model: Model,
    prompt: ArrayLike,
    n_new: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    seed: int = 0,
) -> Moment:
    """Return what a model writes after a prompt, what it bets on first, and where it looks in the prompt."""
    written = generate(model, prompt, n_new, temperature, top_k, top_p, seed)
    return Moment(np.array(written, np.int64), softmax(logits(model, prompt)[-1]), attention_weights(model, prompt))


def assessed(model: Model, rows: ArrayLike, counted: NDArray[np.bool_] | None = None) -> Assessment:
    """Return how well a model does on rows (B, T + 1), of which all targets count, or those of `counted` (B, T)."""
    tokens = np.asarray(rows)
    inputs, targets = checked_rows(model, tokens[:, :-1]), tokens[:, 1:]
    counts = np.ones(targets.shape, bool) if counted is None else counted
    loss, accuracy = judged(logits(model, inputs)[counts], targets[counts])
    cut_loss, cut_accuracy = judged(*after_cuts(model, inputs, targets, counts))
    next_one = np.diagonal(attention_weights(model, inputs), offset=1, axis1=-2, axis2=-1)  # (B, L, H, T - 1)
    return Assessment(
        loss=loss,
        accuracy=accuracy,
        cut_loss=cut_loss,
        cut_accuracy=cut_accuracy,
        ahead=np.asarray(next_one.sum(axis=(0, -1), dtype=np.float64) / max(1, len(inputs) * next_one.shape[-1])),
        order=order_seen(model, inputs),
        parameters=n_parameters(model.config),
    )


def after_cuts(model: Model, inputs: Tokens, targets: Tokens, counts: NDArray[np.bool_]) -> tuple[Array, Tokens]:
    """Return the logits (N, V) of the positions that count, each as the last that the model reads, and their targets.

    What looks back only gives the same bets whether anything follows or not, so that rows need no cutting.
    """
    if model.config.causal:
        return logits(model, inputs)[counts], targets[counts]
    places = [place for place in range(inputs.shape[1]) if counts[:, place].any()]
    found = [logits(model, inputs[counts[:, place], : place + 1])[:, -1] for place in places]
    return np.concatenate(found), np.concatenate([targets[counts[:, place], place] for place in places])


def judged(bets: Array, goals: Tokens) -> tuple[float, float]:
    """Return the mean loss of logits (N, V), and the share of them that is largest at the goal."""
    loss, _ = cross_entropy_forward(bets, goals)
    return loss, float((bets.argmax(axis=-1) == goals).mean())


def order_seen(model: Model, rows: ArrayLike, seed: int = 0) -> float:
    """Return how much of the bet after each row (B, T) moves when its tokens but the last are shuffled: 0 to 1."""
    tokens = checked_rows(model, rows)
    rng = np.random.default_rng(whole("seed", seed, 0))
    shuffled = np.concatenate([rng.permuted(tokens[:, :-1], axis=1), tokens[:, -1:]], axis=1)
    before, after = (softmax(logits(model, some)[:, -1].astype(np.float64)) for some in (tokens, shuffled))
    return float(np.abs(after - before).sum(axis=-1).mean() / 2)
