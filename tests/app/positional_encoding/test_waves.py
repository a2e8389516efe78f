"""waves: the columns of the table along the positions."""

import re
from functools import partial

import numpy as np
import pytest

import attention_core as core
from attention_core.equations.positions import wavelengths
from pages.look.html import number
from tests.app.positional_encoding.scene import WIDTH, close
from tests.app.steps import step
from tests.app.visits import heatmap

show = partial(step, "positional_encoding", "waves")


@pytest.mark.parametrize("base", [1000, 10000])
def test_waves_are_round_and_only_positions_can_be_pointed_at(base):
    (_, chart) = show(length=20, waves_base=base).charts
    long = wavelengths(WIDTH, float(base))
    for name, wave in chart.data.groupby("name"):
        pair = int(re.match(r"pair (\d+)", name)[1])
        at = np.sort(wave["position"])
        assert (at[0], at[-1]) == (0, 19)
        assert np.diff(at).max() <= long[0] / 24  # points of the shortest wave
        angles = 2 * np.pi * wave["position"].to_numpy() / long[pair]
        close(wave["value"], np.sin(angles))
        close(wave["dashed"], np.cos(angles))
    assert set(chart.data[~chart.data["between"]]["position"]) == set(range(20))
    (dots,) = [layer for layer in chart.spec["layer"] if layer["mark"]["type"] == "circle"]
    assert {"filter": "!datum.between"} in dots["transform"]


@pytest.mark.parametrize("column", ["0", "1"])
def test_a_number_of_the_table_is_computed_step_by_step(column):
    shown = show(position=5, dimension=column, d_model=64)
    assert number(float(np.cos(5.0) if column == "1" else np.sin(5.0))) in shown.html[-1]
    assert "6.3 positions" in shown.html[-1]
    (question,) = show(length=6, d_model=48, waves_base=10).page.asked
    assert {int(option.split()[1]) // 2 for option in question.options} == {0, 7, 23}  # of pair 2 six rows tell nothing


def test_the_table_has_both_columns_of_each_pair_that_is_drawn_and_its_numbers_can_be_clicked():
    seen = show(d_model=32, base=100, position=3)
    table = heatmap(seen.charts[0])
    columns = [int(name) for name in table.columns]
    drawn = seen.charts[1].data["name"].str.extract(r"pair (\d+)")[0].astype(int)
    assert {column // 2 for column in columns} == {*drawn}
    close(table.values, core.sinusoidal_positions(12, 32)[:, columns])
    seen.page.picked["encoding"](7, 1)
    assert (seen.page.controls.last("position", ""), seen.page.controls.last("dimension", "")) == ("7", "1")
