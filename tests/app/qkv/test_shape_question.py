"""A question on the shape of a product in a larger model, which no picture gives away."""

from functools import partial
from itertools import product

import numpy as np
import pytest

from attention_core.experiments.qkv.one_head import HeadMatrices
from pages.qkv.shape_question import LARGER, shape_question
from tests.app.qkv.heads import VARIANTS, assert_sound, every_sentence, heads_of_every_origin, random_heads
from tests.app.qkv.scene import computed, computed_from, each_kind
from tests.app.steps import step
from tests.app.visits import said

show = partial(step, "qkv", "projections", weights="random")


def products_of(head):
    """Return the two factors of each product that is asked for, in turn."""
    x, (w_q, w_k, w_v) = head.x, head.head
    return ((x, w_q), (x, w_v), (x @ w_q, (x @ w_k).T), (head.softmax, x @ w_v))


def by(shape):
    return " × ".join(map(str, shape))


@each_kind
@pytest.mark.parametrize("variant", range(4))
def test_the_shape_is_that_of_a_larger_model_and_stands_nowhere_else(link, variant):
    length = len(computed(**link).labels)
    seen = show(variants={"shape": variant}, **link)
    question = seen.question("shape")
    widths = dict(zip("dkv", LARGER, strict=True))
    right = by((length, (widths["k"], widths["v"], length, widths["v"])[variant]))
    assert question.options[question.right[0]] == right
    assert variant == 2 or right not in said(seen)


@every_sentence
@pytest.mark.promise("tutorial 2")
def test_the_shapes_of_four_products_are_asked_in_turn(sentence):
    for head in (*random_heads(sentence), *heads_of_every_origin(sentence)):
        for variant in VARIANTS:
            question = shape_question(head, variant)
            assert_sound(question)
            first, second = products_of(head)[variant % 4]
            assert [question.options[i] for i in question.right] == [by((first @ second).shape)]
            wrong = {first.shape, second.shape, (first @ second).T.shape, (first.shape[1],) * 2}
            assert set(map(by, wrong)) <= set(question.options)


def test_shapes_can_be_asked_where_sizes_are_equal():
    for length, d_model, d_k, d_v in product((1, 2, 3), (1, 2, 3), (1, 2, 3), (1, 3)):
        matrices = HeadMatrices(np.ones((d_model, d_k)), np.ones((d_model, d_k)), np.ones((d_model, d_v)))
        head = computed_from(["a"] * length, np.ones((length, d_model)), matrices)
        for variant in range(4):
            question = shape_question(head, variant)
            assert_sound(question)
            first, second = products_of(head)[variant]
            assert question.options[question.right[0]] == by((first @ second).shape)


def test_where_all_sizes_are_one_number_the_wrong_answer_adds_them():
    matrices = HeadMatrices(*np.ones((3, 3, 3)))
    question = shape_question(computed_from(["a"] * 3, np.ones((3, 3)), matrices), 1)
    assert sorted(question.options) == ["3 × 3", "3 × 6"]
