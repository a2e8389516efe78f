"""projections: Q, K and V, each X times a matrix."""

import pytest

from tests.app.qkv.scene import (
    card,
    choose,
    chosen_cells,
    columns,
    computed,
    each_kind,
    every_scene,
    products,
    shown,
    view,
)
from tests.app.visits import charts, click, controls, heatmap, said, set_to, visit
from tests.tiers import first


@every_scene
def test_the_three_maps_stand_side_by_side_with_the_row_of_one_word_outlined(link):
    expected = computed(**link)
    for chosen in "qkv":
        *maps, x, w = charts(view(chosen, q=expected.labels[3], **link))
        assert heatmap(x).rows == expected.labels
        assert heatmap(x).columns == heatmap(w).rows == columns("x", link)
        assert heatmap(w).columns == columns(chosen, link)
        for name, shown_map in zip("qkv", maps, strict=True):
            seen, data = heatmap(shown_map), shown_map.data
            assert (seen.rows, seen.columns) == (expected.labels, columns(name, link))
            assert set(data[data["mark"] & 1 > 0]["i"]) == {3}
            assert (data["mark"] & 2 > 0).any() == (name == chosen)


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


@each_kind
@pytest.mark.parametrize("name", "qkv")
@pytest.mark.parametrize(("row", "column"), first(1, [(6, 3), (2, 1)]))
def test_a_projection_is_derived_from_a_row_and_a_column(link, name, row, column):
    expected = computed(**link)
    matrix = getattr(expected.head, f"w_{name}")
    column = min(column, matrix.shape[1] - 1)
    app = view(name, **choose(name, row + 1, column + 1, link=link), **link)
    title, rows, lines = card(app)
    assert expected.labels[row] in title
    named = link["weights"] == "hand-made"
    assert f"Entry “{columns(name, link)[column]}” " in title if named else f"Entry {column + 1} " in title
    assert rows == products(expected.x[row], matrix[:, column], columns("x", link) if named else None)
    assert [value for _, value in lines] == [shown(getattr(expected, name)[row, column])]
    *_, x, w = charts(app)
    assert set(x.data[x.data["mark"] > 0]["i"]) == {row}
    assert set(w.data[w.data["mark"] > 0]["j"]) == {column}
