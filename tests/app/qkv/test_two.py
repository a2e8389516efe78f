"""two: one matrix for queries and keys beside two, random heads, and both merged."""

from functools import partial

import pytest

from attention_core.experiments.qkv.named_head import NAMED_JOBS
from pages.qkv.two import mirror_question
from tests.app.qkv.scene import each_kind
from tests.app.steps import step
from tests.app.visits import charts, html_of, press, set_to, visit

show = partial(step, "qkv", "two")
ON, OFF = {"same": "true"}, {"same": "false"}


@pytest.mark.parametrize("job", NAMED_JOBS)
def test_the_job_of_every_hand_made_head_ends_with_one_matrix(job):
    word = {"pronoun to noun": "it", "adjective to noun": "warm", "noun to its adjectives": "mat"}.get(job, "it")
    seen = show(weights="hand-made", job=job)
    two, one = seen.scene.attention.weights, seen.result("one").weights
    asks = seen.scene.labels.index(word)
    best = two[asks].argmax()
    assert best != asks
    assert two[asks, best] > 0.65
    assert one[asks, best] <= 0.1001


@each_kind
def test_the_numbers_of_one_matrix_wait_for_the_answer_and_for_the_switch(link):
    for switch in (ON, OFF):
        closed = show(unanswered="all", **(link | switch))
        assert closed.ready
        assert "scores_of_one" not in {one.name for one in closed.page.recipe.steps}
    assert "scores_of_one" not in {one.name for one in show(**(link | OFF)).page.recipe.steps}


def test_an_answer_is_kept_when_the_switch_moves_the_question():
    app = visit("qkv", step="two", weights="random")
    press(app, mirror_question(0).options[mirror_question(0).right[0]])
    assert "verdict right" in " ".join(html_of(app))
    set_to(app, qkv_same=True)
    assert "verdict right" in " ".join(html_of(app))
    assert len(charts(app)) == 2
