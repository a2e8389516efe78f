"""Heads over many texts: examples of a pattern from the strongest to the weakest."""

import numpy as np
import pytest

import attention_core as core
from attention_core.experiments.inside.head_jobs import (
    JobExamples,
    decile_examples,
    example_weights,
    job_examples,
)
from attention_core.model.forward import attention_weights
from tests.core.gradients import drawer

V, D, H, L, M, B, T = 7, 12, 3, 2, 11, 5, 9
ROWS = np.random.default_rng(2).integers(V, size=(B, T))


def made(**kind):
    model = core.init_model(core.Config(V, D, H, L, M, **{"d_ff": 13} | kind), seed=3, dtype=np.float64)
    model.flat[:] += 0.3 * drawer(5, np.float64)(model.flat.size)
    return model


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("pattern", ["previous", "same", "first", "self", "induction"])
def test_examples_are_all_queries_with_a_target_in_order(pattern, causal):
    model = made(causal=causal)
    weights = attention_weights(model, ROWS)[:, 1, 2]
    expected, everything = {}, np.zeros((B, T))
    for row, query in np.ndindex(B, T):
        if causal and not query:
            continue  # a single key is no choice
        text = ROWS[row]
        keys = {
            "previous": [query - 1] if query else [],
            "same": [k for k in range(T) if k != query and text[k] == text[query]],
            "first": [0] if query else [],
            "self": [query],
            "induction": [k for k in range(1, query) if text[k - 1] == text[query]],
        }[pattern]
        keys = [k for k in keys if k <= query or not causal]
        if keys:
            expected[row, query] = everything[row, query] = weights[row, query, keys].sum()
    found = job_examples(model, ROWS, 1, 2, pattern)
    places = list(zip(found.texts.tolist(), found.queries.tolist(), strict=True))
    assert set(places) == set(expected)
    np.testing.assert_allclose(found.weights, [expected[place] for place in places])
    assert (np.diff(found.weights) <= 0).all()
    by_text = everything[:, 1:].mean(axis=1) if causal else everything.mean(axis=1)
    assert found.explained == pytest.approx(by_text.mean())
    assert found.have == pytest.approx(len(expected) / (B * (T - 1 if causal else T)))
    assert found.explained == pytest.approx(found.have * found.weights.mean())
    assert found.mostly == pytest.approx((by_text > 0.5).mean())
    chosen = decile_examples(found, 0)
    for place, row in zip(chosen, example_weights(model, ROWS, 1, 2, found, chosen), strict=True):
        np.testing.assert_allclose(row, weights[found.texts[place], found.queries[place]])
    np.testing.assert_allclose(
        found.deciles, [part.mean() for part in np.array_split(found.weights, len(found.deciles))]
    )


def test_examples_of_a_decile_are_its_strongest_middle_and_weakest():
    weights = np.arange(97, 0, -1) / 97
    found = JobExamples(np.arange(97), np.arange(97), weights, np.zeros(10), 0.0, 0.0, 0.0)
    assert decile_examples(found, 0).tolist() == [0, 4, 9]
    assert decile_examples(found, 9).tolist() == [88, 92, 96]
    assert decile_examples(found, 9, 1).tolist() == [88]
