"""Heads over sentences of many kinds, for the questions that are asked of them."""

import re

import numpy as np
import pytest

from attention_core.experiments.multi_head.english_heads import trained_head
from attention_core.experiments.qkv.one_head import JOBS, HeadMatrices, hand_set_embedding, hand_set_head
from attention_core.text.characters import split_words
from attention_core.text.word_vectors import word_vectors
from pages.look.html import caption
from tests.app.qkv.scene import computed_from

D = 8
SENTENCES = {"one word": "cat", "repeated words": "the cat the cat the", "right to left": "مرحبا بالعالم الجميل"}
MORE_SENTENCES = {
    "two words": "cat sat",
    "three words": "tea is hot",
    "as many words as dimensions": "one two three four five six seven eight",
    "24 words": " ".join(f"word{i}" for i in range(24)),
    "emoji": "👩‍👩‍👧 sees 🇫🇷 ❤️",
}
VARIANTS = range(8)
every_sentence = pytest.mark.parametrize(
    "sentence",
    [
        *(pytest.param(text, id=name) for name, text in SENTENCES.items()),
        *(pytest.param(text, id=name, marks=pytest.mark.nightly) for name, text in MORE_SENTENCES.items()),
    ],
)
with_and_without_a_mask = pytest.mark.parametrize("masked", [False, True], ids=["all seen", "masked"])


def random_heads(sentence, masked=False):
    """Yield heads over a sentence: of several seeds, and several widths, one of them the number of words."""
    words = split_words(sentence)
    for seed in range(3):
        for d_k in (1, 2, 4, 32, len(words)):
            x = word_vectors(words, D, seed)
            rng = np.random.default_rng([seed, d_k, 11])
            matrices = [rng.standard_normal((D, width)) / np.sqrt(D) for width in (d_k, d_k, (3, d_k, 1)[seed])]
            yield computed_from(words, x, HeadMatrices(*matrices), causal(len(words)) if masked else None)


def heads_of_every_origin(sentence):
    """Yield the heads that the page can show over a sentence, beside random ones: set by hand, or trained."""
    words = split_words(sentence)
    for job in JOBS:
        for head in (hand_set_head(job, 16, 8), hand_set_head(job, 16, 8)._replace(w_k=hand_set_head(job, 16, 8).w_q)):
            yield computed_from(words, hand_set_embedding(words, 16), head)
    known = ["the", "cat", "sat", "the", "cat"][: len(words)]
    for number in range(4):
        trained = trained_head(known, number)
        matrices = HeadMatrices(*(matrix.astype(float) for matrix in trained.matrices))
        yield computed_from(known, trained.x.astype(float), matrices, causal(len(known)))


def causal(length):
    """Return the mask that hides what comes later."""
    return np.where(np.tri(length) == 1, 0, -np.inf)


def named(text, labels):
    """Return which words a question names, in order."""
    return [labels.index(word) for word in re.findall("“\u2068(.*?)\u2069”", text)]


def assert_sound(question):
    """Require of a choice that its options differ, and that exactly the wrong ones have an explanation."""
    assert len(set(question.options)) == len(question.options) >= 2
    assert len(question.mistakes) == len(question.options)
    assert question.right
    for i, mistake in enumerate(question.mistakes):
        right, text = question.judge(i)
        assert right == (i in question.right)
        assert right or caption(mistake) in text
        assert right == (caption(question.why) in text)
    assert question.options[question.right[0]]
