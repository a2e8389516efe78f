import numpy as np
import pytest

from attention_core.text.small_english import COLOURS, CRIES, PLURALS, WORDS, links, rows, sentence, story_rows

STORY = "today the big red cat quickly saw the blue ball and it meowed . the ball is blue ."


def named(text):
    words = text.split()
    return [(words[link.query], words[link.key], link.kind) for link in links(words)]


def test_rows_start_with_a_sentence_and_go_on_with_whole_ones():
    batch = rows(np.random.default_rng(3), 11, 29)
    assert (batch.shape, batch.dtype) == ((11, 30), np.int64)
    np.testing.assert_array_equal(batch, rows(np.random.default_rng(3), 11, 29))
    one_by_one = np.random.default_rng(3)
    text = [WORDS[number] for number in batch[0]]
    assert text[: text.index(".") + 1] == sentence(one_by_one)[: text.index(".") + 1]


def test_rows_of_stories_hold_stories_alone_cut_where_the_row_ends():
    batch = story_rows(np.random.default_rng(3), 11, 61)
    assert (batch.shape, batch.dtype) == ((11, 62), np.int64)
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


CROSSING = "the cow didn't cross the road because it was too"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The cats near the ball are tired", [("are", "cats", "number"), ("tired", "cats", "state")]),
        ("the chai near the cups is hot", [("is", "chai", "number"), ("hot", "chai", "fact")]),
        ("red cow and it mooed", [("cow", "red", "adjective"), ("it", "cow", "pronoun"), ("mooed", "cow", "cry")]),
        (f"{CROSSING} tired", [("it", "cow", "pronoun"), ("tired", "cow", "state")]),
        (f"{CROSSING} wide", [("it", "road", "pronoun"), ("wide", "road", "state")]),
        ("the ball is blue .", [("is", "ball", "number")]),
        ("it is . and . hot", []),
        ("", []),
    ],
)
def test_links_of_other_sentences_on_paper(text, expected):
    assert named(text) == expected
