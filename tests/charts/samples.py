"""A sample of every kind of chart, and what is written in it once it is drawn."""

import json
import re

import numpy as np
import vl_convert

from pages.charts.bars import fraction_bars, signed_bars, stacked_bars
from pages.charts.chart import drawable
from pages.charts.cumulative_bar import cumulative_bar
from pages.charts.heatmap import Axes, head_map
from pages.charts.histogram import histogram
from pages.charts.lines import line_chart
from pages.charts.matrix_image import matrix_picture
from pages.charts.moved_point import moved_point
from pages.charts.scatter import scatter
from pages.charts.stacked_waves import waves
from pages.charts.step_spans import stretches
from pages.charts.vector_plane import Vector, plane
from pages.look.colours import PAPER

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
    return fraction_bars(WORDS, np.abs(some(seed, 3)), highlight=1, title="weight", **NAMED)


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


def moved(seed=0):
    points, after = np.array([[-1.0, -1], some(seed, 2), [1, 1]]), some(seed + 1, 2)
    return moved_point(points, WORDS, 1, after, axes=("word 1", "word 4"), **NAMED)


def dots(seed=0):
    options = {"axes": ("x", "y"), "limits": (1.0, 1.0), "of": ("head", "layer"), "chosen": 1}
    return scatter(
        *np.abs(some(seed, 2, 3)), ["1.1", "1.2", "2.1"], ["layer 1", "layer 1", "layer 2"], **options, **NAMED
    )


def lanes(seed=0):
    shape = (np.arange(4) + 0.5, some(seed, 4, 2))
    dashed = some(seed, 5, 2), some(seed, 4, 2)
    lanes = ["every 6 tokens", "every 60 tokens"]
    return waves(np.arange(5), some(seed, 5, 2), lanes, between=shape, dashed=dashed, **NAMED)


def picture(seed=0):
    return matrix_picture(some(seed, 5, 7), Axes("position", "dimension", "value"), limit=1, **NAMED)


def tally(seed=0):
    expected = np.array([0.5, 0.25, 0.125])
    return fraction_bars(WORDS, np.abs(some(seed, 3)), expected=expected, title="came", **NAMED)


def line_of_shares(seed=0):
    shares = np.abs(some(seed, 5)) + 0.5
    return cumulative_bar([*WORDS, "dog", "ran"], shares / shares.sum(), chosen=1, drawn=0.37, **NAMED)


def work(seed=0):
    stop = np.arange(3, 7)
    fresh = np.array([0, 3, 4 - seed, 3])
    first = np.array([0, 0, 0, 3])
    frame = {"n_rows": 8, "n_columns": 10, "boundary": 3}
    return stretches(["the", "cat", "sat", "on"], first, fresh, stop, **frame, **NAMED)


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
