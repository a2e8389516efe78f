"""What every kind of chart keeps: its data, its fixed axes, its tooltips, and that it can be drawn."""

import copy
import subprocess
import sys

import pytest
import vl_convert

from pages.charts.chart import drawable
from pages.look.colours import PAPER
from tests.app.visits import ROOT
from tests.charts.samples import (
    WORDS,
    arrows,
    band,
    bins,
    dots,
    drawn,
    found,
    head,
    lanes,
    line_of_shares,
    lines,
    moved,
    picture,
    shares,
    signed,
    stacks,
    tally,
    texts,
    work,
)

TEXTS = {
    head: [],
    lines: ["step", "loss", "train", "check"],
    band: ["step", "loss", "train", "check", "uniform 1.50"],
    signed: ["product", *WORDS],
    shares: ["weight", *WORDS],
    stacks: ["logit", *WORDS, "Σ "],
    bins: ["fraction of values", "score", "50%"],
    arrows: ["cat", "mix", "−2"],
    dots: ["1.1", "1.2", "2.1", "layer 1", "layer 2", "x →", "y ↑"],
    moved: ["cat", "the", "cat + output", "word 1 →", "word 4 ↑"],
    lanes: ["position", "every 6 tokens", "every 60 tokens"],
    picture: ["position ↓", "dimension →", "−1"],
    tally: ["came", *WORDS],
    line_of_shares: ["the", "cat", "0.37", "0.25"],
    work: ["the", "cat", "sat", "on", "10", "3"],
}
every_kind = pytest.mark.parametrize("kind", list(TEXTS), ids=lambda kind: kind.__name__)


@every_kind
@pytest.mark.parametrize("paper", PAPER)
def test_a_chart_can_be_drawn_on_either_paper_and_says_what_it_shows(kind, paper):
    svg = drawn(kind(), paper)
    written = " ".join(texts(svg))
    assert all(text in written for text in TEXTS[kind])
    assert "NaN" not in svg
    assert "undefined" not in svg


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
@pytest.mark.promise("pitfall 6")
def test_no_scale_of_numbers_follows_the_data(kind):
    scales = found(vl_convert.vegalite_to_vega(drawable(kind(), width=640)), "scales")[0]
    measured = [scale["domain"] for scale in scales if scale["type"] in {"linear", "log"}]
    assert measured
    assert all(isinstance(domain, list) for domain in measured)


@every_kind
def test_tooltips_give_four_decimals(kind):
    fields = [field for tip in found(kind().specification, "tooltip") if isinstance(tip, list) for field in tip]
    measured = [field for field in fields if field["field"] in {"value", "weight", "probability", "fraction", "y"}]
    assert all(field["format"] == ".4f" for field in measured)
    assert measured or kind in (picture, work)


@every_kind
def test_a_mark_has_a_tooltip_of_ours_or_none(kind):
    for layer in kind().specification.get("layer", [kind().specification]):
        assert "tooltip" in layer["encoding"] or ("tooltip", None) in layer["mark"].items()


@every_kind
def test_a_chart_names_no_width_of_a_container_wider_than_a_phone(kind):
    assert kind().specification.get("width", 0) <= 358


def test_without_docstrings_they_say_how_python_must_be_started():
    command = [sys.executable, "-OO", "-c", "import pages.charts.lines"]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert "Start Python without -OO" in answer.stderr.splitlines()[-1]
