"""Lesson 1 as a whole: a cell is chosen alike in each map, and answers count."""

import numpy as np
import pytest

from pages.look.html import quoted
from tests.app.qkv.scene import CHOSEN, STEPS, answer, view
from tests.app.steps import step
from tests.app.visits import charts, go, heatmap, html_of, main, press, reveal, said, through_menu, to_step


def test_a_repeated_word_keeps_its_rows_and_its_place():
    seen = heatmap(main(view("x", text="the cat saw the cat", weights="random")))
    assert seen.rows == ["the₁", "cat₂", "saw", "the₄", "cat₅"]
    np.testing.assert_array_equal(seen.values[0], seen.values[3])


@pytest.mark.parametrize("name", ["x", "projections", "match", "softmax", "mix", "two", "detail"])
def test_the_seed_of_a_head_made_by_hand_is_drawn_where_it_changes_a_picture(name):
    first, second = (step("qkv", name, weights="hand-made", seed=seed) for seed in (3, 44))
    same = all(a.data.equals(b.data) for a, b in zip(charts(first), charts(second), strict=True))
    assert ("seed" not in first.page.controls.made) == same


def test_a_trained_model_says_which_words_it_does_not_know():
    app = view("softmax", weights="trained", text="the zebra sat on the <i>mat")
    assert heatmap(main(app)).rows == ["the₁", "sat", "on", "the₄", "mat"]
    assert ", ".join(map(quoted, ["zebra", "<", "i", ">"])) in said(app)
    app = view("softmax", weights="trained", text="zebras")
    assert heatmap(main(app)).rows == ["the₁", "cat", "sat", "on", "the₅", "warm", "mat"]


@pytest.mark.parametrize("name", STEPS)
def test_a_click_sets_the_fields_to_its_row_and_column(name):
    app = view(name, weights="random")
    pick = app.page.picked[name.upper()] if name in "qkv" else [*filter(None, app.page.picked.values())][-1]
    seen = heatmap(main(app))
    for i, j in ((2, 0), (0, 2)):
        pick(i, j)
        assert [app.page.controls.known[field].value for field in CHOSEN[name]] == [seen.rows[i], seen.columns[j]]


def lesson_label(app):
    return next(link.proto.label for link in app.sidebar.get("page_link") if "Q/K/V" in link.proto.label)


PATH = ("x", "projections", "match", "softmax", "mix")


def right_answer(name):
    return step("qkv", name).page.asked[0].right[0]


def test_an_answer_counts_in_the_menu_and_is_kept_from_page_to_page():
    app = through_menu("qkv", step="match")
    assert "of 12" not in lesson_label(app)
    right = right_answer("match")
    answer(answer(app, (right + 1) % 4), (right + 2) % 4)
    go(app, "home", {})
    assert "1 of 12" in lesson_label(app)
    go(app, "qkv", {"qkv_step": "match"})
    assert "verdict wrong" in " ".join(html_of(app))
    press(app, "Another question")
    assert "1 of 12" in lesson_label(app)


def test_all_questions_of_the_path_can_be_answered_and_are_ticked():
    app = through_menu("qkv")
    for name in PATH:
        to_step(app, name)
        answer(app, right_answer(name))
    assert "5 of 12" in lesson_label(app)
    reveal(to_step(app, "now"))
    assert ":material/check:" in lesson_label(app)
    assert "5 right at once, 7 told" in said(app)


def test_a_stage_of_a_worked_row_has_colours_of_its_own():
    worked = view("softmax", weights="hand-made", q="it").charts[0]
    shades = worked.data["shade"].to_numpy().reshape(3, -1)
    np.testing.assert_array_equal(shades.max(axis=1), 1)
    assert (shades >= 0).all()
