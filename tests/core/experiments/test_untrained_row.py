"""One row before training: the head of every width, and scores whose variance is the width."""

import math

import numpy as np
import pytest

from attention_core.experiments.qkv.one_head import attend, random_head
from attention_core.experiments.scaling.untrained_row import WORD_WIDTH, row_over_widths, untrained_words

WORDS = ("the", "cat", "saw", "the", "dog")
WIDTHS = (1, 3, 7, 64, 512)


@pytest.mark.parametrize("query", [0, 2, 4])
def test_each_width_has_the_scores_of_the_random_head_of_that_width(query):
    rows = row_over_widths(WORDS, query, WIDTHS, 5)
    x = untrained_words(WORDS, WORD_WIDTH, 5)
    for row, d_k in zip(rows, WIDTHS, strict=True):
        cache = attend(x, random_head(WORD_WIDTH, d_k, 5))
        np.testing.assert_allclose(row / math.sqrt(d_k), cache.scores[query], rtol=1e-10, atol=1e-10)


def test_a_row_depends_on_its_seed_and_cannot_be_written_to():
    rows = row_over_widths(WORDS, 1, WIDTHS, 5)
    assert not np.array_equal(rows, row_over_widths(WORDS, 1, WIDTHS, 6))
    assert not rows.flags.writeable
