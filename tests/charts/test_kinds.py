"""Each kind of chart by itself: the numbers in it are those that were given, in their order."""

import json
import re

import numpy as np
import pytest
import vl_convert

from pages.charts.bars import fraction_bars, signed_bars, stacked_bars
from pages.charts.chart import drawable
from pages.charts.cumulative_bar import cumulative_bar
from pages.charts.heatmap import ATTENTION_AXES, NO_LEGEND, ROW_SUMS, SMALL, Axes, head_map, heatmap, hide, scale, write
from pages.charts.histogram import histogram
from pages.charts.stacked_waves import waves
from pages.charts.vector_plane import Vector, hull, plane
from pages.look.colours import ATTENTION, NEGATIVE, PAPER, WEIGHTS
from tests.charts.samples import NAMED, WORDS, arrows, drawn, shares, signed, texts, work


def test_a_bar_is_violet_or_ochre_in_the_shade_for_its_paper():
    chart = signed_bars(["up", "down"], np.array([1.0, -1.0]), limit=2, **NAMED)
    for paper, shades in zip(PAPER, zip(ATTENTION, NEGATIVE, strict=True), strict=True):
        assert [colour for colour in re.findall('fill="(#[^"]*)"', drawn(chart, paper)) if colour in shades] == [
            *shades
        ]


@pytest.mark.promise("pitfall 4")
def test_a_thumbnail_has_a_row_for_each_query_also_when_words_repeat():
    chart = head_map(np.array([[1.0, 0.0, 0.0], [0.25, 0.75, 0.0], [0.5, 0.125, 0.375]]), WORDS, **NAMED)
    assert chart.data["weight"].to_list() == [1, 0, 0, 0.25, 0.75, 0, 0.5, 0.125, 0.375]
    assert chart.data["i"].to_list() == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert chart.data["query"].to_list() == ["the", "the", "the", "cat", "cat", "cat", "the", "the", "the"]
    assert chart.data["key"].to_list() == ["the", "cat", "the"] * 3
    assert chart.specification["layer"][0]["encoding"]["color"]["scale"]["domain"] == [0, 1]
    assert drawn(chart).count('aria-roledescription="rect mark"') == 9


def test_a_small_map_has_the_words_of_its_positions_along_both_axes_in_their_order_if_they_are_asked_for():
    labels, weights = ["the₁", "cat", "the₃"], np.array([[1.0, 0.0, 0.0], [0.25, 0.75, 0.0], [0.5, 0.125, 0.375]])
    chart = head_map(weights, labels, words_along=True, **NAMED)
    written = texts(drawn(chart))
    assert written == labels * 2
    assert drawn(chart).count('aria-roledescription="rect mark"') == 9
    assert chart.data["weight"].to_list() == weights.ravel().tolist()
    assert texts(drawn(head_map(weights, labels, **NAMED))) == []


def test_signed_bars_stand_in_the_order_of_the_words():
    chart = signed_bars(WORDS, np.array([1.25, -0.5, 7.0]), limit=2, **NAMED)
    assert chart.data["row"].to_list() == [0, 1, 2]
    assert chart.data["label"].to_list() == WORDS
    assert chart.data["value"].to_list() == [1.25, -0.5, 7]
    written = texts(drawn(chart))
    assert [text for text in written if text in {"1.25", "−0.50", "7.00"}] == ["1.25", "−0.50", "7.00"]
    assert [text for text in written if text in WORDS] == WORDS


def test_a_bar_beyond_the_limit_ends_at_the_limit():
    scale = signed().specification["layer"][0]["encoding"]["x"]["scale"]
    assert scale["domain"] == [-2, 2]
    assert scale["clamp"] is True


def test_a_share_is_kept_unless_it_is_said_to_be_dropped():
    assert fraction_bars(WORDS, np.array([0.5, 0.5, 0.0]), **NAMED).data["kept"].to_list() == [True, True, True]
    data = shares().data
    assert data["kept"].to_list() == [True, True, False]
    assert data["highlight"].to_list() == [False, True, False]
    assert shares().specification["layer"][0]["encoding"]["x"]["scale"]["domain"] == [0, 1]


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


def test_a_stack_writes_its_sum_with_a_true_minus():
    chart = stacked_bars(["a"], ["k", "l"], np.array([[1.0, -1.75]]), limit=4, **NAMED)
    assert "Σ −0.75" in texts(drawn(chart))


def test_a_histogram_counts_what_lies_outside_into_its_last_bins():
    values = np.array([-9.0, 0.1, 0.2, 0.6, 1.5, 3.5, 3.9, 77.0])
    data = histogram(values, low=0, high=4, n_bins=4, y_max=1, x_title="score", **NAMED).data
    assert data["start"].to_list() == [0, 1, 2, 3]
    assert data["end"].to_list() == [1, 2, 3, 4]
    assert data["fraction"].to_list() == [0.5, 0.125, 0, 0.375]


