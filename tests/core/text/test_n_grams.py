"""N-gram models: their probabilities are those of a plain loop over the definition, and they write as a model does."""

from collections import Counter

import numpy as np
import pytest

from attention_core.shipped.models import baselines_of, curve_of
from attention_core.shipped.plans import MODELS
from attention_core.text.corpora import baseline_losses, source_of
from attention_core.text.n_grams import ORDER, count_n_grams, target_probabilities

RNG = np.random.default_rng(0)
V, ROWS, T = 5, 7, 11
TEXT = RNG.integers(V - 1, size=(ROWS, T + 1))  # the last token never comes
TESTED = RNG.integers(V, size=(3, T + 1))
COUNTED = RNG.random((ROWS, T)) < 0.6
every_choice = pytest.mark.parametrize("counted", [None, COUNTED], ids=["all", "some"])


def reference(rows, counted, order, context, token):
    """Return p(token | context) by the rule of Witten and Bell, one n-gram at a time."""
    probability = 1 / V
    for n in range(1, order + 1):
        if n - 1 > len(context):
            break
        history = tuple(context[len(context) - n + 1 :])
        after = Counter()
        for row, which in zip(rows, counted, strict=True):
            for target in range(1, len(row)):
                if which[target - 1] and target >= n - 1 and tuple(row[target - n + 1 : target]) == history:
                    after[row[target]] += 1
        if after:
            probability = (after[token] + len(after) * probability) / (after.total() + len(after))
    return probability


@every_choice
def test_each_probability_is_that_of_the_definition(counted):
    grams = count_n_grams(TEXT, V, counted)
    which = np.ones((ROWS, T), bool) if counted is None else counted
    found = target_probabilities(grams, TESTED)
    for order in range(ORDER + 1):
        expected = [
            [reference(TEXT.tolist(), which, order, row[:target], row[target]) for target in range(1, T + 1)]
            for row in TESTED.tolist()
        ]
        np.testing.assert_allclose(found[order], expected, rtol=1e-12)
        for length in range(1, T + 1):  # what comes later changes nothing
            np.testing.assert_array_equal(
                target_probabilities(grams, TESTED[:, : length + 1])[order], found[order][:, :length]
            )


@pytest.mark.parametrize("name", [name for name, shipped in MODELS.items() if name == shipped.source])
def test_a_finished_model_is_below_every_rung_of_the_ladder(name):
    shipped = MODELS[name]
    losses = baseline_losses(source_of(shipped.source), shipped.plan.config.max_len)
    assert losses.uniform == pytest.approx(np.log(len(source_of(shipped.source).vocabulary)))
    assert baselines_of(name) == pytest.approx(losses)
    assert min(losses) > curve_of(name).tested[-1] + 0.2
    assert losses.uniform > losses.unigram > losses.trigram
