"""Down the gradient: what is shown of it is the gradient of training, and steps and nudges are really taken."""

import numpy as np
import pytest

import attention_core as core
from attention_core.experiments.language.gradient_step import line_search
from attention_core.experiments.language.text_loss import examples
from tests.core.gradients import moved_model

V, D, H, L, M, F = 11, 12, 3, 2, 7, 13


def made(dtype=np.float64, **kind):
    return moved_model(core.Config(V, D, H, L, M, **{"d_ff": F} | kind), dtype)


def drawn():
    return np.array([2, 7, 1, 7, 3, 5])


def test_a_step_is_taken_down_the_gradient():
    model, text = made(), drawn()
    _, gradients = core.loss_and_gradients(model, text[:-1], text[1:])
    sizes = [0.0, 0.01, 3.0]
    found = line_search(model, text[:-1], text[1:], sizes)
    for size, loss in zip(sizes, found, strict=True):
        moved = core.Model.of(model.config, model.flat.copy())
        for name, array in core.named_arrays(moved).items():
            array -= size * gradients[name]
        assert loss == pytest.approx(examples(moved, text).mean, rel=1e-12)
    assert found[0] == pytest.approx(examples(model, text).mean, rel=1e-12)
    assert found[1] < found[0]


def test_a_step_that_overflows_costs_endlessly_much():
    model = made(np.float32, activation="relu")
    model.flat[:] *= 1e4
    found = line_search(model, drawn()[:-1], drawn()[1:], [0.0, 1e25])
    assert np.isfinite(found[0])
    assert found[1] == np.inf
