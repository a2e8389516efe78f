"""What adding an output does: the sum, which words a vector is near before and after, and the widest plane."""

import numpy as np

from attention_core.experiments.qkv.named_head import add_to_own, named_embedding, named_head, own_vectors
from attention_core.experiments.qkv.nearest_words import add_output, nearness, widest_columns
from attention_core.experiments.qkv.one_head import attend

GIVEN = ["cat", "sat", "mat"]
VECTORS = np.array([[0.9, 0.1, 0.8, 0.2], [0.1, 0.9, 0.3, 0.7], [0.8, 0.2, 0.7, 0.3]])
WORDS = ["the", "cat", "sat", "on", "the", "warm", "mat", "and", "it", "meowed"]


def test_before_it_is_near_no_word_and_after_it_is_nearest_to_the_cat():
    x = named_embedding(WORDS, GIVEN, VECTORS, 20)
    output = attend(x, named_head("pronoun to noun", x.shape[1])).output
    own = own_vectors(x)
    near = nearness(own, own_vectors(add_to_own(x, output)), WORDS.index("it"))
    assert not near.before.any()
    assert WORDS[near.after.argmax()] == "cat"
    assert near.after[WORDS.index("cat")] > near.after[WORDS.index("mat")] + 0.005


def test_a_cosine_by_hand():
    vectors = np.array([[3.0, 4.0], [1.0, 0.0], [0.0, -2.0]])
    near = nearness(vectors, np.array([[4.0, 0.0], [1.0, 0.0], [0.0, -2.0]]), 0)
    np.testing.assert_allclose(near.before, [1, 0.6, -0.8])
    np.testing.assert_allclose(near.after, [0.6, 1, 0])


def test_the_columns_with_the_largest_area_are_not_two_that_say_the_same():
    rng = np.random.default_rng(1)
    wide, other = 3 * rng.standard_normal(11), rng.standard_normal(11)
    vectors = np.stack([other, wide, 1.01 * wide, np.zeros(11)], axis=1)
    assert widest_columns(vectors) in ((0, 1), (0, 2))
    assert widest_columns(np.zeros((1, 2))) == (0, 1)


def test_an_output_is_added_as_it_is_or_through_a_matrix():
    rng = np.random.default_rng(0)
    x, narrow, w_o = (rng.standard_normal(shape) for shape in ((5, 7), (5, 3), (3, 7)))
    np.testing.assert_array_equal(add_output(x, x), x + x)
    np.testing.assert_allclose(add_output(x, narrow, w_o), x + narrow @ w_o)
