"""Lesson 4 at work: a mask is painted, rows are computed in any order, and what is asked is answered."""

import re

import numpy as np
import pytest

from attention_core.words import position_labels
from pages.causal_mask.scene import CHARACTERS, cells_of, painted, turned_over
from tests.app.masked import LONG, MASKS, SENTENCE, STEPS, blocked_by, expected, page, shares
from tests.app.visits import charts, click, heatmap, html_of, main, press, reveal, said, set_to, shared, visit


def test_a_click_paints_a_cell_and_another_wipes_it():
    app = page(step="paint")
    click(app, 2, 5)
    assert shared(app) == {
        "causal_mask_step": "paint",
        "causal_mask_paint": painted([(2, 5)]),
    }
    blocked = heatmap(main(reveal(app))).values == -np.inf
    np.testing.assert_array_equal(blocked, blocked_by(7, paint=painted([(2, 5)])))
    click(app, 2, 5)
    assert "causal_mask_paint" not in shared(app)


def test_cells_are_painted_by_keyboard_as_well():
    app = page(step="paint", q="the₁", k="mat")
    press(app, "Flip this cell")
    assert shared(app)["causal_mask_paint"] == painted([(0, 6)])
    press(app, "Wipe the paint off")
    assert "causal_mask_paint" not in shared(app)
    press(app, "Block the whole row")
    assert (heatmap(main(reveal(app))).values[0] == -np.inf).all()


def test_a_locked_mask_cannot_be_painted():
    app = page(step="paint", lock="paint", paint="1")
    click(app, 2, 5)
    assert shared(app)["causal_mask_paint"] == "1"
    assert all(app.button(key=f"causal_mask_{key}").disabled for key in ("turn", "block_row", "diagonal", "wipe"))


@pytest.mark.parametrize("seed", range(7))
def test_what_is_painted_is_read_as_it_was_written(seed):
    rng = np.random.default_rng(seed)
    cells = sorted({(int(i), int(j)) for i, j in rng.integers(24, size=(seed * 20, 2))})
    assert cells_of(painted(cells)) == cells
    assert set(painted(cells)) <= set(CHARACTERS + ".")
    assert turned_over(turned_over(painted(cells), [(1, 1), (5, 6)]), [(5, 6), (1, 1)]) == painted(cells)


@pytest.mark.parametrize("paint", ["!", "a" * 200, "." * 30, "zzzzzz", "-1", "é"])
def test_nonsense_is_not_painted(paint):
    assert "could not be used" in said(visit("causal_mask", paint=paint))
    app = page(step="see", paint=paint)
    np.testing.assert_array_equal(charts(app)[1].data["hidden"].to_numpy().reshape(7, 7), blocked_by(7))


def test_paint_beyond_the_sentence_waits():
    app = page(step="see", text="one two", paint=painted([(0, 1), (9, 9), (23, 23)]))
    assert not charts(app)[1].data["hidden"].any()


def test_rows_are_computed_by_clicks_and_buttons():
    app = page(step="order")
    click(app, 0, 3)
    assert shared(app)["causal_mask_rows"] == "gca"
    press(app, "Last to first")
    assert shared(app)["causal_mask_rows"] == "gfedcba"
    press(app, "None yet")
    assert (main(app).data["text"] == "?").all()
    set_to(app, causal_mask_q="the₅")
    press(app, "Compute this row now")
    assert shared(app)["causal_mask_rows"] == "e"


# Questions


def answered(app, question, value):
    """Answer the question and return what is said to it."""
    name = f"causal_mask_{question}_given"
    field = next(f for f in (*app.radio, *app.number_input) if f.key == name)
    field.set_value(value)
    next(b for b in app.button if b.label == "Check" and question in b.key).click()
    app.run()
    assert not app.exception
    return next(block for block in html_of(app) if "verdict" in block)


def right_answers():
    blocked, (scores, weights, _), _ = expected()
    return blocked, scores, weights


