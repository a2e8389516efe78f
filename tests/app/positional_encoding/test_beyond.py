"""beyond: the losses of models that read more than they were trained on."""

from functools import partial

import numpy as np
import pytest

from attention_core.experiments.positions.beyond import LONG, TRAINED, losses_beyond
from pages.positional_encoding.beyond import STEP
from tests.app.positional_encoding.scene import close, line
from tests.app.steps import step

show = partial(step, "positional_encoding", "beyond")


@pytest.mark.parametrize("kind", ["sinusoidal", "learned", "RoPE", "ALiBi", "none", LONG])
def test_a_line_is_the_mean_of_the_runs_over_four_positions(kind):
    x, loss = line(show(read=40), kind)
    close(loss, losses_beyond()[kind].mean(axis=0).reshape(16, 4).mean(axis=1)[:10])
    close(x, np.arange(10) * 4 + 1.5)


def test_before_the_answer_no_line_goes_beyond_the_training():
    seen = show(unanswered="all")
    assert all(line(seen, kind)[0].max() < TRAINED for kind in losses_beyond())


def test_no_loss_of_0_is_promised_where_the_best_model_has_a_larger_one():
    assert min(losses[:, :TRAINED].mean() for losses in losses_beyond().values()) > 1
    assert "0" not in STEP.text.split("**loss**")[1]
