"""ways: the way of the shapes, and three ways to the same numbers."""

import re
from functools import partial

import numpy as np
import pytest

from attention_core.experiments.language.shape_table import attention_shapes
from tests.app.multi_head.scene import LABELS, every_kind, expected, step
from tests.app.visits import charts, html_of, said

show = partial(step, "ways")


@every_kind
def test_the_trace_shows_the_shapes_with_the_students_own_sizes(link):
    found = expected(**link)
    (t, d), n_heads = found.x.shape, found.n_heads
    seen = show(**link)
    text = said(seen)
    assert f"({t}, {d}) → ({n_heads}, {t}, {d // n_heads}) → ({n_heads}, {t}, {t}) → ({t}, {d})" in text


@pytest.mark.parametrize(
    ("way", "function"),
    [
        ("a loop over heads", "multi_head_by_loop"),
        ("a reshape", "multi_head_attention"),
        ("einsum", "multi_head_by_einsum"),
    ],
)
def test_the_code_of_each_way_can_be_read(way, function):
    assert f"def {function}(" in said(show(way=way))


@pytest.mark.parametrize("link", [{"heads": 1}, {"text": "a b c d"}, {"text": "a", "d_model": "6", "heads": 1}])
def test_a_shape_that_is_right_is_no_mistake(link):
    question = show(**link).question("split")
    assert len(set(question.options)) == len(question.options)
    assert len(question.right) == 1


@every_kind
def test_the_rows_of_q_have_their_words(link):
    data = charts(show(**link))[0].data
    assert data["label"].tolist() == ["", *LABELS]
    assert data["at"].tolist()[1:] == list(range(1, 8))


@pytest.mark.parametrize(("length", "heads", "width"), [(7, "4", 16), (100_000, "32", 1024)])
def test_the_calculator_of_shapes_is_the_cores(length, heads, width):
    seen = show(length=str(length), many=heads, width=str(width))
    (table,) = [block for block in html_of(seen) if "<th>shape</th>" in block]
    rows = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", table)[1:]]
    for (_, letters, sizes, numbers), shape in zip(
        rows, attention_shapes(length, int(heads) * width, int(heads)), strict=True
    ):
        assert letters == " × ".join(shape.letters)
        assert tuple(int(size.replace(",", "")) for size in sizes.split(" × ")) == shape.sizes
        assert int(numbers.replace(",", "")) == shape.numbers == np.prod(shape.sizes, dtype=object)
