"""What query and key say in words, where their columns have names."""

import pytest

from attention_core.experiments.qkv.named_head import NAMED_JOBS
from pages.qkv.common import key_in_words, query_in_words
from tests.app.steps import step
from tests.app.visits import said


@pytest.mark.parametrize("job", NAMED_JOBS)
def test_a_query_of_zeros_asks_for_nothing_and_no_other_does(job):
    scene = step("qkv", "match", weights="hand-made", job=job).scene
    for row, query in enumerate(scene.attention.q):
        assert ("nothing" in query_in_words(scene, row)) == (not query.any())
        assert str(row + 1) in key_in_words(scene, row)


def test_of_random_and_trained_heads_nothing_false_is_said():
    for weights in ("random", "trained"):
        assert " says: " not in said(step("qkv", "match", weights=weights))
