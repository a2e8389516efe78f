"""order: what a shuffle does to the outputs, without positions and with them."""

from functools import partial

import pytest

import attention_core as core
from attention_core.experiments.positions.position_kinds import KINDS, placed_attention
from attention_core.rows import shuffled_order
from attention_core.text.word_vectors import position_labels
from pages.positional_encoding.order import ORDERS, SERIES
from tests.app.positional_encoding.scene import HEAD, SEED, VARIANTS, WORDS, X, close, matrix
from tests.app.steps import step
from tests.app.visits import domain, heatmap

show = partial(step, "positional_encoding", "order", example="your sentence")
LABELS = position_labels(WORDS)


@pytest.mark.promise("tutorial 22")
def test_without_positions_a_shuffle_only_moves_rows():
    seen = show(shuffle=5)
    order = shuffled_order(len(WORDS), 5, SERIES)
    before, after = (heatmap(chart) for chart in seen.charts)
    outputs = core.scaled_dot_product_attention(*(X @ w for w in HEAD))[0]
    close(before.values, outputs)
    close(after.values, outputs[order])
    assert before.rows == LABELS
    assert after.rows == [LABELS[i] for i in order]
    assert not seen.charts[1].data["moved"].any()
    assert domain(seen.charts[0]) == domain(seen.charts[1]) == [-4, 4]


@pytest.mark.parametrize("kind", KINDS)
def test_with_positions_a_shuffle_moves_what_the_kind_says(kind):
    seen = show(told="true", order_kind=kind, strength=1.5, base=100)
    order = shuffled_order(len(WORDS), 1, SERIES)
    strength = 1.5 if kind in ("sinusoidal", "learned", "ALiBi") else 1.0
    base = 100.0 if kind in ("sinusoidal", "RoPE") else 10000.0
    options = {"base": base, "strength": strength, "seed": SEED}
    close(matrix(seen), placed_attention(X, HEAD, kind, **options).output)
    close(matrix(seen, 1), placed_attention(X[order], HEAD, kind, **options).output)
    assert seen.charts[1].data["moved"].any() == (kind != "none")
    assert not seen.page.asked


@pytest.mark.parametrize("shuffle", range(1, 13))
def test_the_word_that_is_asked_of_is_one_that_the_shuffle_moves(shuffle):
    order = shuffled_order(len(WORDS), shuffle, SERIES)
    question = show(shuffle=shuffle).question("order")
    place, _ = question.place
    assert order[place] != place


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_numbers_move_to_another_row(variant):
    question = show(variants={"order": variant}).question("order")
    assert [question.options[i] for i in question.right] == ["The same numbers, in another row"]


def test_it_opens_on_dog_bites_man_and_both_orders_have_the_same_outputs():
    seen = step("positional_encoding", "order")
    before, after = (heatmap(chart) for chart in seen.charts)
    assert (before.rows, after.rows) == (["dog", "bites", "man"], ["man", "bites", "dog"])
    close(before.values, after.values[::-1])


@pytest.mark.parametrize("other", ORDERS)
def test_the_words_of_the_example_can_be_put_into_every_other_order(other):
    seen = step("positional_encoding", "order", other=other)
    before, after = (heatmap(chart) for chart in seen.charts)
    assert after.rows == other.split() != before.rows
    close(after.values, [before.values[before.rows.index(word)] for word in after.rows])
    question = seen.question("order")
    asked = before.rows[question.place[0]]
    assert after.rows.index(asked) != before.rows.index(asked)


def test_a_word_alone_moves_nowhere():
    question = show(text="dog").question("order")
    assert [question.options[i] for i in question.right] == ["The same numbers, in the same row"]
