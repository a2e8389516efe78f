"""p · p: every position times every other."""

from functools import partial

import numpy as np
import pytest

import attention_core as core
from attention_core.experiments.english_heads import trained_positions
from attention_core.experiments.position_kinds import added_positions
from tests.app.positional_encoding.scene import SEED, WIDTH, close, line, matrix
from tests.app.steps import step
from tests.app.visits import said

show = partial(step, "positional_encoding", "alike")


@pytest.mark.promise("tutorial 23")
def test_tutorial_001_finds_its_two_products():
    waves = core.sinusoidal_positions(20, 64)
    for second, product in ((1, "30.917"), (19, "19.974")):
        seen = show(second=second)
        close(matrix(seen), waves @ waves.T)
        assert product in said(seen)
    assert "only how far apart they are" in seen.charts[1].alt


@pytest.mark.parametrize("whose", ["random", "trained"])
def test_learned_rows_are_compared_by_their_cosines_and_the_other_table_stands_beside(whose):
    seen = show(kind="learned", whose=whose, length=32)
    tables = {"random": added_positions("learned", 32, WIDTH, seed=SEED), "trained": trained_positions(32)}
    for name, table in tables.items():
        unit = table / np.linalg.norm(table, axis=1, keepdims=True)
        cosines = unit @ unit.T
        close(line(seen, f"learned, {name}", 1)[1], [np.diagonal(cosines, d).mean() for d in range(32)])
        if name == whose:
            close(matrix(seen), cosines)


@pytest.mark.parametrize("kind", ["none", "RoPE", "ALiBi"])
def test_what_adds_nothing_still_knows_only_distances(kind):
    seen = show(kind=kind)
    values = matrix(seen)
    assert all(np.ptp(np.diagonal(values, d)) < 1e-9 for d in range(20))
    distance, mean = line(seen, kind, 1)
    close(mean, values[0])
    assert distance.tolist() == list(range(20))
    assert not seen.page.asked


@pytest.mark.parametrize("variant", range(2))
def test_a_row_times_itself_is_half_the_width(variant):
    question = show(variants={"own_product": variant}).question("own_product")
    assert question.judge(32.0).right
    for given in (64.0, 1.0, 0.0):
        verdict = question.judge(given)
        assert not verdict.right
        assert any(mistake.text in verdict.text for mistake in question.mistakes if mistake.value == given)
    assert not question.judge(7.0).right


def test_a_question_stands_before_both_pictures():
    assert show(unanswered="all").charts == []
