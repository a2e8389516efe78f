"""The lesson on masks as a student opens it, and what its heads compute, here once more."""

import math

import numpy as np
import pytest

from attention_core.experiments.multi_head.english_heads import trained_head
from attention_core.experiments.qkv.named_head import named_embedding, named_head
from attention_core.experiments.qkv.one_head import HeadMatrices, random_head
from attention_core.text.characters import split_words
from attention_core.text.word_vectors import word_vectors
from pages.causal_mask.scene import cells_of
from pages.heads.matrices import VECTORS
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


def head_of(text=SENTENCE, weights="hand-made", job="adjective to noun", head="1", seed=20, **others):
    """Return the rows of X and the matrices."""
    words = split_words(text)
    if weights == "hand-made":
        vectors = np.array([vector.split() for vector in VECTORS.values()], float)
        x = named_embedding(words, list(VECTORS), vectors, int(seed))
        return x, named_head(job, x.shape[1])
    if weights == "random":
        return word_vectors(words, 8, int(seed)), random_head(8, 4, int(seed), 4)
    x, matrices, _ = trained_head(words, int(head) - 1)
    return x, HeadMatrices(*matrices)


def shares(scores, blocked):
    """Return the softmax of the open cells of each row, one row at a time; 0 where nothing is open."""
    weights = np.zeros_like(scores)
    for i in range(len(scores)):
        if (seen := ~blocked[i]).any():
            powers = np.exp(scores[i, seen] - scores[i, seen].max())
            weights[i, seen] = powers / powers.sum()
    return weights


def attention(x, head, blocked):
    """Return scores, weights and output."""
    scores = (x @ head.w_q) @ (x @ head.w_k).T / math.sqrt(head.w_q.shape[1])
    weights = shares(scores, blocked)
    return scores, weights, weights @ (x @ head.w_v)


def expected(**link):
    """Return blocked, and the attention without and with the mask."""
    x, head = head_of(**link)
    blocked = blocked_by(len(x))
    return blocked, attention(x, head, np.zeros_like(blocked)), attention(x, head, blocked)


def page(**link):
    """Return the page with its questions out of the way."""
    return reveal(visit("causal_mask", **link))


def named(app, *axes):
    """Return the heatmaps whose rows, columns and numbers are called so."""
    return [chart for chart in charts(app) if tuple(chart.data.columns[:3]) == axes]


def close(seen, wanted):
    np.testing.assert_allclose(seen, wanted, rtol=1e-10, atol=1e-12)
