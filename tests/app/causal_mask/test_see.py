"""mask: the weights without the mask and with it."""

from functools import partial

import numpy as np
import pytest

from attention_core.text.word_vectors import position_labels
from tests.app.causal_mask.scene import SENTENCE, blocked_by, close, every_mask, every_scene, expected, weights_shown
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


@every_mask
@pytest.mark.promise("pitfall 9", "tutorial 21")
def test_a_row_with_nothing_to_look_at_is_zero_and_said_so(mask):
    blocked = blocked_by(7, **mask)
    app = show(**mask)
    empty = [position_labels(SENTENCE.split())[i] for i in np.flatnonzero(blocked.all(axis=1))]
    assert all(label in charts(app)[1].alt for label in empty[:4])
    assert np.isfinite(weights_shown(app)[1]).all()
    assert "NaN" not in said(app)


@every_mask
def test_the_cells_are_counted(mask):
    assert show(**mask).question("count").right == (~blocked_by(7, **mask)).sum()
    assert show(text="a b c", **mask).question("count").right == (~blocked_by(3, **mask)).sum()


def test_each_wrong_count_is_that_of_its_mistake():
    question = show().question("count")
    assert {21, 24.5} <= {mistake.value for mistake in question.mistakes}  # without the diagonal; half of the cells
    assert show(variants={"count": 1}).question("count").right == 21


@every_mask
def test_the_row_is_one_bar_before_and_after_the_mask(mask):
    _, plain, masked = expected(**mask)
    *_, before, after = charts(show(q="warm", **mask))
    close(before.data["probability"], plain[1][5])
    close(after.data["probability"], masked[1][5])
    assert before.data["label"].tolist() == position_labels(SENTENCE.split())


def test_what_a_head_was_made_for_is_said_of_it_without_a_mask():
    scene = show().scene
    best = scene.plain.weights.argmax(axis=1)
    assert scene.blocked[scene.words.index("warm"), best[scene.words.index("warm")]]
    assert "without a mask" in scene.origin
