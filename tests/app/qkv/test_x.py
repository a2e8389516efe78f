"""x: the numbers of each word."""

from tests.app.steps import step
from tests.app.visits import said


def test_a_word_that_comes_three_times_is_not_said_to_come_twice():
    (asked,) = step("qkv", "x", text="the cat the dog the").page.asked
    assert "stands at positions 1 and 3" in asked.text


def test_equal_columns_of_two_positions_are_not_said_to_differ():
    """Words 7 positions apart have one clock hand in common."""
    (asked,) = step("qkv", "x", text="the a b c d e f the").page.asked
    assert "3 of 13 " in asked.why
    assert "Only columns of the position differ." in asked.why


def test_a_number_that_the_seed_fixes_is_not_said_to_be_made_by_hand():
    for word, random in (("cat", False), ("the", False), ("warm", True)):
        told = said(step("qkv", "x", q=word, d="word 1", text="cat the warm"))
        assert ("A random number" in told) == random
        assert ("made by hand. Its" in told) != random
