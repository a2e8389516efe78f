"""A sample of every kind of chart, and what is written in it once it is drawn."""

import json
import re

import numpy as np
import vl_convert

from pages.charts.bars import fraction_bars, signed_bars, stacked_bars
from pages.charts.box_diagram import diagram
from pages.charts.chart import drawable, rung
from pages.charts.cumulative_bar import cumulative_bar
from pages.charts.heatmap import CLICK, ROW_SUMS, SMALL, Axes, frame, head_map, heatmap, hide, scale
from pages.charts.histogram import histogram
from pages.charts.lines import line_chart
from pages.charts.loss_rows import example_bars
from pages.charts.matrix_image import matrix_picture
from pages.charts.moved_point import moved_point
from pages.charts.scatter import scatter
from pages.charts.stacked_waves import waves
from pages.charts.step_spans import stretches
from pages.charts.vector_plane import Vector, plane, reach
from pages.look.colours import PAPER

WORDS = ["the", "cat", "the"]


NAMED = {"name": "chart", "sentence": "What it shows."}


AXES = Axes("row", "column", "value")
STEPS = {"x_title": "step", "y_title": "loss", "x_domain": (1, 5), "y_domain": (0, 2)}


def some(seed, *shape):
    return np.random.default_rng(seed).uniform(-1, 1, shape)


def lines(seed=0, **options):
    series = {"train": some(seed, 5) + 1, "check": some(seed + 1, 5) + 1}
    return line_chart(np.arange(1, 6), series, **{**STEPS, **NAMED, **options})


def band(seed=0):
    around = (np.full(5, 0.25), np.full(5, 1.75))
    return lines(seed, band={"train": around}, baselines={"uniform": 1.5}, log_x=True)


def arrows(seed=0):
    x, y = some(seed, 2)
    corners = np.array([[0.5, 0.5], [-0.5, 0.5], [0.0, -0.5]])
    return plane([Vector(x, y, "cat", "query")], limit=2, points=[Vector(0, 1, "mix")], polygon=corners, **NAMED)


def moved(seed=0):
    points, after = np.array([[-1.0, -1], some(seed, 2), [1, 1]]), some(seed + 1, 2)
    return moved_point(points, WORDS, 1, after, axes=("a", "b"), **NAMED)


def work(seed=0):
    stop = np.arange(3, 7)
    fresh = np.array([0, 3, 4 - seed, 3])
    first = np.array([0, 0, 0, 3])
    frame = {"n_rows": 8, "n_columns": 10, "boundary": 3}
    return stretches(["the", "cat", "sat", "on"], first, fresh, stop, **frame, **NAMED)


def words(count):
    return [f"word {i}" for i in range(count)]


def limit(values):
    return rung(float(np.abs(values[np.isfinite(values)]).max(initial=0)))


def map_of_shares(values):
    return heatmap(values, *map(words, values.shape), AXES, ROW_SUMS, **NAMED)


def map_around_0(values):
    layers = scale(limit(values)), frame(values > 0), hide(values < 0), CLICK, SMALL
    return heatmap(values, *map(words, values.shape), AXES, *layers, **NAMED)


def map_of_a_head(values):
    return head_map(values, words(max(values.shape)), **NAMED)


def bars(values):
    return signed_bars(words(len(values)), values, limit=limit(values), title="value", **NAMED)


def bars_of_shares(values):
    return fraction_bars(words(len(values)), values, expected=values, **NAMED)


def stacks(values):
    return stacked_bars(*map(words, values.shape), values, limit=limit(values), **NAMED)


def bins(values):
    return histogram(values, low=-1, high=1, n_bins=5, y_max=1, x_title="value", **NAMED)


def curves(values):
    series = dict(zip(words(len(values)), values, strict=True))
    domains = {"x_domain": (0, 5), "y_domain": (-limit(values), limit(values))}
    return line_chart(np.arange(values.shape[1]), series, x_title="x", y_title="y", dots=True, **domains, **NAMED)


def vectors_in(values):
    pairs = np.resize(values, (len(values), 2)) if values.size else np.zeros((0, 2))
    vectors = [Vector(*row, "word") for row in pairs.tolist()]
    return plane(vectors, limit=reach(pairs), points=vectors, polygon=pairs, **NAMED)


def moves(values):
    pairs = np.resize(values, (len(values) + 1, 2)) if values.size else np.zeros((2, 2))
    return moved_point(pairs[:-1], words(len(pairs) - 1), 0, pairs[-1], axes=("a", "b"), **NAMED)


def dots(values):
    options = {"axes": ("a", "b"), "limits": (limit(values), 1.0), "of": ("head", "layer"), "chosen": 0}
    return scatter(values, values[::-1], words(len(values)), words(len(values)), **options, **NAMED)


def lanes(values):
    more = {"between": (np.arange(len(values)), values), "dashed": (values, values)}
    return waves(np.arange(len(values)), values, words(values.shape[1]), **more, **NAMED)


def picture(values):
    return matrix_picture(values, AXES, limit=limit(values), **NAMED)


def picture_of_shares(values):
    return matrix_picture(values, AXES, limit=None, **NAMED)


def pieces(values):
    return cumulative_bar(words(len(values)), values, chosen=0, drawn=None, **NAMED)


def losses(values):
    names = words(len(values))
    return example_bars(names, names, values, values, values > 0, chosen=0, limit=limit(values), line=1.0, **NAMED)


def boxes(values):
    names = words(len(values))
    return diagram(names, names, [3] * len(names), chosen=0, **NAMED)


def steps(values):
    ends = np.arange(len(values))
    size = {"n_rows": len(values), "n_columns": len(values), "boundary": 0}
    return stretches(words(len(values)), 0 * ends, ends, ends + 1, **size, **NAMED)


BUILDERS = {
    dots: 1,
    **dict.fromkeys((map_of_shares, map_around_0, map_of_a_head, stacks, curves, vectors_in, moves, lanes), 2),
    **dict.fromkeys((picture, picture_of_shares), 2),
    **dict.fromkeys((bars, bars_of_shares, bins, pieces, losses, boxes, steps), 1),
}


def sample(build):
    """Return a function that builds a chart of some numbers from 0 to 1, by a seed."""
    return lambda seed=0: build(np.abs(some(seed, *(3,) * BUILDERS[build])))


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
