"""One decision, taken apart: its table, its temperatures, its draws, and the text that came of many."""

import numpy as np

from attention_core.experiments.language.next_token import Decisions, decision_table, nucleus_size, tempered

SHARES = [0.15, 0.5, 0.05, 0.3]  # likeliest first: 1, 3, 0, 2; running sums .5, .8, .95, 1


def one(shares=SHARES, token=0, drawn=0.62, probabilities=None):
    shares = np.array([shares])
    used = shares if probabilities is None else np.array([probabilities])
    return Decisions(np.array([token]), np.log(shares), shares, used, np.array([drawn]), np.array([4]), np.array([5]))


def test_a_table_by_hand():
    table = decision_table(one(), 0, 1.0, top_k=3, top_p=0.8)
    assert table.tokens.tolist() == [1, 3, 0, 2]
    assert table.kept_by_k.tolist() == [True, True, True, False]
    assert table.kept.tolist() == [True, True, False, False]  # of .95, .5 and .3 are more than .8
    np.testing.assert_allclose(table.bets, [0.5, 0.3, 0.15, 0.05])
    np.testing.assert_allclose(table.shares, [5 / 8, 3 / 8, 0, 0])
    np.testing.assert_allclose(table.sums, [5 / 8, 1, 1, 1])
    assert (table.rank, table.drawn) == (0, 0.62)  # .62 is below .625
    assert decision_table(one(drawn=0.63), 0, 1.0, 3, 0.8).rank == 1


def test_temperatures_by_hand():
    found = tempered(one([0.8, 0.2]), 0, [0.5, 1, 2])
    np.testing.assert_allclose(found[:, 0], [16 / 17, 4 / 5, 2 / 3])  # the odds of 4 squared, and their root


def test_the_nucleus_by_hand():
    assert [nucleus_size(SHARES, top_p) for top_p in (0.4, 0.8 - 1e-9, 0.9, 0.96)] == [1, 2, 3, 4]  # .5, .8, .95, 1
