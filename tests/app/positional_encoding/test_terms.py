"""terms: the four parts of a score."""

from functools import partial

import numpy as np
import pytest

import attention_core as core
from tests.app.positional_encoding.scene import HEAD, WIDTH, X, close, matrix
from tests.app.steps import step
from tests.app.visits import domain

show = partial(step, "positional_encoding", "terms")


@pytest.mark.promise("positional_encoding 2")
def test_the_four_terms_are_on_the_page_and_sum_to_the_scores():
    seen = show(terms_strength=2)
    maps = [matrix(seen, i) for i in range(4)]
    p = 2 * core.sinusoidal_positions(7, WIDTH)
    for values, (left, right) in zip(maps, ((X, X), (X, p), (p, X), (p, p)), strict=True):
        close(values, left @ HEAD.w_q @ (right @ HEAD.w_k).T / np.sqrt(8))
    close(sum(maps), (X + p) @ HEAD.w_q @ ((X + p) @ HEAD.w_k).T / np.sqrt(8))
    assert len({tuple(domain(chart)) for chart in seen.charts}) == 1


def test_the_colours_keep_their_range_while_the_terms_grow():
    first, later = show(terms_strength=1), show(terms_strength=8)
    assert domain(first.charts[3]) == domain(later.charts[3])


@pytest.mark.parametrize("strength", [0, 1, 8])
def test_the_shares_of_the_terms_are_those_of_their_mean_squares(strength):
    seen = show(terms_strength=strength)
    squares = [np.mean(matrix(seen, i) ** 2) for i in range(4)]
    close(seen.result("fractions"), np.array(squares) / sum(squares))
