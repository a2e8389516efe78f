"""train: two heads from one start, their losses, and the row of a word at a step."""

from functools import partial

import numpy as np
import pytest

from attention_core.experiments.scaling.train_head import loss_along_entry, train_head
from pages.scaling.scene import SENTENCE
from pages.scaling.train import EVERY, N_STEPS, NAMED, NUDGES, n_right
from tests.app.scaling.scene import ASKS, SEED, close, line, step
from tests.app.visits import press, reveal, sent, shared, visit

show = partial(step, "scaling", "train")


def run(named, d_k=256, rate=0.3, seed=SEED):
    return train_head(SENTENCE, d_k, named, rate, N_STEPS, seed)


@pytest.mark.parametrize("at", [0, 35, 300])
def test_the_bars_are_the_row_of_the_word_at_each_step(at):
    app = reveal(visit("scaling", step="train", train_step=str(at)))
    data = sent(app, "attention_moving_bars")
    assert data["sliders"][0]["stops"][data["sliders"][0]["at"]] == str(at)
    assert data["marked"] == ASKS - 1
    for named, panel, chart in zip(NAMED, data["panels"], show(train_step=at).charts[1:3], strict=True):
        head = run(named)
        np.testing.assert_allclose(panel["frames"], head.weights[::EVERY, ASKS], atol=5.1e-5)  # four digits are sent
        close(chart.data["value"], head.weights[at, ASKS])


@pytest.mark.parametrize("seed", [0, 1, SEED])
def test_the_head_that_divides_learns_and_the_other_does_not(seed):
    divided, undivided = run("√d_k", seed=seed), run("nothing", seed=seed)
    assert n_right(undivided) < n_right(divided) == len(SENTENCE)
    assert divided.loss[-1] < 0.05 < 0.5 < undivided.loss[-1]


def test_what_an_answer_tells_is_then_shown():
    app = press(reveal(visit("scaling", step="train", train_d_k="512")), "scaling_learns_again")
    assert shared(reveal(app))["scaling_train_d_k"] == "4"


@pytest.mark.parametrize("d_k", [4, 8])
def test_only_wide_keys_need_the_division(d_k):
    assert n_right(run("nothing", d_k)) == len(SENTENCE)


def test_the_slope_that_is_drawn_is_the_derivative_of_the_loss():
    along = loss_along_entry(SENTENCE, 256, "√d_k", SEED, np.array([-1e-4, 0.0, 1e-4]))
    assert along.loss[1] == run("√d_k").loss[0]
    np.testing.assert_allclose((along.loss[2] - along.loss[0]) / 2e-4, along.slope, rtol=1e-5)
    drawn = show().charts[-1]
    close(line(drawn, "loss"), loss_along_entry(SENTENCE, 256, "√d_k", SEED, NUDGES).loss)
    close(np.diff(line(drawn, "slope")) / np.diff(NUDGES), along.slope)
