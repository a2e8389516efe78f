"""Each kind of chart by itself: the numbers in it are those that were given, in their order."""

import json
import math
import re

import numpy as np
import pytest
import vl_convert

from attention_core.equations.attention import attention_forward
from pages.charts.bars import stacked_bars
from pages.charts.chart import drawable
from pages.charts.cumulative_bar import cumulative_bar
from pages.charts.dots import dot_plot, ends, guesses
from pages.charts.heatmap import NO_LEGEND, ROW_SUMS, SMALL, attention_heatmap, hide, products_of, scale, write
from pages.charts.histogram import histogram
from pages.charts.vector_plane import hull
from tests.charts.samples import NAMED, WORDS, arrows, drawn, work

FIT = {"autosize": {"type": "fit", "contains": "padding"}}  # as on the page


def test_a_pointer_on_a_weight_reads_how_it_came_about():
    """Of a query (2, 0) and keys (1, 0), (0, 1), (3, 0): scores 2, 0, 6, and half of them, as d_k is 4."""
    q, k = np.array([[2.0, 0, 0, 0]] * 3), np.array([[1.0, 0, 0, 0], [0, 1, 0, 0], [3, 0, 0, 0]])
    mask = np.array([[0, -np.inf, 0], [0, 0, -0.5], [0, 0, 100]])
    data = attention_heatmap(attention_forward(q, k, k, mask), WORDS, **NAMED).data
    power = {exponent: math.exp(exponent) for exponent in (0, 1, 3, 2.5)}
    sums = power[1] + power[3], power[1] + power[0] + power[2.5]
    told = data.iloc[:, 5:].drop(columns="mark")
    assert [*told] == ["score q · k", "÷ √dₖ", "+ mask", "− largest of the row", "exponential", "row sum"]
    assert told["+ mask"].to_list() == ["0.00", "−∞", *["0.00"] * 3, "−0.50", "0.00", "0.00", "100.00"]
    for i, row in told.drop(columns="+ mask").iterrows():
        shift, total = (103, 1) if i >= 6 else (0, sums[i // 3])
        score, exponential = (2, 0, 6)[i % 3], data["weight"][i] * total
        np.testing.assert_allclose(row.to_list(), [score, score / 2, shift, exponential, total], atol=1e-9)
    assert told["exponential"].to_list()[:6] == pytest.approx([power[1], 0, power[3], power[1], 1, power[2.5]])


def test_parts_are_stacked_outwards_from_zero_on_either_side():
    values = np.array([[1.0, -2.0, 0.5, -0.25], [0.0, 3.0, 0.0, 1.0]])
    data = stacked_bars(["a", "b"], list("klmn"), values, limit=4, **NAMED).data
    parts = data[data["kind"] == "part"]
    assert parts["part"].to_list() == list("klmnklmn")
    assert parts["value"].to_list() == [1, -2, 0.5, -0.25, 0, 3, 0, 1]
    assert parts["start"].to_list() == [0, 0, 1, -2, 0, 0, 3, 3]
    assert parts["end"].to_list() == [1, -2, 1.5, -2.25, 0, 3, 3, 4]
    sums = data[data["kind"] == "sum"]
    assert sums["label"].to_list() == ["a", "b"]
    assert sums["end"].to_list() == [-0.75, 4]


def test_a_histogram_counts_what_lies_outside_into_its_last_bins():
    values = np.array([-9.0, 0.1, 0.2, 0.6, 1.5, 3.5, 3.9, 77.0])
    data = histogram(values, low=0, high=4, n_bins=4, y_max=1, x_title="score", **NAMED).data
    assert data["start"].to_list() == [0, 1, 2, 3]
    assert data["end"].to_list() == [1, 2, 3, 4]
    assert data["fraction"].to_list() == [0.5, 0.125, 0, 0.375]


def test_a_polygon_is_the_hull_of_its_points():
    points = np.array([[0, 0], [1, 1], [2, 0], [2, 2], [0, 2], [1, 0], [2, 2]])
    assert hull(points) == [(0, 0), (2, 0), (2, 2), (0, 2)]
    assert hull(np.array([[1, 2], [1, 2]])) == [(1, 2)]
    assert hull(np.array([[0, 0], [2, 2], [1, 1]])) == [(0, 0), (2, 2)]


@pytest.mark.parametrize("width", [300, 640])
def test_both_scales_of_a_plane_are_equal_whatever_the_width(width):
    svg = vl_convert.vegalite_to_svg({**drawable(arrows(), width=width), "height": 300})
    rules = [tag for tag in re.findall("<line[^>]*>", svg) if "rule mark" in tag]
    lengths = {abs(float(end)) for tag in rules for end in re.findall('[xy]2="([^"]*)"', tag)}
    assert {0, 300} <= lengths
    assert max(lengths) == 300


def test_hidden_cells_are_grey_and_texts_stand_for_numbers():
    hidden = np.array([[False, True], [False, False]])
    texts = np.array([["0", "−∞"], ["0", "0"]], dtype=object)
    values = np.where(hidden, -np.inf, 0.0)
    shown = attention_heatmap(values, ["a", "b"], hide(hidden), write(texts), NO_LEGEND, name="x", sentence=".")
    colour = shown.specification["layer"][0]["encoding"]["color"]
    assert colour["condition"]["test"] == "datum.hidden"
    assert colour["legend"] is None
    amounts = attention_heatmap(np.eye(2), ["a", "b"], scale(2, amounts=True), **NAMED)
    colour = amounts.specification["layer"][0]["encoding"]["color"]
    assert (colour["scale"]["domain"], colour["legend"]["values"]) == ([0, 2], [0, 1, 2])
    assert shown.data["hidden"].tolist() == [False, True, False, False]
    assert shown.data["text"].tolist() == ["0", "−∞", "0", "0"]
    layers = [one["encoding"] for one in shown.specification["layer"]]
    assert [one["text"]["field"] for one in layers if "text" in one] == ["text"]
    asked = attention_heatmap(np.where(hidden, np.nan, 0.0), ["a", "b"], write(texts), **NAMED)
    assert asked.data["hidden"].tolist() == [False, True, False, False]  # else black on dark paper
    assert shown.specification["layer"][0]["mark"]["invalid"] == "show"  # an infinite number is drawn as well


def test_a_cumulative_bar_lays_fractions_end_to_end_and_marks_the_number():
    chart = cumulative_bar(["a", "b", "c"], np.array([0.5, 0.3, 0.2]), chosen=1, drawn=0.62, **NAMED)
    pieces = chart.data[chart.data["kind"] != "number"]
    assert pieces["start"].to_list() == [0, 0.5, 0.8]
    assert pieces["end"].to_list() == [0.5, 0.8, 1]
    assert pieces["kind"].to_list() == ["even", "chosen", "even"]
    assert chart.data["label"].to_list()[-1] == "0.62"
    both = cumulative_bar(["a"], np.array([1.0]), chosen=0, drawn=0.62, asked=0.61, **NAMED)
    assert both.data["label"].tolist()[-2:] == ["0.62", "asked: 0.61"]  # each has a line of its own
    lines = [layer["encoding"]["y"]["value"] for layer in both.specification["layer"] if "text" in layer["encoding"]]
    assert lines[-1] - lines[-2] >= 13
    without = cumulative_bar(["a"], np.array([1.0]), chosen=0, drawn=None, **NAMED)
    assert without.data["kind"].to_list() == ["chosen"]


def test_stretches_part_each_step_into_gone_kept_and_computed():
    chart = work()
    rows = chart.data[chart.data["step"] > 0]
    seen = list(zip(rows["step"], rows["kind"], rows["from"], rows["to"], strict=True))
    assert seen == [
        (1, "computed now", 1, 3),
        (2, "from the cache", 1, 3),
        (2, "computed now", 4, 4),
        (3, "from the cache", 1, 4),
        (3, "computed now", 5, 5),
        (4, "no longer read", 1, 3),
        (4, "computed now", 4, 6),
    ]
    assert chart.table["computed now"].to_list() == [3, 1, 1, 3]
    assert chart.table["from the cache"].to_list() == [0, 3, 4, 0]


@pytest.mark.parametrize("n", [2, 7, 12])
@pytest.mark.parametrize("small", [False, True])
def test_maps_side_by_side_have_equal_cells_with_and_without_a_legend(n, small):
    charts = [
        attention_heatmap(
            np.eye(n), ["a"] * n, ROW_SUMS, small and SMALL, legend or NO_LEGEND, name="weights", sentence="."
        )
        for legend in (True, False)
    ]
    sizes = [
        re.findall(
            'aria-roledescription="rect mark"[^>]* d="M[^h]*h([^v]*)v([^h]*)h',
            drawn(chart._replace(specification=chart.specification | FIT)),
        )
        for chart in charts
    ]
    assert sizes[0]
    assert sizes[0] == sizes[1]


def sizes_on_screen(chart, width, height):
    """Return the sizes of text in the cells and along the axes of a chart that fills so many pixels."""
    text = json.dumps({**drawable(chart, width=width), "height": height}, default=float)
    for name, pixels in {"containerSize()[0]": width, "windowSize()[1]": height}.items():
        text = text.replace(name, str(pixels))
    svg = vl_convert.vegalite_to_svg(json.loads(text) | FIT)
    written = re.findall('<text[^>]*font-size="([^"]*)px"[^>]*>([^<]*)<', svg)
    return [[float(size) for size, what in written if re.fullmatch(one, what)] for one in ("0.50", r"word\d+")]


@pytest.mark.parametrize("n", [2, 7, 12])
def test_text_grows_with_the_cells_on_a_full_screen_alone(n):
    chart = attention_heatmap(np.full((n, n), 0.5), [f"word{i}" for i in range(n)], name="weights", sentence=".")
    usual = [[{2: 13.0, 7: 13.0, 12: 11.0}[n]] * n**2, [13.0] * 2 * n]
    assert sizes_on_screen(chart, 1080, chart.specification["height"]) == usual
    cells, words = sizes_on_screen(chart, 1900, 1000)
    assert len(cells) == n**2
    assert min(cells) > 18
    assert min(words) > 18
    assert max(*cells, *words) <= 32
    assert max(cells) < 0.17 * 1900 / n


def test_a_factor_that_is_only_rounding_is_not_read():
    assert products_of(np.array([[2, 1e-17]]), np.array([[3], [5]])).columns["products"].tolist() == ["2.00 × 3.00"]


def test_dots_stand_at_their_numbers_and_far_ones_at_the_ends():
    given = [2.0, 2.0, 2.5, 3.0, 1e12, -1e12]
    dots = dot_plot(given, 2.5, 2, name="guesses", title="answers")
    domain = dots.specification["layer"][2]["encoding"]["x"]["scale"]["domain"]
    assert domain == [1.8875, 3.1125]  # 2 to 3, and 5 % of 3 × (2.75 − 2) at each end
    for values, low, high in (([100, 100, 100, 100, 130, 70], 67, 133), ([4.0], 3.925, 4.075), ([], 0, 1)):
        assert ends(np.array(values)) == pytest.approx((low, high))
    assert dots.data["number"].tolist() == [*given, 2.5]
    assert dots.data["at"].tolist() == [2.0, 2.0, 2.5, 3.0, domain[1], domain[0], 2.5]
    assert dots.data["height"].tolist() == [0, 1, 0, 0, 0, 0, 0]
    assert dots.data["kind"].tolist() == [*["dot"] * 4, "high", "low", "right"]
    assert ends(np.array([50.0, 53]), 7.3)[0] < 7.3  # or the line at it would be drawn outside, and all else with it
    shapes = [layer["mark"]["shape"] for layer in dots.specification["layer"][2:]]
    assert shapes == ["circle", "triangle-left", "triangle-right"]  # of "dot", "low" and "high"
    assert all(drawn(dot_plot(few, None, 2, name="guesses", title="answers")) for few in ([], [4.0]))
    cells = guesses([(0, 1), (0, 1), (2, 0)], ["a", "b", "c"], None, name="answers")
    assert cells.data["answers"].tolist() == [0, 2, 0, 0, 0, 0, 1, 0, 0]
