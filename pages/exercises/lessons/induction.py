"""Exercises on copying: the induction score of a head, and an induction head by hand."""

import numpy as np

from attention_core import causal_mask, softmax
from attention_core.arrays import Array
from attention_core.text.word_vectors import position_labels
from pages.exercises.exercise import Case, Exercise, Variant, one_each
from pages.exercises.lessons.parts import OWN, normal
from pages.exercises.texts import TEXTS

STRENGTH = 100.0


def diagonal_mean(weights: Array, n: int, back: int) -> Array:
    """Return the mean weight from the positions of the second half to those `back` before them."""
    queries = np.arange(n, 2 * n)
    return np.asarray(weights[queries, queries - back].mean())


def induction_score(weights: Array, n: int) -> Array:
    """Return the mean weight from each repeated token to the token that followed it the first time."""
    return diagonal_mean(weights, n, n - 1)


def repeated_maps(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return attention maps of causal heads over n tokens that are said twice; the first copies well."""
    maps = [softmax(np.where(causal_mask(2 * n), -np.inf, 2 * normal(rng, 2 * n, 2 * n))) for n in (3, 5, 4)]
    for query, weight in ((3, 0.7), (4, 0.8), (5, 0.9)):
        maps[0][query, : query + 1] = (1 - weight) / query
        maps[0][query, query - 2] = weight
    for map_ in maps:
        map_.round(3, out=map_)
        np.fill_diagonal(map_, (map_.diagonal() + 1 - map_.sum(axis=1)).round(3))
    return tuple(Case(f"length {len(map_)}", (map_, len(map_) // 2)) for map_ in maps)


SCORE_FAULTS = {
    "score_same": lambda weights, n: diagonal_mean(weights, n, n),
    "score_before": lambda weights, n: diagonal_mean(weights, n, 1),
    "score_self": lambda weights, n: diagonal_mean(weights, n, 0),
    "score_sum": lambda weights, n: n * diagonal_mean(weights, n, n - 1),
    "score_all": lambda weights, n: n * diagonal_mean(weights, n, n - 1) / len(weights),
    "score_transposed": lambda weights, n: diagonal_mean(weights.T, n, n - 1),
    "score_short": lambda weights, n: weights[np.arange(n, 2 * n - 1), np.arange(1, n)].mean(),
}


def attend(x: Array, w_q: Array, w_k: Array) -> Array:
    """Return the weights of a causal head without a scale."""
    return softmax(np.where(causal_mask(len(x)), -np.inf, x @ w_q @ (x @ w_k).T))


def induction_head(x: Array, n_tokens: int, *, fault: str = "") -> Array:
    """Return the map of a second head that finds what came after the last copy of each token."""
    width = x.shape[1]
    now, before = (np.eye(width)[:, start : start + n_tokens] for start in (0, n_tokens))
    place = np.eye(width)[:, 2 * n_tokens :]
    back = -1 if fault == "made_next" else 1
    first = attend(x, STRENGTH * place, np.eye(width) @ place @ np.eye(place.shape[1], k=back))
    stream = x.copy()
    stream[:, n_tokens : 2 * n_tokens] = first @ x[:, :n_tokens]
    wrong = {"made_same": (now, now), "made_swapped": (before, now), "made_before": (before, before)}
    query, key = wrong.get(fault, (now, before))
    return first if fault == "made_first" else attend(stream, STRENGTH * query, key)


def stream_of(ids: Array, n_tokens: int) -> Array:
    """Return rows that hold a token, room for the token before, and a position; token 0 stands before the text."""
    length = len(ids) + 1
    return np.hstack([np.eye(n_tokens)[[0, *ids]], np.zeros((length, n_tokens)), np.eye(length)])


def texts(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return texts of a world of tokens, in which tokens return."""
    found = [np.array([1, 2, 1]), *(np.tile(1 + rng.permutation(n - 1)[:half], 2) for n, half in ((5, 3), (12, 4)))]
    sizes = zip(found, (3, 5, 12), strict=True)
    return tuple(Case(f"length {len(ids)}, {n} tokens", (stream_of(ids, n), n)) for ids, n in sizes)


def own_text(words: list[str], d_model: int, n_heads: int) -> Case:
    """Return the test on a student's own words, each a token of its own."""
    kinds = list(dict.fromkeys(words))
    labels, ids = ("start", *position_labels(words)), np.array([1 + kinds.index(word) for word in words])
    return Case(OWN, (stream_of(ids, 1 + len(kinds)), 1 + len(kinds)), rows=labels, columns=labels)


INDUCTION_SCORE = Exercise(
    **TEXTS["induction_score"],
    reference=induction_score,
    cases=repeated_maps,
    variants=tuple(Variant((name,), function) for name, function in SCORE_FAULTS.items()),
)
INDUCTION_HEAD = Exercise(
    **TEXTS["induction_head"],
    reference=induction_head,
    cases=texts,
    variants=one_each(induction_head, ("made_next", "made_same", "made_swapped", "made_before", "made_first")),
    weights=True,
    own=own_text,
)
