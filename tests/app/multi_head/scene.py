"""The lesson on heads as a student opens it, and what its heads compute, by the core's functions alone."""

from typing import NamedTuple

import numpy as np
import pytest

import attention_core as core
from attention_core.equations.attention import AttentionCache
from attention_core.equations.multi_head import head_writes
from attention_core.experiments.multi_head.english_heads import trained_heads
from attention_core.experiments.multi_head.several_heads import HeadSet, attend_heads, hand_set_heads, random_heads
from attention_core.experiments.qkv.one_head import hand_set_embedding
from attention_core.experiments.scaling.head_metrics import removal_effects
from attention_core.text.characters import split_words
from attention_core.text.word_vectors import position_labels, word_vectors
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


class Expected(NamedTuple):
    """What the heads of a link compute."""

    words: list[str]
    x: np.ndarray
    matrices: HeadSet
    n_heads: int
    mask: np.ndarray | None
    attention: AttentionCache

    @property
    def writes(self):
        return head_writes(self.attention.output, self.matrices.w_o)

    @property
    def effects(self):
        a = self.attention
        return removal_effects(a.q, a.k, a.v, self.matrices.w_o, self.mask)


def expected(text=SENTENCE, weights="random", d_model="16", heads="4", causal="", seed="18", **others):
    words = split_words(text)
    mask = core.causal_mask(len(words)) if causal or weights == "trained" else None
    n_heads = int(heads) if weights == "random" else 4
    if weights == "random":
        x, matrices = word_vectors(words, int(d_model), int(seed)), random_heads(int(d_model), int(seed))
    elif weights == "hand-made":
        x, matrices = hand_set_embedding(words, 32, int(seed)), hand_set_heads()
    else:
        x, matrices, _ = trained_heads(words)
    additive = None if mask is None else core.additive_mask(mask)
    return Expected(words, x, matrices, n_heads, mask, attend_heads(x, matrices, n_heads, additive))


def step(name, /, unanswered=(), variants=None, **link):
    """Return what a step draws for a link, of random heads unless the link says otherwise."""
    return steps.step("multi_head", name, unanswered, variants, **RANDOM | link)


def page(**link):
    """Return the page, of random heads unless the link says otherwise, with its questions out of the way."""
    return reveal(visit("multi_head", **RANDOM | link))


def close(seen, wanted):
    np.testing.assert_allclose(seen, wanted, rtol=1e-9, atol=1e-12)


def written(value, digits=2):
    text = f"{abs(value):.{digits}f}"
    return "−" + text if value < 0 and text.strip("0.") else text
