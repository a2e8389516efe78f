"""What is limited takes as much as its limit says, and not one more."""

import pytest

from attention_core.text.characters import LONGEST_LABEL, MOST_MARKS, short_label, split_characters
from pages.causal_mask import explained as masks
from pages.exercises.sandbox import source_limits
from pages.positional_encoding import explained as positions
from pages.qkv import explained as attention

LINE = "a" * 99 + "\n"
TAKEN = {  # whether as much as that is taken, and the limit
    "characters": (lambda n: not source_limits.problem((LINE * n)[:n]), source_limits.MAX_CHARS),
    "lines": (lambda n: not source_limits.problem("\n" * (n - 1)), source_limits.MAX_LINES),
    "characters of a line": (lambda n: not source_limits.problem("a" * n), source_limits.MAX_LINE_CHARS),
    "brackets": (lambda n: not source_limits.problem("(" * n), source_limits.MAX_BRACKETS),
    "characters of a label": (lambda n: short_label("🙂" * n) == "🙂" * n, LONGEST_LABEL),
    "marks on a letter": (lambda n: len(split_characters("e" + "\u0301" * (n - 1))[0]) < n, MOST_MARKS),
}


@pytest.mark.parametrize("what", TAKEN)
def test_a_limit_is_taken_and_one_more_is_not(what):
    takes, limit = TAKEN[what]
    assert takes(limit)
    assert not takes(limit + 1)


@pytest.mark.parametrize("lesson", [attention, masks, positions])
def test_three_words_are_enough_to_be_explained(lesson):
    assert lesson.statements_of(["cat", "sat", "it"])
    assert not lesson.statements_of(["cat", "it"])
