"""The glossary of shapes with numbers: sizes and their products."""

from attention_core.experiments.language.shape_table import attention_shapes


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
