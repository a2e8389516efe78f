"""look_back: a head built by hand that attends k words back."""

from functools import partial

import numpy as np
import pytest

from attention_core.equations.positions import shift_matrix, sinusoidal_positions
from attention_core.text.word_vectors import position_labels
from pages.positional_encoding.look_back import asked, wrong_places
from tests.app.positional_encoding.scene import VARIANTS, WORDS, matrix
from tests.app.steps import step
from tests.app.visits import move, shared, visit

show = partial(step, "positional_encoding", "look_back")
BACK = "attention_moving_back"
T = len(WORDS)
LABELS = position_labels(WORDS)


def softmax(scores):
    odds = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return odds / odds.sum(axis=-1, keepdims=True)


@pytest.mark.parametrize(("back", "start", "sharp"), [(2, 0, 16), (5, 31, 8), (3, 60, 32), (0, 7, 0)])
def test_the_map_is_that_of_the_rotated_position_vectors(back, start, sharp):
    rows = sinusoidal_positions(start + T, 64)[start:]
    scores = sharp * rows @ shift_matrix(-back, 64) @ rows.T / 8
    expected = softmax(np.where(np.tri(T), scores, -np.inf))
    np.testing.assert_allclose(matrix(show(ago=back, start=start, sharp=sharp)), expected, atol=1e-9)


def test_without_positions_all_words_that_are_not_masked_have_equal_weights():
    expected = np.tri(T) / np.arange(1, T + 1)[:, None]
    np.testing.assert_allclose(matrix(show(placed="without", start=20)), expected)


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_word_that_is_asked_is_the_one_so_many_steps_back(variant):
    question = show(variants={"back": variant}).question("back")
    given = asked(LABELS, variant)
    row, back = LABELS.index(given["ago_row"]), given["ago"]
    assert [question.options[i] for i in question.right] == [LABELS[row - back]]
    ideas = wrong_places(row, back, T)
    assert {question.options[i] for i in range(len(question.options)) if question.mistakes[i] in ideas.values()} == {
        LABELS[place] for place in ideas if place != row - back
    }


def test_a_release_sets_the_link_and_the_picture():
    app = visit("positional_encoding", step="look_back", ask="no")
    app = move(app, BACK, ago="1", start="30", sharp="8", placed="without")
    words = shared(app)
    names = ("ago", "start", "sharp", "placed")
    assert [words[f"positional_encoding_{name}"] for name in names] == ["1", "30", "8", "without"]
