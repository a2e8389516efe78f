"""x: the numbers of each word."""

from tests.app.qkv.scene import card, columns, computed, each_kind, shown
from tests.app.steps import step


@each_kind
def test_a_number_of_x_is_named_with_its_word(link):
    title, _, _ = card(step("qkv", "x", q="warm", d=columns("x", link)[2], **link))
    assert title == f"Entry 3 of warm is {shown(computed(**link).x[5, 2])}"
