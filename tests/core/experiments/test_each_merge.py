"""A text after each merge: by hand, against encoding with the merges so far."""

from hypothesis import given
from hypothesis import strategies as st

from attention_core.experiments.language.each_merge import ids_after, merged_text
from attention_core.text.byte_pairs import ALPHABET, BytePairs
from attention_core.text.stories import N_MERGES, story_pieces

ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]))


def encoded(pieces, text, n_merges):
    """Return the ids of a text under the first merges alone."""
    return BytePairs(pieces.vocabulary.tokens[: len(ALPHABET) + n_merges]).encode(text).tolist()


def test_merges_worked_by_hand():
    # "ab" occurs three times, then "aab" twice: a | a | b, space, a | b
    found = merged_text(BytePairs.learn("aab ab\naab", 9), "aab ab")
    a, b, space = (ALPHABET.index(letter) for letter in "abĠ")
    assert found.ids.tolist() == [a, a, b, space, a, b]
    assert found.joined.tolist() == [2, 1, 3, 3, 1]
    assert ids_after(found, 0).tolist() == [a, a, b, space, a, b]
    assert ids_after(found, 1).tolist() == [a, 256, space, 256]
    assert ids_after(found, 2).tolist() == [257, space, 256]


@given(ANY_TEXT, st.integers(0, N_MERGES))
def test_a_text_after_some_merges_is_encoded_by_those_merges_alone(text, n_merges):
    found = merged_text(story_pieces(), text)
    assert ids_after(found, n_merges).tolist() == encoded(story_pieces(), text, n_merges)