def test_a_theory_is_drawn_in_shares_of_a_bin():
    density = (np.array([0.0, 4.0]), np.array([0.25, 0.5]))
    data = histogram(np.array([1.0]), low=0, high=4, n_bins=8, y_max=1, x_title="score", theory=density, **NAMED).data
    assert data[data["kind"] == "theory"]["fraction"].to_list() == [0.125, 0.25]


def test_a_plane_holds_its_vectors_with_their_roles():
    data = plane([Vector(1, -0.5, "q", "query"), Vector(0, 0, "k", "key")], limit=1, **NAMED).data
    assert data["x"].to_list() == [1, 0]
    assert data["y"].to_list() == [-0.5, 0]
    assert data["label"].to_list() == ["q", "k"]
    assert data["role"].to_list() == ["query", "key"]


def test_a_vector_without_length_has_no_arrow_but_its_name():
    svg = drawn(plane([Vector(0, 0, "nothing")], limit=1, **NAMED))
    assert "nothing" in texts(svg)
    assert 'aria-roledescription="point"' not in svg


@pytest.mark.parametrize("limit", [0.75, 1.5, 2, 3, 24, 1536])
def test_the_ticks_of_a_plane_are_written_where_they_stand(limit):
    svg = drawn(plane([Vector(0, 0, "")], limit=limit, **NAMED))
    labels = [float(text.replace("−", "-")) for text in texts(svg) if text]
    assert labels == [limit * share for share in (-1, -0.5, 0, 0.5, 1)] * 2


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


def test_waves_hold_a_lane_for_each_column():
    values = np.array([[0.0, 1.0], [0.5, -1.0], [1.0, 0.25]])
    data = waves(np.array([0, 1, 2]), values, ["slow", "fast"], **NAMED).data
    assert data[data["lane"] == 1]["value"].to_list() == [1, -1, 0.25]
    assert data[data["lane"] == 1]["name"].to_list() == ["fast"] * 3
    assert data[data["lane"] == 0]["position"].to_list() == [0, 1, 2]


def test_hidden_cells_are_grey_and_texts_stand_for_numbers():
    hidden = np.array([[False, True], [False, False]])
    texts = np.array([["0", "−∞"], ["0", "0"]], dtype=object)
    values = np.where(hidden, -np.inf, 0.0)
    shown = heatmap(
        values, ["a", "b"], ["a", "b"], ATTENTION_AXES, hide(hidden), write(texts), NO_LEGEND, name="x", sentence="."
    )
    colour = shown.specification["layer"][0]["encoding"]["color"]
    assert colour["condition"]["test"] == "datum.hidden"
    assert colour["legend"] is None
    assert shown.data["hidden"].tolist() == [False, True, False, False]
    assert shown.data["text"].tolist() == ["0", "−∞", "0", "0"]
    assert [
        layer["encoding"]["text"]["field"] for layer in shown.specification["layer"] if "text" in layer["encoding"]
    ] == ["text"]
    assert shown.specification["layer"][0]["mark"]["invalid"] == "show"  # an infinite number is drawn as well


def test_bars_of_positive_numbers_start_at_zero():
    bars = signed_bars(["a"], np.ones(1), limit=4, name="x", sentence=".", positive=True)
    assert bars.specification["layer"][0]["encoding"]["x"]["scale"]["domain"] == [0, 4]


def test_amounts_have_a_scale_from_nothing_to_their_limit():
    axes = Axes("query", "key", "effect")
    chart = heatmap(np.array([[0.0, 1.5]]), ["a"], ["b", "c"], axes, scale(2, amounts=True), **NAMED)
    colour = chart.specification["layer"][0]["encoding"]["color"]
    assert colour["scale"]["domain"] == [0, 2]
    assert colour["legend"]["values"] == [0, 1, 2]
    assert len(colour["scale"]["range"]) == len(WEIGHTS)
    assert "NaN" not in drawn(chart)


def test_a_cumulative_bar_lays_fractions_end_to_end_and_marks_the_number():
    chart = cumulative_bar(["a", "b", "c"], np.array([0.5, 0.3, 0.2]), chosen=1, drawn=0.62, **NAMED)
    pieces = chart.data[chart.data["kind"] != "number"]
    assert pieces["start"].to_list() == [0, 0.5, 0.8]
    assert pieces["end"].to_list() == [0.5, 0.8, 1]
    assert pieces["kind"].to_list() == ["even", "chosen", "even"]
    assert chart.data["label"].to_list()[-1] == "0.62"
    without = cumulative_bar(["a"], np.array([1.0]), chosen=0, drawn=None, **NAMED)
    assert without.data["kind"].to_list() == ["chosen"]


