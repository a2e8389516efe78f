"""AdamW: each parameter moves by the running mean of its gradient, divided by the gradient's root mean square."""

import math
from dataclasses import dataclass

import numpy as np

from attention_core.arrays import Array
from attention_core.model.parameters import Model

AT_A_TIME = 1 << 14  # parameters updated at a time, so that they stay in the processor's cache


@dataclass
class AdamW:
    """The state of the optimizer: running means of the gradient and its square, and the number of steps."""

    mean: Array  # (P,)
    square: Array  # (P,)
    step: int = 0

    @classmethod
    def of(cls, model: Model) -> "AdamW":
        """Return the initial state for a model."""
        return cls(np.zeros_like(model.flat), np.zeros_like(model.flat))


def adamw_update(
    model: Model,
    state: AdamW,
    gradient: Array,
    rate: float,
    *,
    shrink: float = 1.0,
    decay: float = 0.01,
    betas: tuple[float, float] = (0.9, 0.95),
    epsilon: float = 1e-8,
) -> None:
    """Update the model by -rate * mean / (√square + ε), with bias correction; matrices also decay.

    `shrink` multiplies the gradient: the clipping. Model and state are updated in place.
    """
    state.step += 1
    correct_mean, correct_square = 1 - betas[0] ** state.step, 1 - betas[1] ** state.step
    flat, mean, square = model.flat, state.mean, state.square
    scratch = np.empty(min(AT_A_TIME, flat.size), flat.dtype)
    if decay:
        flat[: model.n_matrix] *= 1 - rate * decay
    for start in range(0, flat.size, AT_A_TIME):
        part = slice(start, start + AT_A_TIME)
        g, m, s, change = gradient[part], mean[part], square[part], scratch[: flat[part].size]
        # mean = β₁ mean + (1 - β₁) g
        m *= betas[0]
        m += np.multiply(g, (1 - betas[0]) * shrink, out=change)
        # square = β₂ square + (1 - β₂) g²
        s *= betas[1]
        np.multiply(g, g, out=change)
        change *= (1 - betas[1]) * shrink * shrink
        s += change
        # parameters -= rate * (mean / correction) / (√(square / correction) + ε)
        np.sqrt(s, out=change)
        change *= 1 / math.sqrt(correct_square)
        change += epsilon
        np.divide(m, change, out=change)
        change *= rate / correct_mean
        flat[part] -= change


def learning_rate_at(step: int, steps: int, peak: float, warmup: int) -> float:
    """Return the learning rate of a step: linear warm-up, then half a cosine down to a tenth of the peak."""
    if step <= warmup:
        return peak * step / warmup
    way = (step - warmup) / max(1, steps - warmup)
    return peak * (0.1 + 0.9 * (1 + math.cos(math.pi * min(1.0, way))) / 2)
