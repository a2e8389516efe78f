"""Colours for every kind of eye: more is further from the paper, and what differs still does without red or green."""

import re
from itertools import combinations, pairwise, product

import numpy as np
import pytest

from pages.charts.heatmap import attention_heatmap, hide, scale, write
from pages.look.colours import HEADS, KEY, MASKED, NEGATIVE, PAPER, QUERY, SCORES, VALUE, WEIGHTS, mix
from tests.charts.samples import NAMED, drawn

PAPERS = ("light", "dark")
EYES = {  # Machado, Oliveira and Fernandes (2009), table 1 at full severity; of linear red, green and blue
    "all cones": np.eye(3),
    "without red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "without green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "without blue": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}
each_eye = pytest.mark.parametrize(("paper", "eye"), [*product(PAPERS, EYES)])
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def lab(colour, eye="all cones"):
    """Return a colour as lightness and two opponents, as an eye sees it."""
    share = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    seen = XYZ @ np.clip(np.array(EYES[eye]) @ linear, 0, 1) / XYZ.sum(axis=1)
    x, y, z = np.where(seen > 0.008856, np.cbrt(seen), 7.787 * seen + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def apart(first, second, paper, eye):
    """Return how far apart an eye sees two colours; 2.3 is just noticed."""
    return float(np.linalg.norm(lab(getattr(first, paper), eye) - lab(getattr(second, paper), eye)))


@each_eye
def test_more_is_always_further_from_the_paper(paper, eye):
    for ramp in (WEIGHTS, SCORES[4:], SCORES[4::-1]):
        gaps = [abs(lab(getattr(colour, paper), eye)[0] - lab(getattr(PAPER, paper), eye)[0]) for colour in ramp]
        assert all(more - less > 5 for less, more in pairwise(gaps)), gaps


@each_eye
def test_both_signs_and_all_roles_differ_for_every_kind_of_eye(paper, eye):
    groups = ((SCORES[0], SCORES[-1]), (SCORES[2], SCORES[-3]), (QUERY, KEY, VALUE), HEADS, (VALUE, NEGATIVE))
    for group in groups:
        for first, second in combinations(group, 2):
            assert apart(first, second, paper, eye) > 10, (first, second)


@pytest.mark.parametrize("eye", EYES)
def test_in_the_dark_a_masked_cell_does_not_look_like_a_weight_or_a_score(eye):
    shades = [mix(ramp, share) for ramp in (WEIGHTS, SCORES) for share in np.linspace(0, 1, 49)]
    assert min(apart(MASKED, shade, "dark", eye) for shade in shades) > 10
    # more is lighter there, and nothing is darker than a masked cell
    assert all(lab(MASKED.dark)[0] < lab(shade.dark)[0] for shade in (*shades, PAPER))


@pytest.mark.parametrize("paper", PAPERS)
def test_what_stands_in_a_masked_cell_can_be_read(paper):
    hidden = np.array([[False, True], [False, False]])
    words = np.array([["0", "−∞"], ["0", "0"]], dtype=object)
    layers = scale(1.0), hide(hidden), write(words)
    chart = attention_heatmap(np.where(hidden, -np.inf, 0.0), ["a", "b"], *layers, **NAMED)
    svg = drawn(chart, getattr(PAPER, paper))
    (tag,) = re.findall("<text[^>]*>−∞", svg)
    below = getattr(MASKED, paper)
    assert f'fill="{below}"' in svg
    light, dark = sorted((luminance(re.search('fill="(#[^"]*)"', tag)[1]), luminance(below)), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 4.5


def luminance(colour):
    return ((lab(colour)[0] + 16) / 116) ** 3 if lab(colour)[0] > 8 else lab(colour)[0] / 903.3
