"""The next token with one fault: what the known mistakes of sampling choose."""

from collections.abc import Callable
from functools import partial

import numpy as np

from attention_core.arrays import Array
from pages.exercises.exercise import Variant

KEPT: dict[str, Callable[[Array, int], Array]] = {  # of the ids, the most likely first, and top_k
    "right": lambda order, k: order[:k],
    "no_top_k": lambda order, k: order,
    "one_too_many": lambda order, k: order[: k + 1],
    "in_order_of_ids": lambda order, k: np.sort(order[:k]),
    "in_order_of_ids no_top_k": lambda order, k: np.sort(order),
    "least_first": lambda order, k: order[:k][::-1],
    "least_kept": lambda order, k: order[-k:][::-1],
    "least_kept/largest of them first": lambda order, k: order[-k:],
    "least_kept/all others": lambda order, k: order[k:][::-1],
}
SCALED: dict[str, Callable[[Array, float], Array]] = {
    "right": lambda logits, temperature: logits / temperature,
    "no_temperature": lambda logits, temperature: logits,
    "times_temperature": lambda logits, temperature: logits * temperature,
}
RANKS: dict[str, Callable[[int, int], int]] = {  # of the right rank and the last one
    "right": lambda rank, last: rank,
    "always_likeliest": lambda rank, last: 0,
    "next_rank": lambda rank, last: min(rank + 1, last),
}
SUMS = ("not_renormalised", "not_renormalised/argmax", "temperature_after")  # that do not end at 1
SEEDS = (0, 1, 42)  # those that people choose
FIXED = {  # the random number of those who seed a generator of their own
    f"own_random/{name} {seed}": float(make(seed).random())
    for name, make in (("default_rng", np.random.default_rng), ("RandomState", np.random.RandomState))
    for seed in SEEDS
}


def wrong_token(logits: Array, temperature: float, top_k: int, u: float, *, fault: str) -> Array:
    scaled = SCALED.get(fault, SCALED["right"])(logits, temperature)
    order = KEPT.get(fault, KEPT["right"])(np.argsort(-scaled, kind="stable"), top_k)
    late = fault == "temperature_after"
    exponentials = np.exp(logits - logits.max() if late else scaled - scaled.max())
    probabilities = exponentials / exponentials.sum() / (temperature if late else 1.0)
    sums = probabilities[order].cumsum()
    if fault not in SUMS:
        sums = sums / sums[-1]
    rank, last = int(np.searchsorted(sums, FIXED.get(fault, u), side="right")), len(order) - 1
    if rank > last:  # never passed: a search ends at the last, argmax at the first
        rank = 0 if fault == "not_renormalised/argmax" else last
    rank = RANKS.get(fault, RANKS["right"])(rank, last)
    return np.array(rank if fault == "returned_rank" else order[rank])


FAULTS = (*SCALED, *KEPT, *RANKS, *SUMS, "returned_rank", *FIXED)
VARIANTS = tuple(
    Variant(tuple(fault.partition("/")[0].split()), partial(wrong_token, fault=fault))
    for fault in sorted(FAULTS, key=lambda fault: len(fault.partition("/")[0].split()))
    if fault != "right"
)
