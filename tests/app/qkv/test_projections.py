"""projections: Q, K and V, each X times a matrix."""

from tests.app.qkv.scene import chosen_cells, each_kind, view
from tests.app.visits import charts, click, controls, heatmap, said, set_to, visit


def test_a_click_in_any_of_the_three_chooses_its_matrix_and_its_cell():
    app = visit("qkv", step="projections")
    for name, row, column in (("V", 1, 2), ("Q", 5, 1), ("K", 8, 0)):
        chart = next(shown_map for shown_map in charts(app) if shown_map.data.columns[2] == name.lower())
        click(app, row, column, chart)
        words = [controls(app)[f"qkv_{control}"].value for control in ("matrix", "q", "d")]
        assert words == [name, heatmap(chart).rows[row], heatmap(chart).columns[column]]
        assert chosen_cells(app) == {(row, column)}


def test_another_matrix_keeps_the_word_and_begins_at_its_first_column_where_the_names_differ():
    app = set_to(visit("qkv", step="projections", q="cat", d="early"), qkv_matrix="V")
    assert [controls(app)[f"qkv_{control}"].value for control in ("q", "d")] == ["cat", "word 1"]
    assert chosen_cells(app) == {(1, 0)}


@each_kind
def test_no_picture_gives_the_shape_away_that_is_asked_of_a_larger_model(link):
    for variant in (0, 1, 3):  # the scores are as large here as there
        seen = view("q", variants={"shape": variant}, **link)
        question = seen.question("shape")
        assert question.options[question.right[0]] not in said(seen)
