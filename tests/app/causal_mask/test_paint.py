"""any pattern: a mask of one's own, and what reaches what through layers."""

from functools import partial

import numpy as np
import pytest

from attention_core.text.word_vectors import position_labels
from pages.causal_mask.scene import CHARACTERS, cells_of, painted, toggled
from tests.app.causal_mask.scene import SENTENCE, blocked_by, named, page
from tests.app.steps import step
from tests.app.visits import click, heatmap, main, press, reveal, shared, visit

show = partial(step, "causal_mask", "paint")


def test_a_click_paints_a_cell_and_another_wipes_it():
    app = page(step="paint")
    click(app, 2, 5)
    assert shared(app) == {
        "causal_mask_step": "paint",
        "causal_mask_paint": painted([(2, 5)]),
        "causal_mask_q": "sat",
        "causal_mask_k": "warm",
    }
    blocked = heatmap(main(reveal(app))).values == -np.inf
    np.testing.assert_array_equal(blocked, blocked_by(7, "sliding window", paint=painted([(2, 5)])))
    click(app, 2, 5)
    assert "causal_mask_paint" not in shared(app)


def test_cells_are_painted_by_keyboard_as_well():
    app = visit("causal_mask", step="paint", ask="no", q="the₁", k="mat")
    press(app, "Flip this cell")
    assert shared(app)["causal_mask_paint"] == painted([(0, 6)])
    press(app, "Reset painted cells")
    assert "causal_mask_paint" not in shared(app)
    press(app, "Block this row")
    assert (heatmap(main(reveal(app))).values[0] == -np.inf).all()


def test_a_locked_mask_cannot_be_painted():
    app = page(step="paint", lock="paint", paint="1")
    click(app, 2, 5)
    assert shared(app)["causal_mask_paint"] == "1"
    assert all(app.button(key=f"causal_mask_put_{key}").disabled for key in ("turn", "block_row", "diagonal", "wipe"))


@pytest.mark.parametrize("seed", range(7))
def test_what_is_painted_is_read_as_it_was_written(seed):
    rng = np.random.default_rng(seed)
    cells = sorted({(int(i), int(j)) for i, j in rng.integers(24, size=(seed * 20, 2))})
    assert cells_of(painted(cells)) == cells
    assert set(painted(cells)) <= set(CHARACTERS + ".")
    assert toggled(toggled(painted(cells), [(1, 1), (5, 6)]), [(5, 6), (1, 1)]) == painted(cells)


@pytest.mark.parametrize("paint", ["!", "a" * 200, "." * 30, "zzzzzz", "-1", "é"])
def test_nonsense_is_not_painted(paint):
    np.testing.assert_array_equal(
        heatmap(show(paint=paint).charts[0]).values == -np.inf, blocked_by(7, "sliding window")
    )


def test_after_the_answer_the_row_asked_about_is_chosen_and_a_word_that_two_layers_reach():
    app = press(visit("causal_mask", step="paint"), "Just show me")
    words = position_labels(SENTENCE.split())
    row, column = (words.index(app.query_params[f"causal_mask_{name}"]) for name in "qk")
    (needed,) = (heatmap(chart).values for chart in named(app, "output", "word", "layers"))
    assert needed[row, column] == 2


def test_a_word_without_a_key_is_asked_about_only_where_no_word_has_one():
    for cells, why in (([(0, 0)], "depends on all of these"), ([(0, 0), (1, 0), (1, 1)], "keeps its own vector")):
        assert why in show(text="a cat", paint=painted(cells), unanswered=("reach",)).question("reach").why
