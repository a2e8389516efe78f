"""A head over many texts: how much of its weight its clearest pattern explains."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention_core.arrays import Array
from attention_core.experiments.inside.head_patterns import pattern_targets
from attention_core.model.forward import attention_weights
from attention_core.model.parameters import Model

DECILES = 10


class JobExamples(NamedTuple):
    """All queries over many texts that have a choice of keys and a key of one pattern, strongest weight first."""

    texts: NDArray[np.intp]  # (N,), the row of each query
    queries: NDArray[np.intp]  # (N,), its position
    weights: Array  # (N,), on the keys of the pattern
    deciles: Array  # mean weight of each tenth of the queries, the strongest first; fewer for fewer than ten queries
    have: float  # fraction of the queries with a choice that have such a key
    explained: float  # fraction of the head's weight on such keys, over all queries with a choice
    mostly: float  # fraction of texts in which that is more than half


def job_examples(model: Model, rows: Array, layer: int, head: int, pattern: str) -> JobExamples:
    """Return every query over sequences (B, T) with a key of a pattern, by the weight that a head gives it."""
    tokens = np.asarray(rows)
    targets = pattern_targets(tokens, model.config.causal)
    weights = attention_weights(model, tokens)[:, layer, head]  # (B, T, T)
    on_target = (weights * targets[pattern]).sum(axis=-1, dtype=np.float64)  # (B, T)
    choice = 1 if model.config.causal or tokens.shape[1] == 1 else 0  # the first query that has one
    texts, queries = np.nonzero(targets[pattern][:, choice:].any(axis=-1))
    queries += choice
    order = np.argsort(-on_target[texts, queries], kind="stable")
    texts, queries = texts[order], queries[order]
    strongest = on_target[texts, queries]
    n_queries = tokens.shape[1] - choice
    by_text = on_target[:, choice:].sum(axis=1) / max(1, n_queries)
    groups = np.array_split(strongest, max(1, min(DECILES, len(strongest))))
    return JobExamples(
        texts=texts,
        queries=queries,
        weights=strongest,
        deciles=np.array([group.mean() for group in groups if group.size]),
        have=len(strongest) / max(1, n_queries * len(tokens)),
        explained=float(by_text.mean()),
        mostly=float((by_text > 0.5).mean()),
    )


def decile_examples(found: JobExamples, decile: int, most: int = 3) -> NDArray[np.intp]:
    """Return the indices of a few examples of a decile, evenly over it: from the strongest 0 to the weakest."""
    places = np.array_split(np.arange(len(found.weights)), max(1, len(found.deciles)))[decile]
    chosen = np.linspace(0, max(0, len(places) - 1), min(most, len(places))).round()
    return places[chosen.astype(np.intp)]


def example_weights(
    model: Model, rows: Array, layer: int, head: int, found: JobExamples, places: NDArray[np.intp]
) -> Array:
    """Return what the queries of some examples attend to in one head (N, T)."""
    texts = np.asarray(rows)[found.texts[places]]
    weights = attention_weights(model, texts)
    return np.asarray(weights[np.arange(len(places)), layer, head, found.queries[places]])
