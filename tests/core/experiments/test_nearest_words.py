"""Which words a vector is near, and the plane in which what an output adds is drawn."""

import numpy as np

from attention_core.experiments.qkv.nearest_words import nearness, widest_columns


def test_the_columns_with_the_largest_area_are_not_two_that_say_the_same():
    rng = np.random.default_rng(1)
    wide, other = 3 * rng.standard_normal(11), rng.standard_normal(11)
    vectors = np.stack([other, wide, 1.01 * wide, np.zeros(11)], axis=1)
    assert widest_columns(vectors) in ((0, 1), (0, 2))
    assert widest_columns(np.zeros((1, 2))) == (0, 1)


def test_how_near_a_word_is_worked_by_hand():
    vectors = np.array([[1.0, 0], [0, 2], [0, 0]])
    found = nearness(vectors, np.array([[3.0, 3], [9, 9], [9, 9]]), 0)
    np.testing.assert_allclose(found.before, [1, 0, 0])
    np.testing.assert_allclose(found.after, [np.sqrt(1 / 2), np.sqrt(1 / 2), 0])
