"""ways: the same scores masked in four ways."""

import re
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
    text = [chart.alt for chart in charts(app)]
    most = np.where(blocked, multiplied, 0).sum(axis=1).max()
    assert (f"up to {most:.2f} of a row" if most >= 0.005 else "less than 0.01 of a row") in text[1]
    low, high = zeroed.sum(axis=1).min(), zeroed.sum(axis=1).max()
    assert f"{low:.2f}" in text[2]
    assert f"{high:.2f}" in text[2]
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
    labels = position_labels(SENTENCE.split())
    seen = show(**scene)
    question = seen.question("multiplied")
    row = labels.index(re.search(r"<i>(\S+)</i> gives", question.text)[1])
    before, after = (values[row, blocked[row]].sum() for values in (weights, multiplied))
    assert f"{before:.2f}" in question.text
    assert f"{after:.2f}" in question.why
    assert question.right == ((1,) if after < before else (2,))
    powers = np.exp(scores[row, blocked[row]]).mean()  # what the feedback says of them
    assert question.right == ((1,) if powers > 1 else (2,))
    assert ("above 1" in question.mistakes[2]) == (powers > 1)
    assert ("at most 1" in question.mistakes[1]) == (powers <= 1)
    question = seen.question("sums")
    row = labels.index(re.search(r"In the row of <i>(\S+)</i>", question.text)[1])
    assert question.right == pytest.approx(weights[row, ~blocked[row]].sum())


def test_another_question_has_another_answer_and_the_picture_shows_its_row():
    rights = [show(variants={"sums": variant}).question("sums").right for variant in range(4)]
    assert len({round(right, 2) for right in rights}) == 4
    app = press(
        visit("causal_mask", step="laboratory", q="cat", k="cat"), "Just show me"
    )  # the answer to the first question
    labels = position_labels(SENTENCE.split())
    row, column = (labels.index(controls(app)[f"causal_mask_{name}"].value) for name in "qk")
    assert blocked_by(7)[row, column]
    assert f"<i>{labels[row]}</i> gives" in show().question("multiplied").text


@pytest.mark.parametrize("text", ["the cat sat on the warm mat", "a b", "one"])
@pytest.mark.parametrize("variant", range(3))
def test_a_row_that_is_masked_whole_keeps_its_whole_attention_where_scores_are_multiplied_by_0(text, variant):
    question = show(mask="padding", padding=24, text=text, variants={"multiplied": variant}).question("multiplied")
    assert question.right == (2,)
    assert "get 1.00 of it" in question.why
