"""mask: the weights without the mask and with it."""

from functools import partial

import numpy as np
import pytest

from attention_core.text.word_vectors import position_labels
from tests.app.causal_mask.scene import (
    SENTENCE,
    blocked_by,
    close,
    every_mask,
    every_scene,
    expected,
    weights_shown,
)
from tests.app.steps import step
from tests.app.visits import charts, said

show = partial(step, "causal_mask", "see")


@every_scene
@every_mask
@pytest.mark.promise("tutorial 19")
def test_with_and_without_stand_side_by_side(scene, mask):
    blocked, plain, masked = expected(**scene, **mask)
    app = show(**scene, **mask)
    without, under = weights_shown(app)
    close(without, plain[1])
    close(under, masked[1])
    hidden = charts(app)[1].data["hidden"].to_numpy().reshape(blocked.shape)
    np.testing.assert_array_equal(hidden, blocked)
    assert f"{blocked.sum()} of {blocked.size} cells are masked." in charts(app)[1].alt


@pytest.mark.parametrize("row", [0, 2, 6])
def test_each_map_speaks_of_the_chosen_row(row):
    labels = position_labels(SENTENCE.split())
    for chart in charts(show(q=labels[row]))[:2]:
        assert chart.alt.startswith(f"“\u2068{labels[row]}\u2069” attends")


@every_mask
@pytest.mark.promise("pitfall 9", "tutorial 21")
def test_a_row_with_nothing_to_look_at_is_zero_and_said_so(mask):
    blocked = blocked_by(7, **mask)
    app = show(**mask)
    empty = [position_labels(SENTENCE.split())[i] for i in np.flatnonzero(blocked.all(axis=1))]
    assert ("No key is left" in charts(app)[1].alt) == bool(empty)
    assert all(label in charts(app)[1].alt for label in empty[:4])
    assert np.isfinite(weights_shown(app)[1]).all()
    assert "NaN" not in said(app)


def test_a_share_too_small_for_two_digits_is_not_called_nothing():
    (_, (_, plain, _), _) = expected(weights="random")
    left = f"{plain[2, 2]:.1e}".partition("e")[0]
    assert float(left) > 0
    link = {"mask": "sliding window", "window": 1, "q": "sat", "k": "sat", "weights": "random"}
    assert f"The rest is divided by {left} · 10−3, so" in said(show(**link))
    assert f"× 1, ÷ {left} · 10−3" in said(step("causal_mask", "laboratory", **link))
    assert "no key is left" in said(step("causal_mask", "laboratory", mask="padding", padding="24"))


def test_the_cells_are_counted():
    question = show().question("count")
    assert question.right == 28
    assert {21, 24.5} <= {mistake.value for mistake in question.mistakes}
    assert show(variants={"count": 1}).question("count").right == 21
    assert show(mask="none", text="a b c").question("count").right == 9
    half = show(text="a b c d").question("count")  # of an even number of words
    assert {mistake.value: mistake.text for mistake in half.mistakes}[8].startswith("Half of the cells would be 8,")


@pytest.mark.parametrize(
    ("link", "rule"),
    [
        ({"mask": "sliding window", "window": 1}, "each word attends to itself alone"),
        ({"mask": "sliding window", "window": 3}, "each word attends to itself and up to 2 before it"),
        ({"mask": "prefix", "prefix": 3}, "and to the first 3"),
        ({"mask": "padding", "padding": 24}, "no word attends to the last 7,"),
        ({"mask": "block", "block": 2}, "each word attends to its own block of 2"),
    ],
)
def test_a_mask_is_described_with_its_size(link, rule):
    question = show(**link).question("count")
    assert rule in question.text
    assert question.right == (~blocked_by(7, **link)).sum()
    causal_only = [mistake for mistake in question.mistakes if mistake.text.startswith("Half")]
    assert not causal_only


@every_mask
def test_the_row_is_one_bar_before_and_after_the_mask(mask):
    _, plain, masked = expected(**mask)
    *_, before, after = charts(show(q="warm", **mask))
    close(before.data["probability"], plain[1][5])
    close(after.data["probability"], masked[1][5])
    assert before.data["label"].tolist() == position_labels(SENTENCE.split())


@pytest.mark.parametrize(("padding", "told"), [(1, "word stands"), (2, "2 words stand")])
def test_one_padding_word_is_spoken_of_as_one(padding, told):
    seen = show(mask="padding", padding=padding)
    assert f"The last {told} for padding" in said(seen)
    assert ("the last one, which is padding" in seen.question("count").text) == (padding == 1)