@pytest.mark.parametrize(("chosen", "n_others"), [(0, [76]), (24, [75]), (50, [26, 49]), (99, [75])])
def test_of_many_shares_those_without_room_for_a_name_are_one_piece(chosen, n_others):
    chart = cumulative_bar([f"t{i}" for i in range(100)], np.full(100, 0.01), chosen=chosen, drawn=None, **NAMED)
    others = chart.data[chart.data["kind"] == "others"]
    assert others["label"].to_list() == [f"{n} others" for n in n_others]
    np.testing.assert_allclose(others["probability"], np.array(n_others) / 100)
    assert chart.data[chart.data["kind"] == "chosen"]["label"].to_list() == [f"t{chosen}"]
    assert chart.data["probability"].sum() == pytest.approx(1)


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
        heatmap(
            np.eye(n),
            ["a"] * n,
            ["a"] * n,
            ATTENTION_AXES,
            ROW_SUMS,
            small and SMALL,
            legend or NO_LEGEND,
            name="weights",
            sentence=".",
        )
        for legend in (True, False)
    ]
    fit = {"autosize": {"type": "fit", "contains": "padding"}}  # as on the page
    sizes = [
        re.findall(
            'aria-roledescription="rect mark"[^>]* d="M[^h]*h([^v]*)v([^h]*)h',
            drawn(chart._replace(specification=chart.specification | fit)),
        )
        for chart in charts
    ]
    assert sizes[0]
    assert sizes[0] == sizes[1]


def on_screen(chart, width, height):
    """Return a chart that fills so many pixels."""
    screen = {"containerSize()[0]": str(width), "windowSize()[1]": str(height)}
    text = json.dumps({**drawable(chart, width=width), "height": height}, default=float)
    for name, pixels in screen.items():
        text = text.replace(name, pixels)
    return vl_convert.vegalite_to_svg(json.loads(text) | {"autosize": {"type": "fit", "contains": "padding"}})


def sizes_on_screen(chart, width, height):
    """Return the sizes of text in the cells and along the axes of a chart that fills so many pixels."""
    svg = on_screen(chart, width, height)
    written = re.findall('<text[^>]*font-size="([^"]*)px"[^>]*>([^<]*)<', svg)
    return [[float(size) for size, what in written if re.fullmatch(one, what)] for one in ("0.50", r"word\d+")]


@pytest.mark.parametrize("n", [2, 7, 12])
def test_text_grows_with_the_cells_on_a_full_screen_alone(n):
    chart = heatmap(
        np.full((n, n), 0.5),
        [f"word{i}" for i in range(n)],
        [f"word{i}" for i in range(n)],
        ATTENTION_AXES,
        name="weights",
        sentence=".",
    )
    usual = [[{2: 13.0, 7: 13.0, 12: 11.0}[n]] * n**2, [13.0] * 2 * n]
    assert sizes_on_screen(chart, 1080, chart.specification["height"]) == usual
    cells, words = sizes_on_screen(chart, 1900, 1000)
    assert len(cells) == n**2
    assert min(cells) > 18
    assert min(words) > 18
    assert max(*cells, *words) <= 32
    assert max(cells) < 0.17 * 1900 / n


def test_many_rows_leave_their_numbers_no_room_to_grow():
    values = np.full((24, 2), 0.5)
    chart = heatmap(values, [f"word{i}" for i in range(24)], ["a", "b"], ATTENTION_AXES, name="x", sentence=".")
    cells, words = sizes_on_screen(chart, 1900, 1000)
    assert max(*cells, *words) <= 1000 / 24 / 2


@pytest.mark.parametrize(("width", "numbered"), [(150, False), (240, True), (600, True)])
def test_long_words_leave_their_room_to_the_cells(width, numbered):
    names = ["supercalifragilisticexpialidocious", "cat", "antidisestablishmentarianism"]
    chart = heatmap(np.full((3, 3), 0.25), names, names, ATTENTION_AXES, SMALL, name="weights", sentence=".")
    svg = on_screen(chart, width, chart.specification["height"])
    across, down = re.search(r'aria-roledescription="rect mark"[^>]* d="M[^h]*h([^v]*)v([^h]*)h', svg).groups()
    assert float(down) > 15
    assert float(across) > 1.74 * 9 or not numbered
    sizes = [float(size) for size in re.findall('<text[^>]*font-size="([^"]*)px"[^>]*>0.25</text>', svg)[:9]]
    assert sizes == [0] * 9 or max(sizes) * 1.74 < float(across)
    assert bool(sum(sizes)) == numbered
    written = [text for text in texts(svg) if text != "0.25"]
    assert any(text.startswith("superc") and text.endswith("…") for text in written)


@pytest.mark.parametrize(
    ("names", "narrow", "wide"), [("word 1,word 2,word 3,word 4", 230, 245), ("mummy,mammal,mimic,momma", 275, 310)]
)
def test_names_of_columns_tilt_only_where_their_letters_have_no_room(names, narrow, wide):
    columns = names.split(",")
    chart = heatmap(np.full((2, 4), 0.5), ["a", "b"], columns, ATTENTION_AXES, name="x", sentence=".")
    tilts = [
        re.findall(r"<text[^>]*rotate\(-45[^>]*>(\w+ ?\d?)<", on_screen(chart, width, 300)) for width in (narrow, wide)
    ]
    assert tilts == [columns, []]
