"""One training step of one causal head on three words: every number, its slope, and what both are made of."""

import math
from typing import NamedTuple

import numpy as np

from attention_core.arrays import Array
from attention_core.checks import integer
from attention_core.equations.attention import AttentionCache, attention_backward, attention_forward
from attention_core.equations.loss import cross_entropy_backward, cross_entropy_forward
from attention_core.equations.masks import additive_mask, causal_mask
from attention_core.equations.softmax import softmax_backward, softmax_forward

Numbers = dict[str, Array]
Entry = tuple[str, int, int]  # a matrix, row, column
Term = tuple[Entry, Entry]  # the slope of an output, and the number that it is multiplied by
LENGTH, D_MODEL, D_K = 3, 3, 2
VOCABULARY = LENGTH + 1  # each word of the text is the next one of the word before
PARAMETERS = {
    "w_q": (D_MODEL, D_K),
    "w_k": (D_MODEL, D_K),
    "w_v": (D_MODEL, D_K),
    "w_o": (D_K, D_MODEL),
    "w_u": (D_MODEL, VOCABULARY),
}
MASK, TARGETS = additive_mask(causal_mask(LENGTH)), np.arange(1, LENGTH + 1)
PRODUCTS = {  # out = left @ right
    "q": ("x", "w_q"),
    "k": ("x", "w_k"),
    "v": ("x", "w_v"),
    "scores": ("q", "k"),  # right transposed, and times 1/√K
    "head": ("weights", "v"),
    "output": ("head", "w_o"),
    "logits": ("output", "w_u"),
}
SOFTMAXES = {"scores": "weights", "logits": "probabilities"}
SCALES = {"scores": 1 / math.sqrt(D_K)}


class OneStep(NamedTuple):
    """The numbers of a forward pass, their slopes, and the loss."""

    values: Numbers
    slopes: Numbers  # d loss / d value
    loss: float


def initial_numbers(seed: int) -> Numbers:
    """Return the vectors of three words and random parameters, as before training, each with one decimal."""
    rng = np.random.default_rng(integer("seed", seed, 0))
    shapes = {"x": (LENGTH, D_MODEL)} | PARAMETERS
    return {name: rng.uniform(-1, 1, shape).round(1) + 0.0 for name, shape in shapes.items()}


def forward(given: Numbers, nudged: Entry | None = None, by: float = 0.0) -> tuple[Numbers, float]:
    """Return every number of a forward pass, and the loss, with `by` added to one number on its way."""
    values: Numbers = {}

    def keep(name: str, value: Array) -> Array:
        values[name] = value.copy()
        if nudged and nudged[0] == name:
            values[name][nudged[1:]] += by
        return values[name]

    x, w_q, w_k, w_v, w_o, w_u = (keep(name, given[name]) for name in ("x", *PARAMETERS))
    q, k, v = keep("q", x @ w_q), keep("k", x @ w_k), keep("v", x @ w_v)
    scores = keep("scores", attention_forward(q, k, v).scores)
    weights = keep("weights", softmax_forward(scores, MASK))
    output = keep("output", keep("head", weights @ v) @ w_o)
    logits = keep("logits", output @ w_u)
    probabilities = keep("probabilities", softmax_forward(logits))
    return values, float(-np.log(probabilities[np.arange(LENGTH), TARGETS]).mean())


def one_step(given: Numbers) -> OneStep:
    """Return a forward and a backward pass; each step of the latter undoes one line of the former."""
    values, loss = forward(given)
    q, k, v, weights = (values[name] for name in ("q", "k", "v", "weights"))
    slopes: Numbers = {"probabilities": np.zeros((LENGTH, VOCABULARY))}
    rows = np.arange(LENGTH)
    # loss = -log(probabilities[rows, TARGETS]).mean()
    slopes["probabilities"][rows, TARGETS] = -1 / (LENGTH * values["probabilities"][rows, TARGETS])
    # probabilities = softmax(logits)
    slopes["logits"] = cross_entropy_backward(cross_entropy_forward(values["logits"], TARGETS)[1], 1 / LENGTH)
    # logits = output @ w_u
    slopes["output"] = slopes["logits"] @ values["w_u"].T
    slopes["w_u"] = values["output"].T @ slopes["logits"]
    # output = head @ w_o
    slopes["head"] = slopes["output"] @ values["w_o"].T
    slopes["w_o"] = values["head"].T @ slopes["output"]
    # head = weights @ v, weights = softmax(scores + mask), scores = q kᵀ / √K
    cache = AttentionCache(q, k, v, SCALES["scores"], values["scores"], MASK, weights, values["head"])
    slopes["weights"] = slopes["head"] @ v.T
    slopes["scores"] = softmax_backward(slopes["weights"].copy(), weights)
    slopes["q"], slopes["k"], slopes["v"] = attention_backward(slopes["head"], cache)
    # q, k, v = x @ w_q, x @ w_k, x @ w_v
    slopes["x"] = sum((slopes[name] @ values[f"w_{name}"].T for name in "qkv"), np.zeros_like(values["x"]))
    slopes |= {f"w_{name}": values["x"].T @ slopes[name] for name in "qkv"}
    return OneStep(values, slopes, loss)


def finite_difference(given: Numbers, cell: Entry, by: float = 1e-6) -> float:
    """Return how fast the loss rises with one number: the loss with it a little larger and smaller, compared."""
    return (forward(given, cell, by)[1] - forward(given, cell, -by)[1]) / (2 * by)


def factors(values: Numbers, cell: Entry) -> list[Term]:
    """Return the pairs of numbers whose products sum to a number, but for the scale; of an input none."""
    name, row, column = cell
    if name not in PRODUCTS:
        return []
    left, right = PRODUCTS[name]
    along = range(values[left].shape[1])
    return [((left, row, m), (right, column, m) if name == "scores" else (right, m, column)) for m in along]


def passed_on(values: Numbers, cell: Entry) -> list[Term]:
    """Return each number that was computed from this one by a product, and the other factor of that product."""
    outs = [(name, *place) for name in PRODUCTS for place in np.ndindex(values[name].shape)]
    pairs = [(out, pair) for out in outs for pair in factors(values, out) if cell in pair]
    return [(out, pair[pair[0] == cell]) for out, pair in pairs]


def after_step(given: Numbers, slopes: Numbers, eta: float) -> float:
    """Return the loss after one step of gradient descent: each parameter, less η times its slope."""
    moved = {name: array - eta * slopes[name] * (name in PARAMETERS) for name, array in given.items()}
    return cross_entropy_forward(forward(moved)[0]["logits"], TARGETS)[0]
