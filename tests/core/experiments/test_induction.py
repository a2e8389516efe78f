"""Recall by two heads: scores as counted by hand, heads switched off, and which of it the shipped models do."""

import numpy as np
import pytest

from attention_core.experiments.inside.induction import (
    accuracy_by_ablated_head,
    accuracy_without,
    accuracy_without_heads,
    copy_scores,
    recall_prompt,
    recall_rows,
    without_heads,
)
from attention_core.model.config import Config
from attention_core.model.forward import attention_weights, logits
from attention_core.model.parameters import init_model
from attention_core.shipped.models import model_at
from attention_core.text.corpora import HELD_OUT
from attention_core.text.recall_task import recall_accuracy, recall_targets

ROWS = recall_rows(16, 32, HELD_OUT)


@pytest.mark.parametrize("seed", range(40))
def test_a_prompt_ends_on_a_letter_whose_digit_does_not_stand_beside_it(seed):
    row = recall_prompt(seed, 24)
    asked = recall_targets(row)
    assert asked.answerable[-1]
    assert row[-1] < 10
    assert 9 <= len(row) <= 24
    assert row[-3] != row[-1]


def test_scores_are_means_over_letters_seen_before_and_over_digits():
    model = model_at("recall", 175)
    inputs = ROWS[:, :-1]
    found = copy_scores(model, ROWS)
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


def test_a_head_that_is_off_writes_nothing_and_nothing_else_is_changed():
    model = init_model(Config(20, 12, 3, 2, 32), 2)
    other = without_heads(model, [4])
    np.testing.assert_array_equal(other.parameters.blocks[1].attention.w_o[4:8], 0)
    changed = np.flatnonzero(other.flat != model.flat)
    assert len(changed) == 4 * 12
    np.testing.assert_array_equal(without_heads(model, []).flat, model.flat)


def test_accuracies_without_each_head_are_those_of_each_model():
    model = model_at("recall", 175)
    table = accuracy_by_ablated_head(model, ROWS)
    for layer, head in np.ndindex(2, 4):
        assert table[layer, head] == accuracy_without(model, ROWS, layer, head)
        assert table[layer, head] == accuracy_without_heads(model, ROWS, [4 * layer + head])


def test_the_shipped_model_recalls_by_a_head_that_looks_at_letters_and_heads_that_look_at_answers():
    rows = recall_rows(64, 32, HELD_OUT)
    first, last = (copy_scores(model_at("recall", step), rows) for step in (0, 700))
    assert first.accuracy < 0.1 < 0.95 < last.accuracy
    assert first.answer.max() < 0.2 < 0.9 < last.answer.max()
    assert last.answer.argmax() >= 4  # in the second layer
    assert last.letter.argmax() < 4  # in the first
    without = accuracy_by_ablated_head(model_at("recall"), rows)
    assert without.argmin() == last.letter.argmax()
    both = np.flatnonzero(last.answer.ravel() > 0.5)
    assert accuracy_without_heads(model_at("recall"), rows, both) < 0.3 < 0.9 < without.ravel()[both].min()
