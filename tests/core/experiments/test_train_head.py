"""A small head in training: its gradient, its repeatability, and what dividing does for it."""

import math

import numpy as np
import pytest

from attention_core.experiments.qkv.one_head import random_head
from attention_core.experiments.scaling.train_head import (
    GRID,
    SMALL_WIDTH,
    attend_to_previous,
    head_gradient,
    train_head,
)
from attention_core.experiments.scaling.untrained_row import untrained_words
from tests.core.gradients import assert_gradient, drawer

WORDS = ("the", "cat", "saw", "the", "old", "dog", "sleep")


def small_head():
    """Return a small head, and of a matrix by its name the loss as a function."""
    draw = drawer(3)
    given = {"x": draw(5, 3), "w_q": draw(3, 2), "w_k": draw(3, 2), "by": 1.7, "goal": attend_to_previous(5)}
    return given, lambda name: lambda matrix: np.array([head_gradient(**{**given, name: matrix}).loss])


@pytest.mark.parametrize("name", ["w_q", "w_k"])
def test_the_gradients_of_the_matrices_are_central_differences(name):
    given, loss = small_head()
    assert_gradient(loss(name), given[name], np.ones(1), getattr(head_gradient(**given), name))


def test_the_goal_is_the_word_before_and_for_the_first_itself():
    np.testing.assert_array_equal(attend_to_previous(3), [[1, 0, 0], [1, 0, 0], [0, 1, 0]])


def test_a_step_goes_against_the_gradient():
    x, goal, by = untrained_words(WORDS, SMALL_WIDTH, 2), attend_to_previous(7), math.sqrt(13)
    head = random_head(SMALL_WIDTH, 13, 2)
    first = head_gradient(x, head.w_q, head.w_k, by, goal)
    moved = (head.w_q - 0.5 * first.w_q, head.w_k - 0.5 * first.w_k)
    second = head_gradient(x, *(np.round(w / GRID) * GRID for w in moved), by, goal)
    run = train_head(WORDS, 13, "√d_k", 0.5, 3, 2)
    np.testing.assert_allclose(run.weights[1], second.weights, rtol=1e-10)


@pytest.mark.parametrize(("d_k", "rate"), [(1, 1.0), (16, 1.0)])
def test_a_training_that_jumps_is_the_same_however_a_processor_rounds(d_k, rate, monkeypatch):
    def shaken(*arguments):
        words = untrained_words(*arguments)
        return words * (1 + 1e-15 * np.random.default_rng(1).choice([-1, 1], words.shape))

    usual = train_head(WORDS, d_k, "nothing", rate, 300, 2)
    monkeypatch.setattr(f"{train_head.__module__}.untrained_words", shaken)
    other = train_head(WORDS, d_k, "nothing", rate, 300, 2)
    np.testing.assert_allclose(other.loss, usual.loss, atol=1e-9)
