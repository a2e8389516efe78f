"""Recall by two heads: scores as counted by hand, heads switched off, and which of it the shipped models do."""

import numpy as np
import pytest

from attention_core.experiments.inside import induction
from attention_core.model.forward import attention_weights, logits
from attention_core.shipped.models import model_at
from attention_core.text.corpora import HELD_OUT
from attention_core.text.recall_task import recall_accuracy, recall_targets

ROWS = induction.recall_rows(16, 32, HELD_OUT)


@pytest.mark.parametrize("seed", range(40))
def test_a_prompt_ends_on_a_letter_whose_digit_does_not_stand_beside_it(seed):
    row = induction.recall_prompt(seed, 24)
    asked = recall_targets(row)
    assert asked.answerable[-1]
    assert row[-1] < 10
    assert 9 <= len(row) <= 24
    asks = [place for place in range(8, len(row)) if asked.answerable[place] and row[place - 2] != row[place]]
    assert asks in ([], [len(row) - 1])
    assert row[-3] != row[-1]


def test_scores_are_means_over_letters_seen_before_and_over_digits():
    model = model_at("recall", 175)
    inputs = ROWS[:, :-1]
    found = induction.copy_scores(model, ROWS)
    answers, letters = [], []
    for row in inputs:
        weights = attention_weights(model, row)
        for place in range(len(row)):
            if place % 2:
                letters.append(weights[:, :, place, place - 1])
            elif row[place] in row[:place:2]:
                keys = [other + 1 for other in range(0, place, 2) if row[other] == row[place]]
                answers.append(weights[:, :, place, keys].sum(axis=-1))
    np.testing.assert_allclose(found.answer, np.mean(answers, axis=0), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(found.letter, np.mean(letters, axis=0), rtol=1e-4, atol=1e-6)
    assert found.accuracy == recall_accuracy(logits(model, inputs), ROWS)


def test_accuracies_without_each_head_are_those_of_each_model():
    model = model_at("recall", 175)
    table = induction.accuracy_by_ablated_head(model, ROWS)
    for layer, head in np.ndindex(2, 4):
        assert table[layer, head] == induction.accuracy_without_heads(model, ROWS, [4 * layer + head])
