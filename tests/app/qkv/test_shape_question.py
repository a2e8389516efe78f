"""A question on the shape of a product in a larger model, which no picture gives away."""

from functools import partial

import pytest

from pages.qkv.shape_question import LARGER
from tests.app.qkv.scene import computed, each_kind
from tests.app.steps import step
from tests.app.visits import said

show = partial(step, "qkv", "projections", weights="random")


def by(shape):
    return " × ".join(map(str, shape))


@each_kind
@pytest.mark.parametrize("variant", range(4))
@pytest.mark.promise("tutorial 2")
def test_the_shape_is_that_of_a_larger_model_and_stands_nowhere_else(link, variant):
    length = len(computed(**link).labels)
    seen = show(variants={"shape": variant}, **link)
    question = seen.question("shape")
    widths = dict(zip("dkv", LARGER, strict=True))
    right = by((length, (widths["k"], widths["v"], length, widths["v"])[variant]))
    assert question.options[question.right[0]] == right
    assert variant == 2 or right not in said(seen)
