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


def test_a_repeated_word_has_another_vector_at_another_position():
    x = untrained_words(WORDS, WORD_WIDTH, 0)
    assert not np.allclose(x[0], x[3])
    assert x[0] @ x[3] > 4 * abs(x[0] @ x[1])  # the word is the same, so they are similar


def test_the_entries_have_variance_1_and_the_scores_that_of_the_width():
    words = tuple(f"word {i}" for i in range(40))
    assert untrained_words(words, WORD_WIDTH, 1).var() == pytest.approx(1, rel=0.05)
    products = np.concatenate([row_over_widths(words, i, (16, 256), 1) for i in range(40)], axis=1)
    assert products.var(axis=1) == pytest.approx([16, 256], rel=0.2)


def test_a_row_depends_on_its_seed_and_cannot_be_written_to():
    rows = row_over_widths(WORDS, 1, WIDTHS, 5)
    assert not np.array_equal(rows, row_over_widths(WORDS, 1, WIDTHS, 6))
    assert not rows.flags.writeable


@pytest.mark.parametrize(("query", "widths"), [(5, WIDTHS), (-1, WIDTHS), (0, (0,)), (0, (2000,))])
def test_bad_input_is_named(query, widths):
    with pytest.raises(ValueError, match=r"(query|widths) must be"):
        row_over_widths(WORDS, query, widths, 0)
