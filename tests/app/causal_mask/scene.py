"""The lesson on masks as a student opens it."""

import numpy as np
import pytest

from pages.causal_mask.scene import cells_of
from tests.app.visits import charts, reveal, visit

SENTENCE = "the cat sat on the warm mat"
STEPS = ["predictions", "cheats", "see", "added", "laboratory", "leak", "paint", "shuffle"]
SCENES = {
    "random": {"weights": "random"},
    "hand-made": {},
    "another seed": {"seed": "7"},
    "trained": {"weights": "trained", "head": "3"},
}
every_scene = pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES)


def blocked_by(length, pattern="causal", size=3, paint=""):
    """Return a mask cell by cell, from what its name says."""
    hides = {
        "none": lambda i, j: False,
        "causal": lambda i, j: j > i,
        "sliding window": lambda i, j: j > i or i - j >= size,
        "prefix": lambda i, j: j > i and j >= size,
        "padding": lambda i, j: j >= length - size,
        "block": lambda i, j: i // size != j // size,
    }[pattern]
    turned = set(cells_of(paint))
    return np.array([[hides(i, j) ^ ((i, j) in turned) for j in range(length)] for i in range(length)])


def page(**link):
    return reveal(visit("causal_mask", **link))


def named(app, *axes):
    """Return the heatmaps whose rows, columns and numbers are called so."""
    return [chart for chart in charts(app) if tuple(chart.data.columns[:3]) == axes]


def close(seen, wanted):
    np.testing.assert_allclose(seen, wanted, rtol=1e-10, atol=1e-12)
