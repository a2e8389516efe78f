"""A large matrix as one image: its points, decoded here, have the colours of the ramps."""

from base64 import b64decode
from io import BytesIO

import numpy as np
import pytest
import vl_convert
from PIL import Image

from pages.charts.chart import drawable
from pages.charts.heatmap import Axes
from pages.charts.matrix_image import matrix_picture
from pages.look.colours import PAPER, SCORES, WEIGHTS

AXES = Axes("position", "dimension", "value")


def picture(values, limit):
    return matrix_picture(np.array(values, dtype=float), AXES, limit=limit, name="picture", sentence="A picture.")


def decoded(address):
    """Return the points of an image as #rrggbb, row by row."""
    start, _, body = address.partition(",")
    assert start == "data:image/png;base64"
    points = np.asarray(Image.open(BytesIO(b64decode(body))).convert("RGB"))
    return [[f"#{bytes(point).hex()}" for point in row] for row in points]


def test_the_ends_of_the_ramps_are_the_ends_of_the_numbers():
    shares = picture([[0, 1, 7]], None).data.iloc[0]
    assert decoded(shares["light"]) == [["#f4f1fb", "#2b1463", "#2b1463"]]
    assert decoded(shares["dark"]) == [["#1f1e2b", "#f1ecff", "#f1ecff"]]
    scores = picture([[-2], [2], [-9]], 2).data.iloc[0]
    assert [row[0] for row in decoded(scores["light"])[::3]] == ["#6b4300", "#3a1f80", "#6b4300"]
    assert [row[0] for row in decoded(scores["dark"])[::3]] == ["#ffd894", "#dcd0ff", "#ffd894"]


def test_the_middle_of_a_negative_cell_alone_is_empty():
    points = decoded(picture([[-2, 2]], 2).data.iloc[0]["light"])
    assert [row[1:5:3] for row in points] == [["#6b4300", "#3a1f80"], ["#f5f2ee", "#3a1f80"], ["#6b4300", "#3a1f80"]]


@pytest.mark.parametrize(("ramp", "limit", "numbers"), [(WEIGHTS, None, (0, 1)), (SCORES, 3, (-3, 3))])
def test_every_colour_of_a_ramp_stands_at_its_number_to_half_a_step(ramp, limit, numbers):
    data = picture([np.linspace(*numbers, len(ramp))], limit).data.iloc[0]
    for paper in ("light", "dark"):
        for seen, pair in zip(decoded(data[paper])[0][:: 1 if limit is None else 3], ramp, strict=True):
            distance = np.frombuffer(bytes.fromhex(seen[1:]), np.uint8).astype(int)
            distance -= np.frombuffer(bytes.fromhex(getattr(pair, paper)[1:]), np.uint8)
            assert np.abs(distance).max() <= 2


def test_row_0_comes_first_and_both_papers_have_every_point():
    data = picture([[1, 0, 0], [0, 0, 1]], None).data.iloc[0]
    more, less = "#2b1463", "#f4f1fb"
    assert decoded(data["light"]) == [[more, less, less], [less, less, more]]
    assert len(decoded(data["dark"])) == 2


def test_the_paper_decides_which_image_is_drawn():
    chart = picture([[1, 0, 0], [0, 0, 1]], None)
    light, dark = chart.data.iloc[0][["light", "dark"]]
    on_light, on_dark = (vl_convert.vegalite_to_svg(drawable(chart, paper, 640)) for paper in PAPER)
    assert light in on_light
    assert dark not in on_light
    assert dark in on_dark
    assert light not in on_dark


def test_rows_and_columns_may_be_counted_from_one():
    chart = matrix_picture(np.zeros((5, 7)), AXES, limit=1, name="picture", sentence="A picture.", first=1)
    data = chart.data.iloc[0]
    assert (data["left"], data["right"], data["top"], data["bottom"]) == (0.5, 7.5, 0.5, 5.5)
    assert chart.specification["layer"][0]["encoding"]["x"]["scale"]["domain"] == [0.5, 7.5]
