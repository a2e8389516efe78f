"""The lesson on scaling as a student opens it, and what its first trial computes, here once more."""

import numpy as np

from attention_core.experiments.scaling.random_scores import one_table
from pages.scaling.scene import DIVISORS, SENTENCE
from tests.app import steps
from tests.app.visits import reveal, visit

SEED, ASKS = 895, SENTENCE.index("it")
OF_EACH = ("d_k", "divide", "q", "k")  # controls that each step has for itself
FEW = {"length": "4", "draws": "100"}  # what is quick to run
CHOSEN_AS = {named: chosen for chosen, named in DIVISORS.items()}  # of the core’s divisors


def page(**link):
    return reveal(visit("scaling", **link))


def products(d_k=64, length=8, seed=SEED):
    """Return q · k of the first trial."""
    trial = one_table(d_k, length, seed, 0)
    return trial.q @ trial.k.T


def softmaxed(scores):
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def line(chart, name, column="value"):
    """Return the numbers of one line, or of an edge of its band, along x."""
    lines = chart.data[(chart.data["kind"] == "line") & (chart.data["series"] == name)]
    return lines.sort_values("x")[column].to_numpy()


def close(seen, wanted):
    np.testing.assert_allclose(seen, wanted, atol=1e-12)


def of_step(name, **link):
    """Return the words of a link in which a step's own controls have their short names."""
    return {f"{name}_{word}" if word in OF_EACH else word: value for word, value in link.items()}


def step(lesson, name, /, **link):
    """Return what a step draws for a link in which its own controls have their short names."""
    return steps.step(lesson, name, **of_step(name, **link))
