"""Steps with a test or two: x, match, detail, projections, change."""

from functools import partial

import numpy as np
import pytest

from attention_core.experiments.qkv.named_head import NAMED_JOBS
from pages.qkv import match
from pages.qkv.common import key_in_words, query_in_words
from tests.app.qkv.scene import chosen_cells, each_kind
from tests.app.steps import step
from tests.app.visits import charts, click, controls, heatmap, said, set_to, shared, visit

show_change = partial(step, "qkv", "change", weights="random")


def test_a_number_that_the_seed_fixes_is_not_said_to_be_made_by_hand():
    for word, random in (("cat", False), ("the", False), ("warm", True)):
        told = said(step("qkv", "x", q=word, d="word 1", text="cat the warm"))
        assert ("A random number" in told) == random
        assert ("made by hand. Its" in told) != random
    assert "A random number, fixed by" in said(step("qkv", "x", weights="random"))
    assert "both trained" in said(step("qkv", "x", weights="trained"))


def test_what_is_added_to_a_row_changes_no_weight_and_to_a_column_it_does():
    weights = step("qkv", "detail").scene.attention.weights
    for place, stays in (("row", True), ("column", False)):
        assert np.allclose(step("qkv", "detail", experiment=f"add to a {place}").result("after"), weights) == stays


@pytest.mark.parametrize("job", NAMED_JOBS)
def test_a_query_of_zeros_asks_for_nothing_and_no_other_does(job):
    scene = step("qkv", "match", weights="hand-made", job=job).scene
    for row, query in enumerate(scene.attention.q):
        assert ("nothing" in query_in_words(scene, row)) == (not query.any())
        assert str(row + 1) in key_in_words(scene, row)


def test_a_key_is_asked_for_only_where_the_digits_that_are_shown_tell_which():
    scene = step("qkv", "match", weights="random", seed="21", dk="2").scene  # another key is the best of those shown
    assert match.best_key_question(scene, 9, 0) is None
    assert match.best_key_question(scene, 8, 0)


def test_each_of_the_three_begins_with_a_word_whose_number_is_not_0_and_a_click_chooses_its_cell():
    app = visit("qkv", step="projections", d="early", ask="no")
    for name, row, column in (("V", 1, 2), ("Q", 5, 1), ("K", 8, 0)):
        (begins,) = chosen_cells(set_to(app, qkv_matrix=name))
        chart = next(shown_map for shown_map in charts(app) if shown_map.data.columns[2] == name.lower())
        assert heatmap(chart).values[begins]
        click(app, row, column, chart)
        words = [controls(app)[f"qkv_{control}"].value for control in ("q" if name == "Q" else "k", "d")]
        assert words == [heatmap(chart).rows[row], heatmap(chart).columns[column]]
        assert chosen_cells(app) == {(row, column)}
    assert shared(app)["qkv_k"] == "it"  # as one that is usual is not


@each_kind
def test_the_product_whose_shape_is_asked_is_not_shown_before(link):
    for variant in range(3):
        seen = step("qkv", "projections", unanswered=("shape",), variants={"shape": variant}, **link)
        assert [chart.data.columns[2] for chart in seen.charts] == ["x", "w"]


@pytest.mark.parametrize("job", ["pronoun to noun", "adjective to noun", "previous word"])
def test_the_first_change_of_a_hand_made_head_moves_more_than_x(job):
    sentence = "the cat sat on the warm mat and it meowed"
    app = show_change(change="X", weights="hand-made", job=job, text=sentence)
    seen = dict(zip(("V", "weights", "output", "X", "Q", "K"), charts(app)[-6:], strict=True))
    assert seen["X"].data[seen["X"].data["moved"]]["i"].tolist() == [3]
    assert any(seen[name].data["moved"].any() for name in "QKV")
