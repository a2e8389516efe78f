from itertools import pairwise

import numpy as np
import pytest

from attention_core.text.characters import split_words
from attention_core.text.small_english import (
    ADJECTIVES,
    COLOURS,
    CRIES,
    FACTS,
    NOUNS,
    PLURALS,
    WORDS,
    corpus,
    links,
    predictable,
    rows,
    sentence,
    story_rows,
)
from attention_core.text.vocabulary import Vocabulary

LESSON_SENTENCES = [
    "the cat sat down",
    "the cat sat on the mat",
    "the cat sat on the warm mat",
    "the chai is hot",
    "a fluffy blue creature roamed the verdant forest",
    "the animal didn't cross the street because it was too tired",
    "the animal didn't cross the street because it was too wide",
]
STORY = "today the big red cat quickly saw the blue ball and it meowed . the ball is blue ."


@pytest.fixture(scope="module")
def sentences():
    rng = np.random.default_rng(0)
    return [sentence(rng) for _ in range(20_000)]


def named(text):
    """Return the links of a text as words."""
    words = text.split()
    return [(words[link.query], words[link.key], link.kind) for link in links(words)]


def settled(text):
    words = text.split()
    return [(words[position], words[key]) for position, key in predictable(words).items()]


def test_the_words_are_distinct_lower_case_and_about_a_hundred():
    assert len(set(WORDS)) == len(WORDS) == 113
    assert all(word == word.lower() for word in WORDS)
    assert Vocabulary(WORDS).tokens == WORDS
    assert not set(NOUNS) & set(ADJECTIVES)


@pytest.mark.parametrize("text", [*LESSON_SENTENCES, STORY])
def test_every_word_of_the_lessons_is_known(text):
    assert set(split_words(text)) <= set(WORDS)


def test_every_word_is_used(sentences):
    assert {word for words in sentences for word in words} == set(WORDS)


@pytest.mark.parametrize("text", LESSON_SENTENCES)
def test_the_sentences_of_the_lessons_can_be_drawn(text):
    """The rarest, with the blue creature, comes once in 90,000 sentences."""
    rng = np.random.default_rng(1)
    wanted = [*text.split(), "."]
    assert any(sentence(rng) == wanted for _ in range(200_000))


def test_a_generator_always_gives_the_same_sentences():
    assert sentence(np.random.default_rng(7)) == sentence(np.random.default_rng(7))
    assert len({" ".join(sentence(np.random.default_rng(seed))) for seed in range(97)}) > 90


def test_a_sentence_ends_with_a_full_stop_and_is_not_long(sentences):
    lengths = {len(words) for words in sentences}
    assert all(words[-1] == "." for words in sentences)
    assert (min(lengths), max(lengths)) == (5, 24)


def test_a_before_a_vowel_is_never_drawn(sentences):
    pairs = {pair for words in sentences for pair in pairwise(words)}
    assert not any(first == "a" and second[0] in "aeiou" for first, second in pairs)


def test_rows_start_with_a_sentence_and_go_on_with_whole_ones():
    batch = rows(np.random.default_rng(3), 11, 29)
    assert batch.shape == (11, 30)
    assert batch.dtype == np.int64
    np.testing.assert_array_equal(batch, rows(np.random.default_rng(3), 11, 29))
    one_by_one = np.random.default_rng(3)
    text = [WORDS[number] for number in batch[0]]
    assert text[: text.index(".") + 1] == sentence(one_by_one)[: text.index(".") + 1]


def test_a_corpus_is_one_row_of_sentences():
    numbers = corpus(np.random.default_rng(5), 1009)
    assert numbers.shape == (1009,)
    assert numbers.min() >= 0
    assert numbers.max() < len(WORDS)
    assert WORDS[numbers[0]] not in {".", "and", "is"}


def test_rows_of_stories_hold_stories_alone_cut_where_the_row_ends():
    batch = story_rows(np.random.default_rng(3), 11, 61)
    assert batch.shape == (11, 62)
    assert batch.dtype == np.int64
    np.testing.assert_array_equal(batch, story_rows(np.random.default_rng(3), 11, 61))
    for row in batch:
        text = " ".join(WORDS[number] for number in row)
        for told in text.split(" . ")[:-1]:  # the last may be cut; what is no story says more of the thing in one
            split = told.split()
            is_story = len({"it", "they"} & set(split)) == 1 and split[-1] in CRIES.values()
            assert is_story or (split[0] == "the" and split[2] == "is" and split[3] in COLOURS), told


