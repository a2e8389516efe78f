"""ways: the way of the shapes, and three ways to the same numbers."""

from functools import partial

import pytest

from tests.app.multi_head.scene import every_kind, expected, step
from tests.app.visits import said

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
