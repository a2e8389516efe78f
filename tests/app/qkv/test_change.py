"""change: what else changes when one number is changed."""

from functools import partial

import numpy as np
import pytest

from tests.app.steps import step
from tests.app.visits import charts, heatmap

show = partial(step, "qkv", "change", weights="random")
CHANGED = ("X", "Q", "K", "V", "weights", "output")


def changed_charts(app):
    """Return the pictures of what a change of one number has moved, by name, and which cells are outlined."""
    last = charts(app)[-len(CHANGED) :]
    outlined = {
        name: chart.data["moved"].to_numpy().reshape(heatmap(chart).values.shape)
        for name, chart in zip(CHANGED, last, strict=True)
    }
    return {name: heatmap(chart).values for name, chart in zip(CHANGED, last, strict=True)}, outlined


@pytest.mark.parametrize("job", ["pronoun to noun", "adjective to noun", "previous word"])
def test_the_first_change_of_a_hand_made_head_moves_more_than_x(job):
    sentence = "the cat sat on the warm mat and it meowed"
    _, outlined = changed_charts(show(change="X", weights="hand-made", job=job, text=sentence))
    assert np.argwhere(outlined["X"])[:, 0].tolist() == [3]
    assert any(outlined[name].any() for name in "QKV")
