"""What every kind of chart keeps: its words, its fixed axes, its tooltips, and that it can be drawn."""

import copy
import subprocess
import sys

import pytest
import vl_convert

from pages.charts.chart import drawable
from pages.look.colours import PAPER
from tests.app.visits import ROOT
from tests.charts import samples
from tests.charts.samples import BUILDERS, arrows, band, drawn, found, lines, moved, sample, texts, work

EACH = ["word 0", "word 1", "word 2"]
TEXTS = {
    lines: ["step", "loss", "train", "check"],
    band: ["step", "loss", "train", "check", "uniform 1.50"],
    arrows: ["cat", "mix", "−2"],
    moved: ["cat", "the", "cat + output", "a →", "b ↑"],
    work: ["the", "cat", "sat", "on", "10", "3"],
    samples.map_of_a_head: [],
    samples.bars: ["value", *EACH],
    samples.bars_of_shares: EACH,
    samples.stacks: [*EACH, "Σ "],
    samples.bins: ["fraction of values", "value"],
    samples.dots: [*EACH, "a →", "b ↑"],
    samples.lanes: EACH,
    samples.picture: ["row ↓", "column →", "−1"],
    samples.pieces: ["word 0", "0.25"],
}


@pytest.fixture(params=TEXTS)
def build(request):
    return request.param


@pytest.fixture
def kind(build):
    return sample(build) if build in BUILDERS else build


def test_a_chart_can_be_drawn_on_either_paper_and_says_what_it_shows(build, kind):
    for paper in PAPER:
        svg = drawn(kind(), paper)
        assert all(text in " ".join(texts(svg)) for text in TEXTS[build])
        assert "NaN" not in svg
        assert "undefined" not in svg


def test_new_data_come_in_the_same_specification_and_none_is_missing(kind):
    before = copy.deepcopy(kind(0).specification)
    first, second = kind(0), kind(1)
    assert first.specification is second.specification == before
    assert not first.data.equals(second.data)
    assert not first.data.isna().any(axis=None)
    assert (first.name, first.sentence) == ("chart", "What it shows.")


def test_no_scale_of_numbers_follows_the_data(kind):
    scales = found(vl_convert.vegalite_to_vega(drawable(kind(), width=640)), "scales")[0]
    measured = [scale["domain"] for scale in scales if scale["type"] in {"linear", "log"}]
    assert measured
    assert all(isinstance(domain, list) for domain in measured)


def test_a_mark_has_a_tooltip_of_ours_with_four_decimals_or_none(kind):
    chart = kind().specification
    for layer in chart["layer"]:
        assert "tooltip" in layer["encoding"] or ("tooltip", None) in layer["mark"].items()
    fields = [field for tip in found(chart, "tooltip") if isinstance(tip, list) for field in tip]
    measured = {"value", "weight", "probability", "fraction", "y"}
    assert {field["format"] for field in fields if field["field"] in measured} <= {".4f"}
    assert chart.get("width", 0) <= 358  # of a phone


def test_without_docstrings_they_say_how_python_must_be_started():
    command = [sys.executable, "-OO", "-c", "import pages.charts.lines"]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert "Start Python without -OO" in answer.stderr.splitlines()[-1]
