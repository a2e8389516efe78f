"""Every kind of chart but the heatmap: the data inside it, its fixed axes, and that it can be drawn."""

import copy
import json
import re

import numpy as np
import pytest
import vl_convert

from pages.shared.charts.bars import share_bars, signed_bars, stacked_bars
from pages.shared.charts.chart import drawable
from pages.shared.charts.heatmap import ATTENTION_AXES, Axes, heatmap
from pages.shared.charts.histogram import histogram
from pages.shared.charts.lines import APART, end_label, line_chart, line_colours, spread
from pages.shared.charts.picture import matrix_picture
from pages.shared.charts.plane import Vector, hull, plane
from pages.shared.charts.running_sum import running_sum
from pages.shared.charts.stretches import stretches
from pages.shared.charts.thumbnails import head_map
from pages.shared.charts.waves import waves
from pages.shared.colours import ATTENTION, HEADS, INK, NEGATIVE, PAPER, SOFT, WEIGHTS

WORDS = ["the", "cat", "the"]
NAMED = {"name": "chart", "sentence": "What it shows."}
STEPS = {"x_title": "step", "y_title": "loss", "x_domain": (1, 5), "y_domain": (0, 2)}


def some(seed, *shape):
    return np.random.default_rng(seed).uniform(-1, 1, shape)


def head(seed=0):
    return head_map(np.abs(some(seed, 3, 3)), WORDS, **NAMED)


def lines(seed=0, **options):
    series = {"train": some(seed, 5) + 1, "check": some(seed + 1, 5) + 1}
    return line_chart(np.arange(1, 6), series, **{**STEPS, **NAMED, **options})


def band(seed=0):
    around = (np.full(5, 0.25), np.full(5, 1.75))
    return lines(seed, band={"train": around}, baselines={"uniform": 1.5}, log_x=True)


def signed(seed=0):
    return signed_bars(WORDS, some(seed, 3), limit=2, title="product", **NAMED)


def shares(seed=0):
    kept = np.array([True, True, False])
    return share_bars(WORDS, np.abs(some(seed, 3)), kept=kept, highlight=1, title="weight", **NAMED)


def stacks(seed=0):
    return stacked_bars(WORDS, ["h1", "h2"], some(seed, 3, 2), limit=2, title="logit", **NAMED)


def bins(seed=0):
    at = np.linspace(-1, 1, 11)
    theory = (at, np.full(11, 0.5))
    return histogram(some(seed, 101), low=-1, high=1, n_bins=7, y_max=0.5, x_title="score", theory=theory, **NAMED)


def arrows(seed=0):
    x, y = some(seed, 2)
    corners = np.array([[0.5, 0.5], [-0.5, 0.5], [0.0, -0.5]])
    return plane([Vector(x, y, "cat", "query")], limit=2, points=[Vector(0, 1, "mix")], polygon=corners, **NAMED)


def lanes(seed=0):
    return waves(np.arange(5), some(seed, 5, 2), ["every 6 tokens", "every 60 tokens"], **NAMED)


def picture(seed=0):
    return matrix_picture(some(seed, 5, 7), Axes("position", "dimension", "value"), limit=1, **NAMED)


def tally(seed=0):
    expected = np.array([0.5, 0.25, 0.125])
    return share_bars(WORDS, np.abs(some(seed, 3)), expected=expected, title="came", **NAMED)


def line_of_shares(seed=0):
    shares = np.abs(some(seed, 5)) + 0.5
    return running_sum([*WORDS, "dog", "ran"], shares / shares.sum(), chosen=1, drawn=0.37, **NAMED)


def work(seed=0):
    stop = np.arange(3, 7)
    fresh = np.array([0, 3, 4 - seed, 3])
    first = np.array([0, 0, 0, 3])
    frame = {"n_rows": 8, "n_columns": 10, "boundary": 3}
    return stretches(["the", "cat", "sat", "on"], first, fresh, stop, **frame, **NAMED)