def test_in_a_story_the_cry_is_that_of_the_animal_and_the_pronoun_tells_their_number():
    singular = {plural: noun for noun, plural in PLURALS.items()}
    cries = 0
    for row in story_rows(np.random.default_rng(4), 97, 24):
        words = [WORDS[number] for number in row]
        for query, key, kind in links(words):
            if kind == "cry":
                animal = words[key]
                assert words[query] == CRIES[singular.get(animal, animal)]
                assert words[query - 1] == ("they" if animal in singular else "it")
                assert key < query - 5
                cries += 1
    assert cries > 97


def test_every_animal_is_told_of():
    drawn = story_rows(np.random.default_rng(5), 101, 24)
    assert {WORDS[number] for number in drawn.ravel()} >= set(CRIES) | set(CRIES.values()) | {"it", "they"}


def test_links_of_a_story_on_paper():
    assert named(STORY) == [
        ("cat", "big", "adjective"),
        ("cat", "red", "adjective"),
        ("ball", "blue", "adjective"),
        ("it", "cat", "pronoun"),
        ("meowed", "cat", "cry"),
        ("ball", "ball", "same"),
        ("is", "ball", "number"),
        ("blue", "blue", "colour"),
    ]
    assert links(STORY.split())[-1] == (17, 8, "colour")


def test_what_is_settled_in_a_story_on_paper():
    assert settled(STORY) == [("and", "cat"), ("it", "cat"), ("is", "blue")]
    assert predictable(STORY.split()) == {10: 4, 11: 4, 16: 8}


CROSSING = "the cow didn't cross the road because it was too"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The cats near the ball are tired", [("are", "cats", "number"), ("tired", "cats", "state")]),
        ("the chai near the cups is hot", [("is", "chai", "number"), ("hot", "chai", "fact")]),
        (
            "red cow and it mooed",
            [("cow", "red", "adjective"), ("it", "cow", "pronoun"), ("mooed", "cow", "cry")],
        ),
        (f"{CROSSING} tired", [("it", "cow", "pronoun"), ("tired", "cow", "state")]),
        (f"{CROSSING} wide", [("it", "road", "pronoun"), ("wide", "road", "state")]),
        ("the ball is blue .", [("is", "ball", "number")]),
        ("it is . and . hot", []),
        ("", []),
    ],
)
def test_links_of_other_sentences_on_paper(text, expected):
    assert named(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the cats near the ball are tired", [("ball", "cats")]),
        ("the cats are tired", []),
        ("the chai near the cups is hot", [("cups", "chai"), ("is", "chai")]),
        ("the cow didn't cross the road because it was too tired", []),
    ],
)
def test_what_is_settled_in_other_sentences_on_paper(text, expected):
    assert settled(text) == expected


def test_links_look_back_and_ignore_case(sentences):
    for words in sentences[:3000]:
        found = links(words)
        assert all(0 <= link.key < link.query < len(words) for link in found)
        assert links([word.title() for word in words]) == found


def test_what_is_settled_follows_from_the_word_it_names(sentences):
    singular = {plural: noun for noun, plural in PLURALS.items()}
    for words in sentences[:3000]:
        for position, key in predictable(words).items():
            source, after = words[key], words[position + 1]
            many = source in singular
            allowed = {
                CRIES.get(singular.get(source, source)),
                FACTS.get(source),
                "they" if many else "it",
                "are" if many else "is",
                source if source in COLOURS else None,
            }
            assert key < position
            assert after in allowed


@pytest.mark.nightly
def test_what_is_settled_always_comes_out_the_same(sentences):
    """Two sentences that agree up to a settled position agree in the next word as well."""
    following = {}
    for words in sentences:
        for position in range(len(words) - 1):
            following.setdefault(tuple(words[: position + 1]), set()).add(words[position + 1])
    starts = {tuple(words[: position + 1]) for words in sentences for position in predictable(words)}
    assert len(starts) > 10_000
    assert all(len(following[start]) == 1 for start in starts)


def test_the_settled_words_stand_at_many_positions(sentences):
    positions = {position for words in sentences for position in predictable(words)}
    assert len(positions) > 15


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda rng: rows(rng, 0, 5), "n_rows must be at least 1, got 0"),
        (lambda rng: rows(rng, 3, 0), "length must be at least 1, got 0"),
        (lambda rng: story_rows(rng, 0, 5), "n_rows must be at least 1, got 0"),
        (lambda rng: story_rows(rng, 3, 0), "length must be at least 1, got 0"),
        (lambda rng: corpus(rng, 0), "n_words must be at least 1, got 0"),
    ],
)
def test_bad_input_says_what_is_wrong(call, message):
    with pytest.raises(ValueError, match=message):
        call(np.random.default_rng())
