"""Byte-pair encoding: merges by hand, round trips over any Unicode, files that lie, and the package tokenizers."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core.text.byte_pairs import ALPHABET, PRETOKEN, BytePairs, Merge, merges_of
from attention_core.text.stories import told_for_pieces

TOLD = told_for_pieces()[:60_000]
PIECES = BytePairs.learn(TOLD, 300)
ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]))
MIXED = "naïve café, 12 345 ½ — “Grüß Gott”\n\n\tこんにちは 世界 🙂👩‍👩‍👧 don't __x__ é\u0301 \u2028\0"


def test_merges_worked_by_hand():
    # words: "aab" twice, " ab" once, so that a+b occurs three times, a+a twice, and Ġ+a once
    assert list(merges_of("aab ab\naab", 9)) == [Merge("a", "b", 3, "ab"), Merge("a", "ab", 2, "aab")]
    pieces = BytePairs.learn("aab ab\naab", 9)
    assert pieces.vocabulary.tokens[256:] == ("ab", "aab")
    assert pieces.vocabulary.decode(pieces.encode("aab abb")) == ["aab", "Ġ", "ab", "b"]


def test_pairs_are_counted_inside_words():
    assert list(merges_of("a a a a a a", 9)) == [Merge("Ġ", "a", 5, "Ġa")]  # Ġa follows Ġa four times, across words


def test_ties_go_to_the_smaller_ids():
    # each of these pairs occurs twice; the ids of the left pieces are those of b, c and x
    assert [merge.piece for merge in merges_of("xy xy cz cz ba ba", 3)] == ["ba", "cz", "xy"]
    # a space has a larger id than every visible letter
    assert [merge.piece for merge in merges_of(" a a", 3)] == ["Ġa"]


def test_a_run_of_one_letter_is_merged_from_the_left():
    pieces = BytePairs.learn("aaa aaa", 1)
    assert pieces.vocabulary.decode(pieces.encode("aaaaa")) == ["aa", "aa", "a"]


@given(ANY_TEXT)
def test_any_text_comes_back_exactly(text):
    assert PIECES.decode(PIECES.encode(text)) == text
    assert "".join(PRETOKEN.findall(text)) == text


@given(ANY_TEXT, st.integers(0, 30))
def test_pieces_of_any_text_can_be_stored_as_a_list(text, n_merges):
    pieces = BytePairs.learn(text * 2, n_merges)
    again = BytePairs(json.loads(json.dumps(pieces.vocabulary.tokens)))
    assert [merge.piece for merge in merges_of(text * 2, n_merges)] == list(pieces.vocabulary.tokens[256:])
    assert again.encode(text).tolist() == pieces.encode(text).tolist()
    assert pieces.decode(pieces.encode(text)) == text


LIES = {
    "no bytes": ["a", "b", "ab"],
    "bytes in another order": [*ALPHABET[1:], ALPHABET[0]],
    "a piece of no pieces": [*ALPHABET, "abc"],
    "a piece of three": [*ALPHABET, "ab", "cd", "abcde"],
    "the same piece twice": [*ALPHABET, "ab", "ab"],
    "a byte again": [*ALPHABET, "a"],
    "an empty piece": [*ALPHABET, ""],
    "a letter that is no byte": [*ALPHABET, "a世"],
    "a piece longer than any word": [*ALPHABET, *("a" * 2**n for n in range(1, 12))],
}


@pytest.mark.parametrize("pieces", LIES.values(), ids=LIES)
def test_pieces_that_no_merges_make_are_refused(pieces):
    with pytest.raises(ValueError, match=r"^(pieces|tokens) must"):
        BytePairs(pieces)


TEXTS = {
    "stories": TOLD,
    "scripts": 3 * MIXED.replace("\u0301", ""),  # their \\w has combining marks, that of Python does not
    "signs": 4 * "one two  three\n\n four's 5-5",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_the_package_tokenizers_learns_the_same_merges_and_gives_the_same_ids(text):
    tokenizers = pytest.importorskip("tokenizers", reason="pip install -r requirements-dev.txt")
    pre = tokenizers.pre_tokenizers
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE())
    split = pre.Split(tokenizers.Regex(PRETOKEN.pattern), "isolated")
    theirs.pre_tokenizer = pre.Sequence([split, pre.ByteLevel(add_prefix_space=False, use_regex=False)])
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=556, min_frequency=2, initial_alphabet=pre.ByteLevel.alphabet(), show_progress=False
    )
    theirs.train_from_iterator([text], trainer)
    model = json.loads(theirs.to_str())["model"]
    merges = list(merges_of(text, 300))
    pieces = BytePairs([*ALPHABET, *(merge.piece for merge in merges)])
    assert [tuple(pair) for pair in model["merges"]] == [merge[:2] for merge in merges]
    assert model["vocab"] == {piece: number for number, piece in enumerate(pieces.vocabulary)}
    assert theirs.encode(text).ids == pieces.encode(text).tolist()