TEXTS = {
    head: [],
    lines: ["step", "loss", "train", "check"],
    band: ["step", "loss", "train", "check", "uniform 1.50"],
    signed: ["product", *WORDS],
    shares: ["weight", *WORDS],
    stacks: ["logit", *WORDS, "Σ "],
    bins: ["share of draws", "score", "50%"],
    arrows: ["cat", "mix", "−2"],
    lanes: ["position", "every 6 tokens", "every 60 tokens"],
    picture: ["position ↓", "dimension →", "−1"],
    tally: ["came", *WORDS],
    line_of_shares: ["the", "cat", "0.37", "0.25"],
    work: ["the", "cat", "sat", "on", "10", "3"],
}
every_kind = pytest.mark.parametrize("kind", list(TEXTS), ids=lambda kind: kind.__name__)


def drawn(chart, paper=PAPER.light):
    return vl_convert.vegalite_to_svg(json.loads(json.dumps(drawable(chart, paper, 640), default=float)))


def texts(svg):
    """Return what is written in a picture, in the order of drawing."""
    return re.findall("<text[^>]*>([^<]*)</text>", svg)


def found(node, key):
    """Return everything that stands under a key, however deep in a specification."""
    if isinstance(node, dict):
        return [*([node[key]] if key in node else []), *(hit for value in node.values() for hit in found(value, key))]
    return [hit for value in node for hit in found(value, key)] if isinstance(node, list) else []


@every_kind
@pytest.mark.parametrize("paper", PAPER)
def test_a_chart_can_be_drawn_on_either_paper_and_says_what_it_shows(kind, paper):
    svg = drawn(kind(), paper)
    written = " ".join(texts(svg))
    assert all(text in written for text in TEXTS[kind])
    assert "NaN" not in svg
    assert "undefined" not in svg


def test_a_bar_is_violet_or_ochre_in_the_shade_for_its_paper():
    chart = signed_bars(["up", "down"], np.array([1.0, -1.0]), limit=2, **NAMED)
    for paper, shades in zip(PAPER, zip(ATTENTION, NEGATIVE, strict=True), strict=True):
        assert [colour for colour in re.findall('fill="(#[^"]*)"', drawn(chart, paper)) if colour in shades] == [
            *shades
        ]


@every_kind
def test_new_data_come_in_the_same_specification(kind):
    before = copy.deepcopy(kind(0).specification)
    first, second = kind(0), kind(1)
    assert first.specification is second.specification
    assert not first.data.equals(second.data)
    drawn(first)
    assert first.specification == before


@every_kind
def test_a_chart_carries_its_name_and_its_sentence(kind):
    assert kind().name == "chart"
    assert kind().sentence == "What it shows."


@every_kind
def test_no_number_is_missing_from_the_data(kind):
    assert not kind().data.isna().any().any()


@every_kind
def test_no_scale_of_numbers_follows_the_data(kind):
    scales = found(vl_convert.vegalite_to_vega(drawable(kind(), width=640)), "scales")[0]
    measured = [scale["domain"] for scale in scales if scale["type"] in {"linear", "log"}]
    assert measured
    assert all(isinstance(domain, list) for domain in measured)


@every_kind
def test_tooltips_give_four_decimals(kind):
    fields = [field for tip in found(kind().specification, "tooltip") if isinstance(tip, list) for field in tip]
    measured = [field for field in fields if field["field"] in {"value", "weight", "share", "y"}]
    assert all(field["format"] == ".4f" for field in measured)
    assert measured or kind in (picture, work)


@every_kind
def test_a_mark_has_a_tooltip_of_ours_or_none(kind):
    for layer in kind().specification.get("layer", [kind().specification]):
        assert "tooltip" in layer["encoding"] or ("tooltip", None) in layer["mark"].items()


@every_kind
def test_a_chart_names_no_width_of_a_container_wider_than_a_phone(kind):
    assert kind().specification.get("width", 0) <= 358


