"""RoPE: a query and a key rotated by their positions."""

import re
from functools import partial

import numpy as np
import pytest

import attention_core as core
from attention_core.experiments.one_head import random_head
from attention_core.experiments.position_kinds import explain_rope_score
from pages.look.html import number
from pages.positional_encoding.rope import STEP
from tests.app.positional_encoding.scene import SEED, VARIANTS, WIDTH, X, close, drawn
from tests.app.steps import step
from tests.app.visits import said

show = partial(step, "positional_encoding", "rope")


@pytest.mark.promise("tutorial 23")
def test_rope_rotates_q_and_k_and_leaves_v():
    seen = show(q_at=3, k_at=9, slide=20, asks=2, answers=7)
    head = random_head(WIDTH, 6, SEED)
    q, k, v = X[1] @ head.w_q, X[6] @ head.w_k, X[6] @ head.w_v
    rotated = core.rotate(q[None], offset=23)[0], core.rotate(k[None], offset=29)[0], v
    for pair in range(3):
        close(drawn(seen, "arrow", pair), [vector[2 * pair : 2 * pair + 2] for vector in rotated])
        close(drawn(seen, "point", pair), [vector[2 * pair : 2 * pair + 2] for vector in (q, k)])
    score = core.rotate(q[None], offset=3)[0] @ core.rotate(k[None], offset=9)[0] / np.sqrt(6)
    assert number(score, 4) in said(seen)
    assert "exactly the same" in said(seen)
    assert "cat at 23 → mat at 29" in said(seen)


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_same_offset_has_the_same_score(variant):
    question = show(variants={"same_score": variant}).question("same_score")
    pairs = [tuple(map(int, re.findall(r"\d+", option))) for option in question.options]
    assert question.right == tuple(i for i, (query, key) in enumerate(pairs) if key - query == 5 - 2)
    assert len(question.right) == 1


def test_scores_that_differ_look_different_in_what_is_said_of_an_answer():
    question = show().question("same_score")
    asked = re.search(r"the scaled score (\S+)\. ", question.text)[1]
    swapped = question.judge(question.options.index("query at 5, key at 2"))
    assert re.search(r"key − query is −3 instead of 3, and the score is (\S+)\. ", swapped.text)[1] != asked


def test_scores_depend_on_the_signed_offset_and_not_on_the_distance_alone():
    head = random_head(WIDTH, 6, SEED)
    pairs = [(x @ head.w_q, y @ head.w_k) for x in X for y in X]
    scores = {
        at: np.array([explain_rope_score(q, k, *at).score for q, k in pairs]) for at in ((2, 5), (5, 2), (22, 25))
    }
    np.testing.assert_allclose(scores[2, 5], scores[22, 25], atol=1e-9)
    assert np.abs(scores[2, 5] - scores[5, 2]).min() > 1e-4
    assert np.median(np.abs(scores[2, 5] - scores[5, 2])) > 0.1
    assert "key position − query position" in STEP.whole
