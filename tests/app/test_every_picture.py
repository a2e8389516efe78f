"""Every picture of every page: its words, its grammar, its scale, and whose weights it shows."""

import json
import re
import unicodedata

import altair as alt
import pytest

from tests.app.every_page import each_walk, views
from tests.app.visits import domain, heatmap


def small(chart, others):
    """Tell whether a chart stands among others that one sentence describes together."""
    cells = chart.spec["layer"][0]["encoding"]
    legend = cells.get("color", {}).get("legend", False)
    bare = cells.get("x", {}).get("axis", True) is None
    many = sum(other.spec == chart.spec for other in others) > 2
    beside = legend is None  # the map beside it has the legend of both
    return bare or many or beside or bool(legend and legend["gradientLength"] == 120)


def is_map(chart):
    """Tell whether a chart is a heatmap: what a line or a bar says may stand in the card beside it."""
    return any(layer["mark"]["type"] == "rect" for layer in chart.spec.get("layer", [])[:1])


@each_walk
def test_every_chart_has_a_sentence_and_words_stand_under_a_map(page, whole):
    for view in views(page, whole):
        for chart, under in zip(view.charts, view.under, strict=True):
            assert chart.alt.strip()
            assert not any(unicodedata.category(char) == "Cc" for char in chart.alt)
            if is_map(chart) and not small(chart, view.charts):
                assert not under or under.startswith('<div class="course note">')  # or nothing


@pytest.fixture
def pictures(page, whole):
    """Every picture of a page, with the place where it stands and what the page says there."""
    return [(view.place, chart, view.text) for view in views(page, whole) for chart in view.charts]


@each_walk
def test_every_picture_keeps_to_the_grammar_of_its_pictures(pictures):
    """The pages build them without that check, which takes most of the time."""
    sizes = {"height": 1, "params": []}
    kinds = {json.dumps({**chart.spec, **sizes}, sort_keys=True): chart.spec for _, chart, _ in pictures}
    for spec in kinds.values():
        kind = alt.LayerChart if "layer" in spec else alt.Chart
        kind.validate(spec | {"data": {"name": "data"}})


@each_walk
def test_every_colour_scale_of_shares_is_from_0_to_1_and_of_other_numbers_symmetric_or_from_0_on(pictures):
    for _, chart, _ in pictures:
        colour = chart.spec.get("layer", [{}])[0].get("encoding", {}).get("color", {})
        if colour.get("type") == "quantitative":
            low, high = domain(chart)
            assert (low, high) == (0, 1) if chart.data.columns[2] == "weight" else low in (0, -high)


@each_walk
def test_on_every_map_of_weights_a_row_is_a_query_and_a_column_a_key(pictures):
    for chart in [chart for _, chart, _ in pictures if list(chart.data.columns[:3]) == ["query", "key", "weight"]]:
        heatmap(chart)  # sees that rows and columns come in their order, and none is missing
        encoding = chart.spec.get("layer", [chart.spec])[0]["encoding"]
        assert (encoding["y"]["field"], encoding["x"]["field"]) in {("query", "key"), ("i", "j")}


@each_walk
def test_every_map_of_weights_says_whose_weights_it_shows(pictures):
    for place, chart, text in pictures:
        if "weight" in chart.data.columns[:3]:
            assert re.search(r"[Rr]andom|made by hand|hand-made|trained (on|for)|(of|from) Toy English", text), place


@each_walk
def test_no_sentence_of_a_picture_gives_a_reason(pictures):
    for _, chart, _ in pictures:
        assert not re.search(
            r"\b(because|reasons?|why|explain\w*|therefore|due to|important|caus(e|es|ed))\b", chart.alt
        )
