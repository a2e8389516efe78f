"""The glossary of shapes with numbers: the sizes of a real pass through several heads, and their products."""

import math

import numpy as np
import pytest

from attention_core.equations.multi_head import multi_head_attention
from attention_core.experiments.language.shape_table import Shape, attention_shapes
from tests.core.errors import check, says
from tests.core.gradients import drawer

T, H, K = 7, 3, 5
D = H * K


def test_five_words_and_two_heads_of_width_three_worked_by_hand():
    sizes = {shape.name: (shape.sizes, shape.numbers) for shape in attention_shapes(5, 6, 2)}
    assert sizes == {
        "X": ((5, 6), 30),
        "W_Q, W_K, W_V": ((6, 6), 36),
        "q, k, v": ((2, 5, 3), 30),
        "scores": ((2, 5, 5), 50),
        "attention weights": ((2, 5, 5), 50),
        "head outputs": ((2, 5, 3), 30),
        "concatenated": ((5, 6), 30),
        "W_O": ((6, 6), 36),
        "output": ((5, 6), 30),
    }


@pytest.mark.promise("home 3")
def test_the_sizes_are_those_of_a_real_pass():
    draw = drawer()
    x, matrices = draw(T, D), [draw(D, D) for _ in range(4)]
    output, weights = multi_head_attention(x, *matrices, H)
    sizes = {shape.name: shape.sizes for shape in attention_shapes(T, D, H)}
    heads = (x @ matrices[0]).reshape(T, H, K).swapaxes(0, 1)
    found = {"X": x, "W_O": matrices[3], "q, k, v": heads, "attention weights": weights, "output": output}
    assert {name: array.shape for name, array in found.items()} == {name: sizes[name] for name in found}


def test_an_axis_has_one_size_wherever_it_stands():
    letters = {"T": T, "D": D, "H": H, "K": K}
    for shape in attention_shapes(T, D, H):
        assert shape.sizes == tuple(letters[letter] for letter in shape.letters), shape.name


def test_every_array_has_its_own_name_and_a_meaning():
    shapes = attention_shapes(T, D, H)
    assert len({shape.name for shape in shapes}) == len(shapes) == 9
    assert all(shape.meaning for shape in shapes)


def test_one_word_one_head_one_number():
    assert {shape.numbers for shape in attention_shapes(1, 1, 1)} == {1}


def test_a_product_of_sizes_is_a_whole_number_of_any_size():
    assert Shape("scores", ("H", "T", "T"), (3, 10**9, 10**9), "").numbers == 3 * 10**18
    assert Shape("a single number", (), (), "").numbers == 1


def test_sizes_from_numpy_are_taken_and_given_back_as_plain_ones():
    shapes = attention_shapes(np.int64(T), np.int32(D), np.uint8(H))
    assert shapes == attention_shapes(T, D, H)
    assert {type(size) for shape in shapes for size in shape.sizes} == {int}
    assert all(shape.numbers == math.prod(shape.sizes) for shape in shapes)


@says(
    (lambda: attention_shapes(0, 6, 2), "length must be at least 1, got 0"),
    (lambda: attention_shapes(5.0, 6, 2), "length must be a whole number, got 5.0"),
    (lambda: attention_shapes(5, 0, 2), "d_model must be at least 1, got 0"),
    (lambda: attention_shapes(5, "6", 2), "d_model must be a whole number, got '6'"),
    (lambda: attention_shapes(5, 6, 0), "n_heads must be at least 1, got 0"),
    (lambda: attention_shapes(5, 6, True), "n_heads must be a whole number, got True"),
    (lambda: attention_shapes(5, 7, 2), "d_model must be a multiple of n_heads, got 7 and 2"),
    (lambda: attention_shapes(5, 2, 3), "d_model must be a multiple of n_heads, got 2 and 3"),
)
def test_bad_input_says_what_is_wrong(call, message):
    check(call, message)


@pytest.mark.parametrize("n_heads", [1, 3, 5, 15])
def test_more_heads_cost_scores_and_nothing_else(n_heads):
    numbers = {shape.name: shape.numbers for shape in attention_shapes(T, D, n_heads)}
    assert numbers.pop("scores") == numbers.pop("attention weights") == n_heads * T * T
    assert set(numbers.values()) == {T * D, D * D}
