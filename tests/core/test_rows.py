"""Rows: their norms and distances, and the orders they are put into."""

import numpy as np

from attention_core import rows as by_rows


def test_norms_distances_and_cosines_worked_by_hand():
    rows, others = np.array([[3, 4], [0, 0], [-4, 3]]), np.array([[0, 8], [1, 1], [-8, 6]])
    np.testing.assert_array_equal(by_rows.row_norms(rows), [5, 0, 5])
    np.testing.assert_allclose(by_rows.row_distances(rows, others), [5, np.sqrt(2), 5])
    np.testing.assert_allclose(by_rows.row_cosines(rows / 100, others), [0.8, 0, 1])  # also where both are short


def test_norms_of_float32_neither_vanish_nor_overflow():
    np.testing.assert_allclose(by_rows.row_norms(np.array([[3e-30, 4e-30], [3e25, 4e25]], np.float32)), [5e-30, 5e25])


def test_the_largest_difference_worked_by_hand():
    assert by_rows.largest_difference(np.array([1, 5]), np.array([2, 2])) == 3
    assert by_rows.largest_difference(np.array([[1, 1], [2, 2]]), np.array([[2, 2], [9, 9], [1, 4]]), [2, 0]) == 3


def test_rows_go_back_to_where_they_came_from():
    rows, order = np.arange(10).reshape(5, 2), [3, 0, 4, 2, 1]
    np.testing.assert_array_equal(by_rows.reorder(rows, order)[:, 0], [6, 0, 8, 4, 2])
    np.testing.assert_array_equal(by_rows.reorder(by_rows.reorder(rows, order), np.argsort(order)), rows)
    assert by_rows.reorder(np.ones((0, 3)), []).shape == (0, 3)


def test_of_numbers_that_differ_by_rounding_the_first_counts_as_the_largest():
    values = np.array([[0.3, 0.1 + 0.2, 0.1], [-np.inf, 1e-20, 1.5e-20], [-np.inf] * 3, [0, -5, 0], [0] * 3])
    np.testing.assert_array_equal(by_rows.first_largest(values), [0, 2, 0, 0, 0])
    expected = [[True, True, False], [False, False, True], [True] * 3, [True, False, True], [True] * 3]
    np.testing.assert_array_equal(by_rows.equal_to_largest(values), expected)
    np.testing.assert_array_equal(by_rows.first_largest(np.array([1, 1 + 3e-6, 1.1], np.float32)[:2]), 0)
    assert by_rows.first_largest(np.array([1, 1 + 3e-6])) == 1
