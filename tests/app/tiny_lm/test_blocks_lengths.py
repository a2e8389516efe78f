"""blocks: the lengths of rows on the way through eight heads and LayerNorm."""

from functools import partial

import numpy as np
import pytest

import attention_core as core
from attention_core.experiments.position_kinds import pipeline
from attention_core.text.word_vectors import position_labels, word_vectors
from tests.app.steps import step
from tests.app.tiny_lm.models import close
from tests.app.visits import heatmap, said

show = partial(step, "tiny_lm", "blocks", block_look="lengths")
WORDS = ["the", "cat", "sat", "on", "the", "warm", "mat"]
SEED, WIDTH = 18, 64
X = word_vectors(WORDS, WIDTH, SEED)


@pytest.mark.parametrize(("norm", "order"), [("after the heads", "post"), ("before the heads", "pre")])
@pytest.mark.promise("tutorial 24")
def test_lengths_on_the_way_through_eight_heads(norm, order):
    values, rows, columns = heatmap(show(deviation="0.2", norm=norm).charts[0])
    positions = core.sinusoidal_positions(7, WIDTH)
    close(values, pipeline(X, positions, 1.0, 8, 0.2, SEED, order).lengths)
    close(values[:, 2], np.linalg.norm(X + positions, axis=1))
    assert rows == position_labels(WORDS)
    assert columns[3] == ("8 heads" if order == "post" else "LayerNorm")


def test_what_adds_nothing_says_so():
    seen = show(encoding="none")
    assert not heatmap(seen.charts[0]).values[:, 1].any()
    assert "Nothing is added to the words" in said(seen)


@pytest.mark.parametrize("width", [64, 128])
def test_layernorm_gives_every_row_one_length_and_before_the_heads_the_last_sum_is_longer(width):
    x, positions = word_vectors(WORDS, width, SEED), core.sinusoidal_positions(7, width)
    after, before = (pipeline(x, positions, deviation=0.5, seed=SEED, order=order).lengths for order in ("post", "pre"))
    np.testing.assert_allclose([after[:, 5], before[:, 3]], np.sqrt(width), rtol=1e-3)
    assert before[:, 5].min() > 3 * np.sqrt(width)
