"""five: one sentence under five encodings."""

from functools import partial

import pytest

from attention_core.experiments.positions.position_kinds import KINDS, placed_attention
from pages.look.html import number
from tests.app.positional_encoding.scene import HEAD, SEED, VARIANTS, X, close, matrix
from tests.app.steps import step
from tests.app.visits import domain, said

show = partial(step, "positional_encoding", "five")


@pytest.mark.parametrize("offset", [0, 40])
@pytest.mark.promise("positional_encoding 1")
def test_five_encodings_of_one_sentence_and_which_stay(offset):
    seen = show(offset=offset)
    for i, kind in enumerate(KINDS):
        close(matrix(seen, i), placed_attention(X, HEAD, kind, offset=offset, seed=SEED).weights)
        assert domain(seen.charts[i]) == [0, 1]
        stays = kind in ("none", "RoPE", "ALiBi") or offset == 0
        assert ("moved" not in seen.charts[i].data) == stays
    assert said(seen).count("· unchanged") == (3 if offset else 0)


@pytest.mark.parametrize(("strength", "slope"), [("1", "0.500"), ("8", "4.000"), ("0", "0.000")])
def test_what_alibi_subtracts_grows_with_the_scale(strength, slope):
    told = said(show(strength=strength, q=5, k=2))
    assert f"ALiBi then subtracts {number(1.5 * float(strength))} from this score: {slope} per position" in told


@pytest.mark.parametrize("variant", VARIANTS)
def test_what_changes_with_the_start_is_right(variant):
    question = show(variants={"stay": variant}).question("stay")
    assert {question.options[i] for i in question.right} == {"sinusoidal", "learned"}
    assert [not mistake for mistake in question.mistakes] == [i in question.right for i in range(5)]


@pytest.mark.parametrize("link", [{"text": "dog"}, {"strength": 0}])
def test_a_word_alone_and_a_scale_of_0_change_no_weight(link):
    question = show(**link).question("stay")
    assert [question.options[i] for i in question.right] == ["no weight changes"]
    assert ("single word" in question.judge(0).text) == ("text" in link)


def test_all_five_stand_in_one_row_with_who_uses_them():
    seen = show(offset=9)
    (row,) = [block for block in seen.html if "Llama, Qwen" in block]
    assert row.count('class="thumb"') == 5
    assert row.count(">same<") == 3
    assert row.count(">changed: ") == 2
