"""A model written for HIPS `autograd`: plain NumPy functions, differentiated by the package.

The traps are avoided (`x**3`, one-hot products, a maximum that needs a gradient), all but one, which is a choice: the
gradient of autograd's own `mean` is float64 and doubles the time of a step. `mean="float32"` is the form without it.
"""

import math
from collections.abc import Callable

import autograd.numpy as anp
import numpy as np
from autograd import value_and_grad

from tests.bench.sizes import SIZES, Size, corpus

Weights = dict[str, np.ndarray]
Mean = Callable[[np.ndarray], np.ndarray]

MEANS: dict[str, Mean] = {
    "autograd": lambda x: anp.mean(x, axis=-1, keepdims=True),
    "float32": lambda x: anp.sum(x, axis=-1, keepdims=True) / float(x.shape[-1]),
}


def init(size: Size) -> Weights:
    """Return small random weights; queries, keys and values share one matrix."""
    rng = np.random.default_rng(0)
    d, f = size.d_model, 4 * size.d_model
    shapes = {"token_embedding": (size.vocab_size, d), "position_embedding": (size.length, d)}
    norms = ["final_norm"]
    for i in range(size.n_layers):
        shapes |= {f"{i}.w_qkv": (d, 3 * d), f"{i}.w_o": (d, d)}
        shapes |= {f"{i}.w1": (d, f), f"{i}.b1": (f,), f"{i}.w2": (f, d), f"{i}.b2": (d,)}
        norms += [f"{i}.norm1", f"{i}.norm2"]
    weights = {name: 0.02 * rng.standard_normal(shape, dtype=np.float32) for name, shape in shapes.items()}
    for norm in norms:
        weights |= {f"{norm}.gain": np.ones(d, np.float32), f"{norm}.bias": np.zeros(d, np.float32)}
    return weights


def layer_norm(x: np.ndarray, weights: Weights, name: str, mean: Mean) -> np.ndarray:
    """Return x with mean 0 and variance 1 in each row, then stretched and shifted."""
    centred = x - mean(x)
    return centred / anp.sqrt(mean(centred * centred) + 1e-5) * weights[f"{name}.gain"] + weights[f"{name}.bias"]


def gelu(x: np.ndarray) -> np.ndarray:
    """Return the tanh form."""
    return 0.5 * x * (1.0 + anp.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * (x * x * x))))


def attention(x: np.ndarray, w_qkv: np.ndarray, w_o: np.ndarray, n_heads: int, mask: np.ndarray) -> np.ndarray:
    """Return causal attention of all heads for x (B, T, D)."""
    batch, length, d_model = x.shape
    qkv = anp.reshape(x @ w_qkv, (batch, length, 3, n_heads, d_model // n_heads))
    q, k, v = anp.transpose(qkv, (2, 0, 3, 1, 4))  # (B, H, T, K)
    shares = anp.exp(q @ anp.swapaxes(k, -1, -2) / math.sqrt(q.shape[-1]) + mask)  # (B, H, T, T)
    attended = shares @ v / anp.sum(shares, axis=-1, keepdims=True)
    return anp.reshape(anp.transpose(attended, (0, 2, 1, 3)), x.shape) @ w_o


def logits(weights: Weights, tokens: np.ndarray, size: Size, mean: Mean) -> np.ndarray:
    """Return the scores of the next token at every position of a batch."""
    mask = np.triu(np.full((size.length, size.length), -np.inf, dtype=np.float32), 1)
    x = weights["token_embedding"][tokens] + weights["position_embedding"]  # (B, T, D)
    for i in range(size.n_layers):
        normed = layer_norm(x, weights, f"{i}.norm1", mean)
        x = x + attention(normed, weights[f"{i}.w_qkv"], weights[f"{i}.w_o"], size.n_heads, mask)
        normed = layer_norm(x, weights, f"{i}.norm2", mean)
        hidden = gelu(normed @ weights[f"{i}.w1"] + weights[f"{i}.b1"])
        x = x + hidden @ weights[f"{i}.w2"] + weights[f"{i}.b2"]
    return layer_norm(x, weights, "final_norm", mean) @ anp.transpose(weights["token_embedding"])


def cross_entropy(scores: np.ndarray, targets: np.ndarray) -> float:
    """Return the mean over all positions."""
    rows = anp.reshape(scores, (targets.size, -1))
    chosen = rows[np.arange(targets.size), targets.ravel()]
    return anp.sum(anp.log(anp.sum(anp.exp(rows), axis=-1)) - chosen) / float(targets.size)


def clip(gradients: Weights, largest: float) -> None:
    """Shorten the gradients, all by one factor, if together they are longer than `largest`."""
    norm = math.sqrt(sum(float(np.vdot(gradient, gradient)) for gradient in gradients.values()))
    if norm > largest:
        for gradient in gradients.values():
            gradient *= largest / norm


def train_step(size: str, mean: str) -> Callable[[], object]:
    """Return a function that trains one step with AdamW, the drawing of the batch included."""
    sizes, rng = SIZES[size], np.random.default_rng(0)
    weights, tokens = init(sizes), corpus(sizes)
    first = {name: np.zeros_like(weight) for name, weight in weights.items()}
    second = {name: np.zeros_like(weight) for name, weight in weights.items()}
    steps = iter(range(1, 1_000_000))

    def loss(weights: Weights, window: np.ndarray) -> float:
        return cross_entropy(logits(weights, window[:, :-1], sizes, MEANS[mean]), window[:, 1:])

    loss_and_gradients = value_and_grad(loss)

    def step() -> float:
        starts = rng.integers(len(tokens) - sizes.length, size=(sizes.batch, 1))
        value, gradients = loss_and_gradients(weights, tokens[starts + np.arange(sizes.length + 1)])
        clip(gradients, 1.0)
        t = next(steps)
        for name, gradient in gradients.items():
            first[name] += 0.1 * (gradient - first[name])
            second[name] += 0.05 * (gradient * gradient - second[name])
            towards = np.sqrt(second[name] / (1 - 0.95**t)) + 1e-8
            decay = 0.01 if gradient.ndim == 2 else 0.0
            weights[name] -= 1e-3 * (first[name] / ((1 - 0.9**t) * towards) + decay * weights[name])
        return float(value)

    return step
