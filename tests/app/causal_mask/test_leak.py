"""leaks: which outputs a changed word reaches."""

import json
from functools import partial

import numpy as np
import pytest

from attention_core.text.word_vectors import position_labels
from tests.app.causal_mask.scene import SCENES, SENTENCE, attention, close, every_mask, every_scene, expected, head_of
from tests.app.steps import step
from tests.app.visits import heatmap, main, report, reveal, sent_to, visit

show = partial(step, "causal_mask", "leak")


@every_scene
@every_mask
@pytest.mark.promise("causal_mask 2")
def test_an_output_lights_up_exactly_where_the_mask_lets_it(scene, mask):
    blocked, _, (_, _, output) = expected(**scene, **mask)
    words = SENTENCE.split()
    app = show(changed="cat", **scene, **mask)
    seen = heatmap(main(app)).values
    for j in range(len(words)):
        x, head = head_of(**scene)
        other, _ = head_of(**{**scene, "text": " ".join(["dog"] * len(words))})
        x = x.copy()
        x[j] = other[j]
        moved = attention(x, head, blocked)[2] - output
        close(seen[:, j], np.sqrt((moved**2).sum(axis=1)))
    np.testing.assert_array_equal(seen[blocked & ~np.eye(7, dtype=bool)], 0)  # its own query changes with a word
    n_moved = int((seen[:, 1] != 0).sum())
    question = app.question("leak")
    assert question.right == n_moved
    wrong = {2, (~blocked[:, 1]).sum(), (app.result("effect_without")[:, 1] != 0).sum(), 1, 0}
    assert {mistake.value for mistake in question.mistakes} - {1} == wrong - {1}
    if mask == {} and scene != SCENES["hand-made"]:  # hand-made, some weights are too small to carry a change
        assert n_moved == 6


@pytest.mark.promise("causal_mask 2")
def test_without_a_mask_every_output_depends_on_the_last_word():
    seen = show()
    assert seen.result("effect_without")[:, 6].all()
    assert np.flatnonzero(seen.result("effect")[:, 6]).tolist() == [6]


def test_arrows_lead_from_the_changed_word_to_the_outputs_that_change_and_the_mask_cuts_some():
    link = {"step": "leak", "changed": "sat", "weights": "random"}
    app = visit("causal_mask", **link)
    (drawn,) = sent_to(app, "attention_arcs")
    before = json.loads(drawn.json)
    assert all(all(row) for row in before["numbers"])  # without a mask each output depends on each word
    assert not np.any(before["cut"])
    (drawn,) = sent_to(reveal(app), "attention_arcs")
    arrows = json.loads(drawn.json)
    effect = heatmap(main(app)).values
    assert arrows["asks"] == 2
    np.testing.assert_allclose(np.array(arrows["weights"]) * effect.max(), effect.T, atol=1e-4 * effect.max())
    np.testing.assert_array_equal(np.array(arrows["cut"]), ~np.tri(7, dtype=bool).T)
    assert [[number != "" for number in row] for row in arrows["numbers"]] == (effect.T != 0).tolist()
    report(app, drawn, "picked", 5)
    assert json.loads(sent_to(app, "attention_arcs")[0].json)["asks"] == 5


@pytest.mark.parametrize("place", range(7))
def test_the_leak_is_predicted(place):
    question = show(changed=position_labels(SENTENCE.split())[place]).question("leak")
    assert question.right == 7 - place


def test_a_word_that_becomes_itself_changes_nothing():
    question = show(changed="mat", new="mat").question("leak")
    assert (question.right, question.mistakes) == (0, ())