def test_the_cells_are_counted():
    assert "verdict right" in answered(visit("causal_mask"), "count", 28.0)
    for wrong, why in ((21.0, "are hidden"), (24.5, "Not half"), (49.0, "Count row by row")):
        verdict = answered(visit("causal_mask"), "count", wrong)
        assert "verdict wrong" in verdict
        assert why in verdict


@pytest.mark.parametrize(("bits", "right"), [("64", 1), ("32", 2)])
def test_the_large_number_is_predicted(bits, right):
    for option in range(4):
        verdict = answered(visit("causal_mask", step="added", bits=bits), "blocked", option)
        assert ("verdict right" in verdict) == (option == right)
        verdict = answered(visit("causal_mask", step="added", text="the the the", bits=bits), "blocked", option)
        assert ("verdict right" in verdict) == (option in (1, 2))  # the row was even before


def test_nothing_hidden_is_both_nothing_and_as_much_as_before():
    for option in range(3):
        verdict = answered(visit("causal_mask", step="laboratory", mask="none"), "multiplied", option)
        assert ("verdict right" in verdict) == (option != 1)


def test_scores_times_zero_and_zeros_after_softmax_are_predicted():
    blocked, scores, weights = right_answers()
    app = visit("causal_mask", step="laboratory")
    multiplied = shares(scores * ~blocked, np.zeros_like(blocked))
    labels = position_labels(SENTENCE.split())
    row = labels.index(re.search(r"(\S+) may not look at (\d) of the 7 words", said(app))[1])
    before, after = (values[row, blocked[row]].sum() for values in (weights, multiplied))
    assert f"{before:.2f}" in said(app)
    assert "verdict right" in answered(app, "multiplied", 1 if after < before else 2)
    assert f"{after:.2f}" in said(app)
    row = labels.index(re.search(r"In the row of (\S+) the hidden", said(app))[1])
    total = weights[row, ~blocked[row]].sum()
    answered(app, "sums", round(float(total), 2))
    assert len([block for block in html_of(app) if "verdict right" in block]) == 2
    assert len(charts(app)) == 4


def test_each_question_comes_before_what_gives_it_away():
    shown = {"see": 1, "added": 1, "laboratory": 1, "leak": 0, "paint": 2, "order": 1, "layers": 0, "shuffle": 0}
    for step, n_charts in shown.items():
        assert len(charts(visit("causal_mask", step=step))) == n_charts, step


@pytest.mark.parametrize("place", range(7))
def test_the_leak_is_predicted(place):
    app = visit("causal_mask", step="leak", changed=position_labels(SENTENCE.split())[place])
    assert "verdict right" in answered(app, "leak", float(7 - place))
    if place:
        app = visit("causal_mask", step="leak", changed=position_labels(SENTENCE.split())[place])
        assert "That is so without a mask." in answered(app, "leak", 7.0)


def test_reach_layers_and_shuffle_are_predicted():
    app = visit("causal_mask", step="paint", mask="sliding window", window="2")
    row = position_labels(SENTENCE.split()).index(re.search(r"lets (\S+) hear", said(app))[1])
    assert "verdict right" in answered(app, "reach", float(min(row + 1, 3)))
    for option in range(4):
        verdict = answered(visit("causal_mask", step="layers"), "layers", option)
        assert ("verdict right" in verdict) == (option == 2)
    for option in range(3):
        verdict = answered(visit("causal_mask", step="order"), "first", option)
        assert ("verdict right" in verdict) == (option == 2)
    for mask, right in (("causal", 1), ("none", 0)):
        verdict = answered(visit("causal_mask", step="shuffle", mask=mask), "shuffle", right)
        assert "verdict right" in verdict


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("text", ["a", LONG, "<b>x</b> {y} *z* $q$ `c`"])
@pytest.mark.parametrize("mask", [MASKS[name] for name in ("none", "padding", "nothing left")])
def test_every_question_can_be_asked_again_of_any_sentence(step, text, mask):
    app = page(step=step, text=text, **mask)
    again = [button.key for button in app.button if button.label == "Ask me another"]
    for key in again:
        press(app, key)
        reveal(app)
    assert "<b>x</b>" not in " ".join(html_of(app))
