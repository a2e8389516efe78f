"""The chart of lines: the numbers in it, its axes, and the names at the ends of its lines."""

import numpy as np
import pytest

from pages.charts.lines import APART, end_label, line_chart, line_colours, spread
from pages.look.colours import ATTENTION, HEADS, INK, SOFT
from tests.charts.samples import NAMED, STEPS, band, drawn, found, lines, texts


def test_lines_hold_the_numbers_given_and_the_first_lies_on_top():
    series = {"a": np.array([0.5, 0.25]), "b": np.array([1.5, 1.25])}
    data = line_chart(np.array([1, 2]), series, **STEPS, **NAMED).data
    line = data[data["kind"] == "line"]
    assert line["series"].to_list() == ["b", "b", "a", "a"]
    assert line["x"].to_list() == [1, 2, 1, 2]
    assert line["value"].to_list() == [1.5, 1.25, 0.5, 0.25]


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


def test_lines_that_have_not_begun_still_have_their_axes():
    chart = line_chart(np.array([]), {"train": np.array([])}, **STEPS, **NAMED)
    assert "loss" in texts(drawn(chart))


def test_doubling_widths_stand_evenly_on_the_axis():
    chart = lines(x_domain=(1, 512), log_x=True)
    assert found(chart.specification, "values")[0] == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]


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


def test_names_keep_their_distance_in_a_picture_of_small_height():
    same = {"a": np.array([0.0, 0.5]), "b": np.array([0.0, 0.5])}
    options = {**STEPS, **NAMED, "y_domain": (0, 1)}
    for height in (150, 200, 250):
        data = line_chart(np.array([1, 2]), same, height=height, **options).data
        places = data.loc[data["kind"] == "end", "place"]
        assert np.ptp(places) * (height - 70) == pytest.approx(APART * 180)


def test_the_first_line_may_show_its_points():
    marks = [layer["mark"] for layer in lines(dots=True).specification["layer"]]
    assert [mark["type"] for mark in marks].count("circle") == 2
    assert [layer["mark"]["type"] for layer in lines().specification["layer"]].count("circle") == 1


def test_names_at_line_ends_are_pushed_apart_as_little_as_possible():
    np.testing.assert_allclose(spread(np.array([0.5, 0.5]), 0.1, 0, 1), [0.45, 0.55])
    np.testing.assert_allclose(spread(np.array([0.9, 0.1, 0.5]), 0.1, 0, 1), [0.9, 0.1, 0.5])
    np.testing.assert_allclose(spread(np.array([0.62, 0.6, 0.55]), 0.1, 0, 1), [0.69, 0.59, 0.49])


def test_names_at_line_ends_stay_inside_the_axis():
    np.testing.assert_allclose(spread(np.array([0.0, 0.0, 5.0]), 0.1, 0, 1), [0.0, 0.1, 1.0])
    np.testing.assert_allclose(spread(np.array([1.0, 1.0]), 0.1, 0, 1), [0.9, 1.0])
    assert spread(np.array([]), 0.1, 0, 1).size == 0


def test_a_number_at_a_line_end_has_a_true_minus_and_its_name_keeps_its_hyphen():
    assert end_label("multi-head", -1.5, ".2f") == "multi-head −1.50"
    assert end_label("multi-head", -1.5, "") == "multi-head"


def test_at_most_four_lines_have_a_colour_of_their_own():
    assert line_colours(1) == (ATTENTION,)
    assert line_colours(2) == (ATTENTION, INK)
    assert line_colours(4) == tuple(HEADS)
    assert line_colours(6) == (ATTENTION, SOFT, SOFT, SOFT, SOFT, SOFT)


def test_names_that_change_leave_the_specification_as_it_is():
    usual, called = lines(), lines(called={"train": "<cat>"})
    assert usual.specification is called.specification
    assert called.data["label"].to_list()[-2:] == [
        usual.data["label"].to_list()[-2].replace("train", "<cat>"),
        usual.data["label"].to_list()[-1],
    ]
