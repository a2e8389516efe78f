"""The lesson on positions as a student opens it: its sentence, and what of its charts the tests read."""

import numpy as np

from attention_core.experiments.qkv.one_head import random_head
from attention_core.text.word_vectors import word_vectors
from tests.app.visits import heatmap

WORDS = ["the", "cat", "sat", "on", "the", "warm", "mat"]
SEED, WIDTH = 18, 64
X, HEAD = word_vectors(WORDS, WIDTH, SEED), random_head(WIDTH, 8, SEED)
VARIANTS = range(4)


def close(seen, expected):
    np.testing.assert_allclose(seen, expected, rtol=1e-6, atol=1e-6)


def matrix(seen, i=0):
    return heatmap(seen.charts[i]).values


def line(seen, name, i=0):
    """Return where a line of a chart runs: x and y."""
    data = seen.charts[i].data
    found = data[(data["kind"] == "line") & (data["series"] == name)]
    return found["x"].to_numpy(), found["value"].to_numpy()


def drawn(seen, kind, i=0):
    data = seen.charts[i].data
    return data[data["kind"] == kind][["x", "y"]].to_numpy()
