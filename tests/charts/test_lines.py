"""The chart of lines: the numbers in it, its axes, and the names at the ends of its lines."""

import numpy as np
import pytest

from pages.charts.lines import APART, line_chart, spread
from tests.charts.samples import NAMED, STEPS, band, drawn, found, lines, texts


def test_lines_hold_the_numbers_given_and_the_first_lies_on_top():
    series = {"a": np.array([0.5, 0.25]), "b": np.array([1.5, 1.25])}
    data = line_chart(np.array([1, 2]), series, **STEPS, **NAMED).data
    line = data[data["kind"] == "line"]
    assert line["series"].to_list() == ["b", "b", "a", "a"]
    assert line["x"].to_list() == [1, 2, 1, 2]
    assert line["value"].to_list() == [1.5, 1.25, 0.5, 0.25]


def test_the_axis_goes_from_the_first_x_to_the_last_and_has_a_length_without_any():
    options = {"x_title": "step", "y_title": "loss", **NAMED}
    for x, domain in ([1, 2, 8], [1, 8]), ([3], [3, 4]), ([], [0, 1]):
        chart = line_chart(np.array(x), {"train": np.ones(len(x))}, **options)
        assert "loss" in texts(drawn(chart))
        assert domain in [scale.get("domain") for scale in found(chart.specification, "scale")]


def test_a_band_lies_around_its_line_alone():
    data = band().data
    points = data[data["kind"] == "line"].set_index("series")
    assert points.loc["train", "low"].to_list() == [0.25] * 5
    assert points.loc["train", "high"].to_list() == [1.75] * 5
    assert points.loc["check", "low"].to_list() == points.loc["check", "value"].to_list()


def test_a_line_ends_where_its_last_finite_number_is():
    broken = {"train": np.array([1, np.nan, 0.5, np.inf, np.nan])}
    data = line_chart(np.arange(1, 6), broken, **STEPS, **NAMED).data
    assert data[data["kind"] == "line"]["x"].to_list() == [1, 3]
    assert data[data["kind"] == "end"]["label"].to_list() == ["train 0.50"]


def test_a_theory_is_dashed_beside_the_lines_and_a_place_on_the_axis_is_marked():
    plain, full = lines(), lines(theory=[np.arange(5.0), np.ones(5)], here=3)
    expected = full.data[full.data["kind"] == "theory"]
    assert expected["value"].tolist() == [0, 1, 2, 3, 4, 1, 1, 1, 1, 1]
    assert expected["series"].nunique() == 2
    assert full.data.loc[full.data["kind"] == "here", "x"].tolist() == [3]
    assert not full.data[["x", "value", "low", "high", "place", "label"]].isna().any(axis=None)
    assert not {"theory", "here"} & set(plain.data["kind"])
    assert len(full.specification["layer"]) == len(plain.specification["layer"]) + 2


def test_on_an_axis_of_powers_names_are_pushed_apart_by_the_power():
    ends = {"a": np.array([1.0, 512.0]), "b": np.array([1.0, 500.0]), "c": np.array([1.0, 0.01])}
    options = {**STEPS, **NAMED, "y_domain": (2.0**-9, 2.0**10)}
    data = line_chart(np.array([1, 2]), ends, log_y=True, **options).data
    places = data.loc[data["kind"] == "end"].set_index("series")["place"]
    assert np.log2(places["a"] / places["b"]) == pytest.approx(APART * 19)
    assert places["c"] == pytest.approx(0.01)
    scale = found(line_chart(np.array([1, 2]), ends, log_y=True, **options).specification, "scale")
    assert any(one.get("type") == "log" and one["domain"] == [2.0**-9, 2.0**10] for one in scale)


def test_names_at_line_ends_are_pushed_apart_as_little_as_possible():
    np.testing.assert_allclose(spread(np.array([0.5, 0.5]), 0.1, 0, 1), [0.45, 0.55])
    np.testing.assert_allclose(spread(np.array([0.9, 0.1, 0.5]), 0.1, 0, 1), [0.9, 0.1, 0.5])
    np.testing.assert_allclose(spread(np.array([0.62, 0.6, 0.55]), 0.1, 0, 1), [0.69, 0.59, 0.49])


def test_names_at_line_ends_stay_inside_the_axis():
    np.testing.assert_allclose(spread(np.array([0.0, 0.0, 5.0]), 0.1, 0, 1), [0.0, 0.1, 1.0])
    np.testing.assert_allclose(spread(np.array([1.0, 1.0]), 0.1, 0, 1), [0.9, 1.0])
    assert spread(np.array([]), 0.1, 0, 1).size == 0


def test_names_that_change_leave_the_specification_as_it_is():
    usual, called = lines(), lines(called={"train": "<cat>"})
    assert usual.specification is called.specification
    assert called.data["label"].to_list()[-2:] == [
        usual.data["label"].to_list()[-2].replace("train", "<cat>"),
        usual.data["label"].to_list()[-1],
    ]
