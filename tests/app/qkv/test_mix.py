"""mix: the output, a weighted average of values."""

from functools import partial

from tests.app.qkv.scene import card, choose, computed, each_kind, products, shown
from tests.app.steps import step

show = partial(step, "qkv", "mix", weights="random")


@each_kind
def test_an_output_is_derived_from_the_weights_of_the_values(link):
    expected = computed(**link)
    title, rows, lines = card(show(**choose("mix", 5, 2, link=link), **link))
    assert title == f"Entry 2 of the output of {expected.labels[4]}"
    assert rows == products(expected.softmax[4], expected.v[:, 1], expected.labels)
    assert [value for _, value in lines] == [shown(expected.mix[4, 1])]
