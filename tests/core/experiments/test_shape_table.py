"""The glossary of shapes with numbers: the sizes of a real pass through several heads, and their products."""

import pytest

from attention_core.equations.multi_head import multi_head_attention
from attention_core.experiments.language.shape_table import attention_shapes
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
