"""Attention with its parts exchanged: what the known mistakes compute, one at a time or two together."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import combinations

import numpy as np

from attention_core.arrays import Array
from pages.exercises.exercise import Variant

FILLS: dict[str, Callable[..., Array]] = {
    "infinite": lambda s, blocked: np.where(blocked, -np.inf, s),
    "added": lambda s, blocked: s - 1e9 * blocked,  # a row without a key left is as if nothing were blocked
    "replaced": lambda s, blocked: np.where(blocked, -1e9, s),  # in such a row all keys get the same weight
}
SCALES: dict[str, Callable[..., float]] = {
    "right": lambda q, k, v: 1 / np.sqrt(k.shape[-1]),
    "no_scale": lambda q, k, v: 1.0,
    "scale_no_sqrt": lambda q, k, v: 1 / k.shape[-1],
    "scale_dv": lambda q, k, v: 1 / np.sqrt(v.shape[-1]),
    "scale_n": lambda q, k, v: 1 / np.sqrt(k.shape[-2]),
    "scale_nq": lambda q, k, v: 1 / np.sqrt(q.shape[-2]),
    "scale_size": lambda q, k, v: 1 / np.sqrt(k.size),
    "scale_times": lambda q, k, v: np.sqrt(k.shape[-1]),
    "scale_after": lambda q, k, v: 1.0,
}
PRODUCTS: dict[str, Callable[..., Array]] = {
    "right": lambda q, k, v: q @ k.mT,
    "prod_KQt": lambda q, k, v: k @ q.mT,
    "prod_QtK": lambda q, k, v: q.mT @ k,
    "prod_QQt": lambda q, k, v: q @ q.mT,
    "prod_KKt": lambda q, k, v: k @ k.mT,
    "prod_QVt": lambda q, k, v: q @ v.mT,
    "no_transpose": lambda q, k, v: q @ k,
    "star_scores": lambda q, k, v: q * k,
    "star_scores/transposed": lambda q, k, v: q * k.mT,
}
NORMS: dict[str, Callable[..., Array]] = {
    "right": lambda s: softmax_over(s, -1),
    "softmax_axis0": lambda s: softmax_over(s, -2),
    "softmax_all": lambda s: softmax_over(s, None),
    "no_softmax": lambda s: s,
    "norm_l1": lambda s: normalise(s),
    "norm_before": lambda s: np.exp(s / s.sum(axis=-1, keepdims=True)),
    "shift_after": lambda s: normalise(np.exp(s) - s.max(axis=-1, keepdims=True)),
    "shift_all": lambda s: normalise(np.exp(s - s.max())),
    "shift_axis0": lambda s: normalise(np.exp(s - s.max(axis=-2, keepdims=True))),
    "exp_only": np.exp,
    "no_keepdims": lambda s: powers(s) / powers(s).sum(axis=-1),
    "no_keepdims/head by head": lambda s: powers(s) / powers(s).sum(axis=-1)[..., None, :],
    "no_keepdims/largest": lambda s: normalise(np.exp(s - s.max(axis=-1))),
    "no_keepdims/both": lambda s: np.exp(s - s.max(axis=-1)) / np.exp(s - s.max(axis=-1)).sum(axis=-1),
    "sigmoid": lambda s: 1 / (1 + np.exp(-s)),
}
OUTPUTS: dict[str, Callable[..., Array]] = {
    "right": lambda w, s, k, v: w @ v,
    "out_wK": lambda w, s, k, v: w @ k,
    "out_wtV": lambda w, s, k, v: w.mT @ v,
    "out_transposed": lambda w, s, k, v: (w @ v).mT,
    "out_weights": lambda w, s, k, v: w,
    "out_scores": lambda w, s, k, v: s,
    "softmax_late": lambda w, s, k, v: softmax_over(s @ v, -1),
    "star_output": lambda w, s, k, v: w * v,
    "out_vw": lambda w, s, k, v: v @ w,
    "hard_choice": lambda w, s, k, v: np.take_along_axis(v, w.argmax(axis=-1)[..., None], axis=-2),
    "hard_choice/columns": lambda w, s, k, v: np.take_along_axis(v, w.argmax(axis=-2)[..., None], axis=-2),
    "hard_choice/ties": lambda w, s, k, v: (w == w.max(axis=-1, keepdims=True)) @ v,
}
MASKS: dict[str, Callable[..., Array]] = {
    "right": lambda s, fill: FILLS[fill](s, later(s)),
    "mask_missing": lambda s, fill: s,
    "mask_post": lambda s, fill: s,
    "mask_zero": lambda s, fill: np.where(later(s), 0.0, s),
    "mask_zero/past": lambda s, fill: np.where(later(s), s, 0.0),
    "mask_flipped": lambda s, fill: FILLS[fill](s, later(s).mT),
    "mask_flipped_strict": lambda s, fill: FILLS[fill](s, ~later(s)),
    "mask_strict": lambda s, fill: FILLS[fill](s, ~later(s).mT),
    "mask_late": lambda s, fill: FILLS[fill](s, later(s, 2)),
    "mask_minus1": lambda s, fill: s - later(s),
}
FILLED = {"mask_flipped_strict", "mask_strict", "softmax_late", "out_scores"}  # here it matters which number masks


def softmax_over(scores: Array, axis: int | None) -> Array:
    """Return the softmax along an axis, or over all numbers at once."""
    e = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def powers(scores: Array) -> Array:
    """Return the exponentials of the scores, the largest of each row 1."""
    return np.exp(scores - scores.max(axis=-1, keepdims=True))


def normalise(numbers: Array) -> Array:
    """Return each row divided by its sum."""
    return numbers / numbers.sum(axis=-1, keepdims=True)


def later(scores: Array, offset: int = 1) -> Array:
    """Return the mask of the keys that are `offset` or more positions after the query."""
    return np.triu(np.ones(scores.shape, dtype=bool), k=offset)


def wrong_scores(q: Array, k: Array, *, scale: str = "right", product: str = "right", more: str = "right") -> Array:
    scores = PRODUCTS[product](q, k, k) * SCALES[scale](q, k, k)
    return scores if more == "right" else softmax_over(scores, -1)


def wrong_attention(
    q: Array,
    k: Array,
    v: Array,
    *,
    scale: str = "right",
    product: str = "right",
    norm: str = "right",
    output: str = "right",
    mask: str | None = None,
    fill: str = "infinite",
) -> Array:
    """Return attention computed in one of the wrong ways; without a mask if it is None."""
    scores = PRODUCTS[product](q, k, v) * SCALES[scale](q, k, v)
    masked = scores if mask is None else MASKS[mask](scores, fill)
    weights = NORMS[norm](masked)
    if mask == "mask_post":
        weights = np.where(later(weights), 0.0, weights)
    if scale == "scale_after":
        weights = weights / np.sqrt(k.shape[-1])
    return OUTPUTS[output](weights, masked, k, v)


def wrong_weights(q: Array, k: Array, *, transposed: str = "right", **choices: str) -> Array:
    weights = wrong_attention(q, k, k, output="out_weights", **choices)
    return weights.T if transposed == "out_transposed" else weights


def variants(
    function: Callable[..., Array], groups: Mapping[str, Iterable[str]], at_once: int = 2, **fixed: str
) -> tuple[Variant, ...]:
    """Return the variants with one fault, then those with two from different groups, if so many may come `at_once`.

    A mistake that can be made in several ways has them all, named after it with a slash.
    """
    faults = [(group, name) for group, names in groups.items() for name in names if name != "right"]
    fills = [{"fill": fill} for fill in FILLS] if "mask" in groups else [{}]
    pairs = [pair for pair in combinations(faults, 2) if pair[0][0] != pair[1][0] and at_once == 2]
    return tuple(
        Variant(tuple(name.partition("/")[0] for _, name in chosen), partial(function, **(fixed | dict(chosen) | more)))
        for chosen in [*((fault,) for fault in faults), *pairs]
        for more in (fills if FILLED & {name for _, name in chosen} else fills[:1])
    )
