"""The lesson on heads as a student opens it."""

import numpy as np
import pytest

from attention_core.text.word_vectors import position_labels
from tests.app import steps
from tests.app.visits import reveal, visit

SENTENCE = "the cat sat on the warm mat"
RANDOM = {"weights": "random", "text": SENTENCE}  # what most tests begin with: there, sizes and seeds can be chosen
LABELS = position_labels(SENTENCE.split())
KINDS = {
    "random": {},
    "random, causal and wide": {"d_model": "24", "heads": "6", "causal": "true", "seed": "7"},
    "hand-made": {"weights": "hand-made", "seed": "2"},
    "trained": {"weights": "trained"},
}
every_kind = pytest.mark.parametrize("link", KINDS.values(), ids=KINDS)


def step(name, /, unanswered=(), variants=None, **link):
    """Return what a step draws for a link, of random heads unless the link says otherwise."""
    return steps.step("multi_head", name, unanswered, variants, **RANDOM | link)


def expected(**link):
    return step("heads", **link).scene


def page(**link):
    """Return the page, of random heads unless the link says otherwise, with its questions out of the way."""
    return reveal(visit("multi_head", **RANDOM | link))


def close(seen, wanted):
    np.testing.assert_allclose(seen, wanted, rtol=1e-9, atol=1e-12)