def test_a_thumbnail_has_a_row_for_each_query_also_when_words_repeat():
    chart = head_map(np.array([[1.0, 0.0, 0.0], [0.25, 0.75, 0.0], [0.5, 0.125, 0.375]]), WORDS, **NAMED)
    assert chart.data["weight"].to_list() == [1, 0, 0, 0.25, 0.75, 0, 0.5, 0.125, 0.375]
    assert chart.data["i"].to_list() == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert chart.data["query"].to_list() == ["the", "the", "the", "cat", "cat", "cat", "the", "the", "the"]
    assert chart.data["key"].to_list() == ["the", "cat", "the"] * 3
    assert chart.specification["encoding"]["color"]["scale"]["domain"] == [0, 1]
    assert drawn(chart).count('aria-roledescription="rect mark"') == 9


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
    assert share_bars(WORDS, np.array([0.5, 0.5, 0.0]), **NAMED).data["kept"].to_list() == [True, True, True]
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
    assert data["share"].to_list() == [0.5, 0.125, 0, 0.375]


def test_a_theory_is_drawn_in_shares_of_a_bin():
    density = (np.array([0.0, 4.0]), np.array([0.25, 0.5]))
    data = histogram(np.array([1.0]), low=0, high=4, n_bins=8, y_max=1, x_title="score", theory=density, **NAMED).data
    assert data[data["kind"] == "theory"]["share"].to_list() == [0.125, 0.25]


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
        values, ["a", "b"], ["a", "b"], ATTENTION_AXES, name="x", sentence=".", hidden=hidden, texts=texts, legend=False
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
    chart = heatmap(np.array([[0.0, 1.5]]), ["a"], ["b", "c"], axes, limit=2, amounts=True, **NAMED)
    colour = chart.specification["layer"][0]["encoding"]["color"]
    assert colour["scale"]["domain"] == [0, 2]
    assert colour["legend"]["values"] == [0, 1, 2]
    assert len(colour["scale"]["range"]) == len(WEIGHTS)
    assert "NaN" not in drawn(chart)


def test_a_running_sum_lays_shares_end_to_end_and_marks_the_number():
    chart = running_sum(["a", "b", "c"], np.array([0.5, 0.3, 0.2]), chosen=1, drawn=0.62, **NAMED)
    pieces = chart.data[chart.data["kind"] != "number"]
    assert pieces["start"].to_list() == [0, 0.5, 0.8]
    assert pieces["end"].to_list() == [0.5, 0.8, 1]
    assert pieces["kind"].to_list() == ["even", "chosen", "even"]
    assert chart.data["label"].to_list()[-1] == "0.62"
    without = running_sum(["a"], np.array([1.0]), chosen=0, drawn=None, **NAMED)
    assert without.data["kind"].to_list() == ["chosen"]


@pytest.mark.parametrize(("chosen", "n_others"), [(0, [76]), (24, [75]), (50, [26, 49]), (99, [75])])
def test_of_many_shares_those_without_room_for_a_name_are_one_piece(chosen, n_others):
    chart = running_sum([f"t{i}" for i in range(100)], np.full(100, 0.01), chosen=chosen, drawn=None, **NAMED)
    others = chart.data[chart.data["kind"] == "others"]
    assert others["label"].to_list() == [f"{n} others" for n in n_others]
    np.testing.assert_allclose(others["share"], np.array(n_others) / 100)
    assert chart.data[chart.data["kind"] == "chosen"]["label"].to_list() == [f"t{chosen}"]
    assert chart.data["share"].sum() == pytest.approx(1)


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


def test_names_that_change_leave_the_specification_as_it_is():
    usual, called = lines(), lines(called={"train": "<cat>"})
    assert usual.specification is called.specification
    assert called.data["label"].to_list()[-2:] == [
        usual.data["label"].to_list()[-2].replace("train", "<cat>"),
        usual.data["label"].to_list()[-1],
    ]
