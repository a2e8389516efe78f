"""change: what else changes when one number is changed."""

from functools import partial

import numpy as np
import pytest

from attention_core.experiments.qkv.one_head import HeadMatrices
from attention_core.text.characters import split_words
from tests.app.qkv.scene import SENTENCE, close, columns, computed, computed_from, each_kind
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


@each_kind
@pytest.mark.parametrize("matrix", ["X", "W_Q", "W_K", "W_V"])
def test_changing_one_number_moves_what_plain_numpy_says(link, matrix):
    before = computed(**link)
    row = "sat" if matrix == "X" else columns("x", link)[2]
    column = columns("x" if matrix == "X" else matrix[-1].lower(), link)[1]
    app = show(change=matrix, change_row=row, change_column=column, change_by="-1.5", **link)
    seen, outlined = changed_charts(app)
    parts = {"X": before.x.copy(), **{f"W_{name}": m.copy() for name, m in zip("QKV", before.head, strict=True)}}
    parts[matrix][2, 1] -= 1.5
    after = computed_from(
        split_words(SENTENCE), parts["X"], HeadMatrices(*(parts[f"W_{name}"] for name in "QKV")), before.mask
    )
    pairs = dict(zip(CHANGED, ("x", "q", "k", "v", "softmax", "mix"), strict=True))
    for name, field in pairs.items():
        close(seen[name], getattr(after, field))
        difference = np.abs(getattr(after, field) - getattr(before, field))
        assert outlined[name][difference > 1e-6].all()
        assert not outlined[name][difference < 1e-12].any()


@pytest.mark.parametrize("job", ["pronoun to noun", "adjective to noun", "previous word"])
def test_the_first_change_of_a_hand_made_head_moves_more_than_x(job):
    sentence = "the cat sat on the warm mat and it meowed"
    _, outlined = changed_charts(show(change="X", weights="hand-made", job=job, text=sentence))
    assert np.argwhere(outlined["X"])[:, 0].tolist() == [3]
    assert any(outlined[name].any() for name in "QKV")
