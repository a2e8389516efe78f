"""table: the numbers that encode positions."""

import re
from functools import partial

import numpy as np
import pytest

from attention_core.experiments.multi_head.english_heads import trained_positions
from attention_core.experiments.positions.position_kinds import KINDS, numbers_of_kind
from tests.app.positional_encoding.scene import SEED, WIDTH, close, matrix
from tests.app.steps import step
from tests.app.visits import charts, domain, heatmap, set_to, visit

show = partial(step, "positional_encoding", "table")


@pytest.mark.parametrize("kind", KINDS)
def test_the_table_is_what_the_kind_works_with(kind):
    values, rows, columns = heatmap(show(table_kind=kind).charts[0])
    close(values, numbers_of_kind(kind, 20, WIDTH, seed=SEED))
    assert rows == [str(i) for i in range(20)]
    assert columns[0] == "1"


def test_a_large_table_is_an_image_without_cells_to_click():
    seen = show(length=200)
    assert seen.charts[0].spec["layer"][0]["mark"]["type"] == "image"
    assert seen.page.picked == {"encoding": None}


def test_a_click_chooses_the_number():
    seen = show(position=3, dimension=6)
    seen.page.picked["encoding"](7, 1)
    assert (seen.page.controls.last("position", 0), seen.page.controls.last("dimension", 0)) == (7, 2)


@pytest.mark.promise("tutorial 23")
def test_the_trained_table_is_the_models():
    seen = show(table_kind="learned", table_whose="trained", length=200)
    close(matrix(seen), trained_positions(32))
    assert domain(seen.charts[0]) == [-0.05, 0.05]


@pytest.mark.parametrize(
    ("link", "n_rows"),
    [({}, 20), ({"length": 10}, 10), ({"length": 200, "rows": 7}, 7), ({"length": 9, "rows": 7, "lock": "length"}, 9)],
)
def test_as_many_rows_of_the_trained_table_are_shown_as_its_own_slider_says(link, n_rows):
    close(matrix(show(table_kind="learned", table_whose="trained", **link)), trained_positions(n_rows))


def test_settings_that_change_nothing_in_a_trained_table_are_hidden():
    app = visit("positional_encoding", step="table", table_kind="learned", table_whose="trained", d_model="32")

    def hidden():
        styles = [element.proto.body for element in app.get("html") if "display:none!important" in element.proto.body]
        return {found for style in styles for found in re.findall(r"\.st-key-positional_encoding_(\w+)", style)}

    assert hidden() == {"length", "d_model", "seed"}
    shown = heatmap(charts(app)[0]).values
    np.testing.assert_array_equal(heatmap(charts(set_to(app, positional_encoding_rows=32))[0]).values[:20], shown)
    set_to(app, positional_encoding_table_whose="random")
    assert not hidden() & {"length", "d_model", "seed"}
    assert heatmap(charts(app)[0]).values.shape == (20, 32)
