"""leaks: which outputs a changed word reaches."""

import json
import re
from functools import partial

import numpy as np
import pytest

from attention_core.text.word_vectors import position_labels
from pages.causal_mask.leak import why_outputs_change
from tests.app.causal_mask.scene import (
    SCENES,
    SENTENCE,
    attention,
    close,
    every_mask,
    every_scene,
    expected,
    head_of,
)
from tests.app.steps import step
from tests.app.visits import heatmap, html_of, main, report, reveal, said, sent_to, visit

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
    assert f"outputs change without a mask, and {n_moved} with it" in said(app)
    if mask == {} and scene != SCENES["hand-made"]:  # hand-made, some weights are too small to carry a change
        assert n_moved == 6


@pytest.mark.promise("causal_mask 2")
def test_without_a_mask_every_output_depends_on_the_last_word():
    assert "“\u2068mat\u2069” becomes “\u2068dog\u2069”: 7 of 7 outputs change without a mask, and 1 with it" in said(
        show()
    )


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


def test_a_word_the_model_never_met_is_refused_kindly():
    app = show(weights="trained", new="zyzzyva")
    assert re.search("vocabulary of Toy English has no .*zyzzyva", said(app))


@pytest.mark.parametrize("weights", ["random", "trained"])
def test_the_new_word_is_shown_as_text(weights):
    app = show(weights=weights, new="<b>x</b>{y}")  # its first word, as of every sentence, is "<"
    assert "<b>x" not in " ".join(html_of(app))
    assert re.search("that word becomes <\\.|has no “\u2068?<", said(app))


@pytest.mark.parametrize("place", range(7))
def test_the_leak_is_predicted(place):
    question = show(changed=position_labels(SENTENCE.split())[place]).question("leak")
    assert question.right == 7 - place
    assert (7 in [mistake.value for mistake in question.mistakes]) == (place > 0)  # so it is without a mask


@every_scene
@every_mask
@pytest.mark.parametrize("word", ["the₁", "sat", "mat"])
def test_what_is_said_of_a_changed_word_is_so(scene, mask, word):
    """No output of another word depends on a masked key; its own may change by its query alone."""
    blocked, _, (_, _, output) = expected(**scene, **mask)
    column = position_labels(SENTENCE.split()).index(word)
    x, head = head_of(**scene)
    x = x.copy()
    x[column] = head_of(**{**scene, "text": " ".join(["dog"] * 7)})[0][column]
    moved = (attention(x, head, blocked)[2] != output).any(axis=1)
    allowed = ~blocked[:, column]
    assert not (moved & ~allowed)[np.arange(7) != column].any()
    question = show(changed=word, **scene, **mask).question("leak")
    assert ("Every query that may attend" in question.why) == (moved.any() and (moved == allowed).all())
    own = moved[column] and not allowed[column]
    assert ("because its query is new" in question.why) == own
    assert ("too small" in question.why) == (allowed & ~moved).any()


def test_a_word_that_becomes_itself_changes_nothing():
    question = show(changed="mat", new="mat").question("leak")
    assert (question.right, question.mistakes) == (0, ())
    assert "the same vector" in question.why


def test_another_question_is_about_another_word():
    asked = [show(variants={"leak": variant}).question("leak") for variant in range(4)]
    assert len({question.text for question in asked}) == 4
    assert len({question.right for question in asked}) > 2


def test_a_single_output_and_a_single_query_are_said_as_one():
    seen = show(changed="mat", weights="random")
    assert "1 of 7 outputs changes." in seen.charts[1].alt
    allowed, moved = np.array([False, False, True]), np.array([False, True, True])
    assert why_outputs_change(moved, allowed, 1).startswith("One query may attend to this word.")
    assert why_outputs_change(~moved, ~allowed, 1).startswith("2 queries may attend")
