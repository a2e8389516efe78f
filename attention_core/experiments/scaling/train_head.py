"""A small head trained by gradient descent, with its scores divided or not: the gradient that dies under saturation."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from attention_core.arrays import Array, frozen
from attention_core.equations.softmax import softmax_backward, softmax_forward
from attention_core.experiments.qkv.one_head import random_head
from attention_core.experiments.scaling.random_scores import divisor
from attention_core.experiments.scaling.untrained_row import untrained_words
from attention_core.rows import first_largest

SMALL_WIDTH = 32
GRID = 2.0**-20  # of the parameters: without it, another processor’s last bit can grow into another loss


class HeadGradient(NamedTuple):
    """The loss of a head, its weights, and the gradients of the loss."""

    loss: float
    weights: Array  # (T, S)
    scores: Array  # (T, S), d loss / d scores, after scaling
    w_q: Array  # (D, K)
    w_k: Array  # (D, K)


class HeadTraining(NamedTuple):
    """The training of a head: what it was before each of N steps, and after the last."""

    loss: Array  # (N + 1,)
    weights: Array  # (N + 1, T, S)


def head_gradient(x: Array, w_q: Array, w_k: Array, by: float, goal: Array) -> HeadGradient:
    """Return the loss of a head whose weights should be `goal` (T, S), and its gradients.

    The loss is half the squared distance of a row from its goal, averaged over the rows.
    """
    q, k = x @ w_q, x @ w_k  # (T, K)
    weights = softmax_forward(q @ k.T / by)  # (T, S)
    errors = weights - goal
    loss = float(np.vecdot(errors, errors).mean() / 2)
    # weights = softmax(scores)
    dscores = softmax_backward(errors / len(x), weights)
    # scores = q kᵀ / by
    dq, dk = dscores @ k / by, dscores.T @ q / by
    return HeadGradient(loss, weights, dscores, x.T @ dq, x.T @ dk)


def attend_to_previous(length: int) -> Array:
    """Return the weights (T, S) of a head in which each word attends to the one before it, and the first to itself."""
    return np.eye(length)[np.maximum(np.arange(length) - 1, 0)]


def train_head(words: tuple[str, ...], d_k: int, named: str, rate: float, n_steps: int, seed: int) -> HeadTraining:
    """Train W_Q and W_K by gradient descent until each word attends to the one before it.

    The scores are divided by one of `random_scores.DIVISORS`. Under all divisors the same seed gives the same start.
    After each step the parameters are rounded to a grid, so that every processor takes the same steps.
    """
    return train_on_vectors(untrained_words(words, SMALL_WIDTH, seed).tobytes(), d_k, named, rate, n_steps, seed)


@lru_cache(maxsize=32)  # 1.4 MB each at most: a class trains two heads for each of its settings, which reruns look at
def train_on_vectors(vectors: bytes, d_k: int, named: str, rate: float, n_steps: int, seed: int) -> HeadTraining:
    """Train a head on vectors, by which it is cached: the words that a student typed are kept nowhere."""
    x = np.frombuffer(vectors).reshape(-1, SMALL_WIDTH)  # (T, D)
    goal, by = attend_to_previous(len(x)), divisor(named, d_k)
    head = random_head(SMALL_WIDTH, d_k, seed, 1)
    w_q, w_k = head.w_q, head.w_k
    losses, weights = [], []
    for _ in range(n_steps + 1):
        gradient = head_gradient(x, w_q, w_k, by, goal)
        losses.append(gradient.loss)
        weights.append(gradient.weights)
        w_q = np.round((w_q - rate * gradient.w_q) / GRID) * GRID
        w_k = np.round((w_k - rate * gradient.w_k) / GRID) * GRID
    return HeadTraining(*(frozen(np.array(found)) for found in (losses, weights)))


class AlongEntry(NamedTuple):
    """The loss as one entry of W_Q changes, and its derivative where nothing was changed."""

    loss: Array  # (N,)
    slope: float


def loss_along_entry(words: tuple[str, ...], d_k: int, named: str, seed: int, changes: Array) -> AlongEntry:
    """Return the loss of an untrained head along the entry of W_Q with the largest derivative."""
    x, goal, by = untrained_words(words, SMALL_WIDTH, seed), attend_to_previous(len(words)), divisor(named, d_k)
    head = random_head(SMALL_WIDTH, d_k, seed, 1)
    gradient = head_gradient(x, head.w_q, head.w_k, by, goal).w_q
    entry = np.unravel_index(first_largest(np.abs(gradient).ravel()), gradient.shape)
    losses = []
    for change in changes:
        w_q = head.w_q.copy()
        w_q[entry] += change
        losses.append(head_gradient(x, w_q, head.w_k, by, goal).loss)
    return AlongEntry(np.array(losses), float(gradient[entry]))
