"""change: what else changes when one number is changed."""

from functools import partial

import numpy as np
import pytest

from attention_core.experiments.qkv.one_head import HeadMatrices
from attention_core.experiments.qkv.perturb import reaches
from attention_core.text.characters import split_words
from pages.qkv.common import reach_question
from tests.app.qkv.heads import assert_sound, every_sentence, heads_of_every_origin, random_heads
from tests.app.qkv.scene import SENTENCE, close, columns, computed, computed_from, each_kind
from tests.app.steps import step
from tests.app.visits import charts, heatmap

show = partial(step, "qkv", "change", weights="random")
CHANGED = ("X", "Q", "K", "V", "weights", "output")


def changed_charts(app):
    """Return the pictures of what a change of one number has moved, by name, and which cells are outlined."""
    last = charts(app)[-len(CHANGED) :]
    outlined = {
        name: chart.data["moved"].to_numpy().reshape(heatmap(chart).values.shape)
        for name, chart in zip(CHANGED, last, strict=True)
    }
    return {name: heatmap(chart).values for name, chart in zip(CHANGED, last, strict=True)}, outlined


@each_kind
@pytest.mark.parametrize("matrix", ["X", "W_Q", "W_K", "W_V"])
@pytest.mark.promise("qkv 1")
def test_changing_one_number_moves_what_plain_numpy_says(link, matrix):
    before = computed(**link)
    row = "sat" if matrix == "X" else columns("x", link)[2]
    column = columns("x" if matrix == "X" else matrix[-1].lower(), link)[1]
    app = show(change=matrix, change_row=row, change_column=column, change_by="-1.5", **link)
    seen, outlined = changed_charts(app)
    parts = {"X": before.x.copy(), **{f"W_{name}": m.copy() for name, m in zip("QKV", before.head, strict=True)}}
    parts[matrix][2, 1] -= 1.5
    after = computed_from(
        split_words(SENTENCE), parts["X"], HeadMatrices(*(parts[f"W_{name}"] for name in "QKV")), before.mask
    )
    pairs = dict(zip(CHANGED, ("x", "q", "k", "v", "softmax", "mix"), strict=True))
    for name, field in pairs.items():
        close(seen[name], getattr(after, field))
        difference = np.abs(getattr(after, field) - getattr(before, field))
        assert outlined[name][difference > 1e-6].all()
        assert not outlined[name][difference < 1e-12].any()


@pytest.mark.parametrize("job", ["pronoun to noun", "adjective to noun", "previous word"])
def test_the_first_change_of_a_hand_made_head_moves_more_than_x(job):
    sentence = "the cat sat on the warm mat and it meowed"
    _, outlined = changed_charts(show(change="X", weights="hand-made", job=job, text=sentence))
    assert np.argwhere(outlined["X"])[:, 0].tolist() == [3]
    assert any(outlined[name].any() for name in "QKV")


MOVES = {
    "X": ("Q", "K", "V", "the weights", "the output"),
    "W_Q": ("Q", "the weights", "the output"),
    "W_K": ("K", "the weights", "the output"),
    "W_V": ("V", "the output"),
}


@every_sentence
def test_what_a_number_reaches_is_asked(sentence):
    heads = [*random_heads(sentence), *random_heads(sentence, masked=True)]
    for head in [*heads, *heads_of_every_origin(sentence)]:
        moves = reaches(head.x, head.head, head.mask)
        for matrix in MOVES:
            question = reach_question(moves, matrix)
            assert_sound(question)
            assert len(question.options) == len(set(moves.values()))
            assert question.options[question.right[0]].replace(" and ", ", ").split(", ") == list(moves[matrix])


def test_what_a_number_reaches_can_be_asked_where_matrices_do_the_same():
    for names in ((), ("Q",)):
        question = reach_question(dict.fromkeys(MOVES, names), "X")
        assert_sound(question)
        assert question.options == ("Q" if names else "nothing", "only W_K")
        assert question.right == (0,)
