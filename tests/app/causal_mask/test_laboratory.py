"""ways: the same scores masked in four ways."""

from functools import partial

import numpy as np
import pytest

from attention_core.text.word_vectors import position_labels
from tests.app.causal_mask.scene import MASKS, SENTENCE, blocked_by, close, every_scene, expected, shares, weights_shown
from tests.app.steps import step
from tests.app.visits import charts, controls, press, visit

show = partial(step, "causal_mask", "laboratory")


@every_scene
@pytest.mark.parametrize("mask", [MASKS["causal"], MASKS["window"], MASKS["nothing left"]])
@pytest.mark.promise("causal_mask 1", "tutorial 20")
def test_the_laboratory_masks_the_same_scores_in_four_ways(scene, mask):
    blocked, (scores, weights, _), (_, masked, _) = expected(**scene, **mask)
    none = np.zeros_like(blocked)
    zeroed = np.where(blocked, 0, weights)
    sums = zeroed.sum(axis=1, keepdims=True)
    divided = np.divide(zeroed, sums, out=np.zeros_like(zeroed), where=sums > 0)
    multiplied = shares(scores * ~blocked, none)
    app = show(**scene, **mask)
    for seen, wanted in zip(weights_shown(app), (masked, multiplied, zeroed, divided), strict=True):
        close(seen, wanted)
    close(divided, masked)
    np.testing.assert_array_equal(
        charts(app)[1].data["moved"].to_numpy().reshape(blocked.shape), blocked & (multiplied > 0)
    )


def test_nothing_hidden_is_both_nothing_and_as_much_as_before():
    assert show(mask="none").question("multiplied").right == (0, 2)


@every_scene
@pytest.mark.promise("tutorial 33")
def test_scores_times_zero_and_zeros_after_softmax_are_predicted(scene):
    blocked, (scores, weights, _), _ = expected(**scene)
    multiplied = shares(scores * ~blocked, np.zeros_like(blocked))
    seen = show(**scene)
    question = seen.question("multiplied")
    row, _ = question.place
    before, after = (values[row, blocked[row]].sum() for values in (weights, multiplied))
    assert question.right == ((1,) if after < before else (2,))
    assert question.right == ((1,) if np.exp(scores[row, blocked[row]]).mean() > 1 else (2,))  # as the feedback says
    question = seen.question("sums")
    row, _ = question.place
    removed = weights[row, blocked[row]].sum()
    assert question.right == pytest.approx(1 - removed)
    wanted = [value for value in (1, removed, 0) if abs(value - question.right) > question.tolerance]
    assert [mistake.value for mistake in question.mistakes] == pytest.approx(wanted)


def test_another_question_has_another_answer_and_the_picture_shows_its_row():
    rights = [show(variants={"sums": variant}).question("sums").right for variant in range(4)]
    assert len({round(right, 2) for right in rights}) == 4
    app = press(
        visit("causal_mask", step="laboratory", q="cat", k="cat"), "Just show me"
    )  # the answer to the first question
    labels = position_labels(SENTENCE.split())
    row, column = (labels.index(controls(app)[f"causal_mask_{name}"].value) for name in "qk")
    assert blocked_by(7)[row, column]
    assert show().question("multiplied").place == (row, column)


@pytest.mark.parametrize("text", ["the cat sat on the warm mat", "a b", "one"])
@pytest.mark.parametrize("variant", range(3))
def test_a_row_that_is_masked_whole_keeps_its_whole_attention_where_scores_are_multiplied_by_0(text, variant):
    question = show(mask="padding", padding=24, text=text, variants={"multiplied": variant}).question("multiplied")
    assert question.right == (2,)
