"""ways: the same scores masked in five ways."""

from functools import partial

import numpy as np

from attention_core.text.word_vectors import position_labels
from tests.app.causal_mask.scene import SENTENCE, blocked_by, close, every_scene, expected, shares, weights_shown
from tests.app.steps import step
from tests.app.visits import charts, controls, press, visit

show = partial(step, "causal_mask", "laboratory")


@every_scene
def test_the_laboratory_masks_the_same_scores_in_five_ways(scene):
    blocked, (scores, weights, _), (_, masked, _) = expected(**scene)
    zeroed = np.where(blocked, 0, weights)
    divided = zeroed / zeroed.sum(axis=1, keepdims=True)
    multiplied = shares(scores * ~blocked, np.zeros_like(blocked))
    capped = np.exp(np.where(blocked, -5, 5 * np.tanh(scores / 5)))
    capped /= capped.sum(axis=1, keepdims=True)
    app = show(cap="5", **scene)
    for seen, wanted in zip(weights_shown(app), (masked, multiplied, zeroed, divided, capped), strict=True):
        close(seen, wanted)
    close(divided, masked)
    np.testing.assert_array_equal(
        charts(app)[1].data["moved"].to_numpy().reshape(blocked.shape), blocked & (multiplied > 0)
    )


def test_where_nothing_is_masked_nothing_is_asked():
    assert show(text="one").page.asked == []


def test_another_question_has_another_row_and_the_picture_shows_it():
    rows = [show(variants={"sums": variant}).question("sums").place[0] for variant in range(4)]
    assert len(set(rows)) == 4
    app = visit("causal_mask", step="laboratory")
    press(app, "Just show me")  # the answer to the first question
    labels = position_labels(SENTENCE.split())
    row, column = (labels.index(app.query_params[f"causal_mask_{name}"]) for name in "qk")
    assert blocked_by(7)[row, column]
    assert show().question("multiplied").place == (row, column)
    press(app, "Just show me")
    assert controls(app)["causal_mask_q"].value == labels[show().question("sums").place[0]]
    linked = press(visit("causal_mask", step="laboratory", q="cat", k="cat"), "Just show me")
    assert linked.query_params["causal_mask_q"] == "cat"
