"""What query and key say in words, where their columns have names."""

import pytest

from attention_core.experiments.qkv.named_head import NAMED_JOBS
from pages.qkv.common import key_in_words, query_in_words
from tests.app.steps import step
from tests.app.visits import said


@pytest.mark.parametrize(
    ("job", "asks", "answers", "query", "key"),
    [
        ("pronoun to noun", "it", "cat", "I am a pronoun: is there a noun", "I am a noun, at position 2."),
        ("pronoun to noun", "sat", "sat", "I am no pronoun: I ask for nothing.", "I am no noun, at position 3."),
        ("adjective to noun", "warm", "mat", "I am an adjective: is there a noun just after me?", "I am a noun, at po"),
        ("noun to its adjectives", "mat", "warm", "is there an adjective just before me?", "I am an adjective, at"),
        ("previous word", "sat", "cat", "Who is just before me?", "I am at position 2."),
        ("first word", "sat", "cat", "Who is the first word?", "I am at position 2."),
    ],
)
def test_the_chosen_query_and_key_are_read_in_words(job, asks, answers, query, key):
    for name in ("scores", "softmax"):
        text = said(step("qkv", name, weights="hand-made", job=job, q=asks, k=answers))
        assert query in text
        assert key in text
    assert query in said(step("qkv", "projections", weights="hand-made", job=job, q=asks))
    assert key in said(step("qkv", "projections", weights="hand-made", job=job, q=answers))


@pytest.mark.parametrize("job", NAMED_JOBS)
def test_a_query_of_zeros_asks_for_nothing_and_no_other_does(job):
    scene = step("qkv", "scores", weights="hand-made", job=job).scene
    for row, query in enumerate(scene.attention.q):
        assert ("nothing" in query_in_words(scene, row)) == (not query.any())
        assert str(row + 1) in key_in_words(scene, row)


def test_of_random_and_trained_heads_nothing_false_is_said():
    for weights in ("random", "trained"):
        assert " says: " not in said(step("qkv", "scores", weights=weights))
