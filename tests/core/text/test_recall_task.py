from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core.text import recall_task as task


def generator(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize(
    "task",
    [
        partial(task.repeated_sequences, vocab_size=19),
        partial(task.repeated_sequences, vocab_size=3),
        task.associative_recall,
    ],
)
def test_a_task_is_a_function_of_its_generator(task):
    draw = partial(task, n_rows=5, length=13)
    rows = draw(generator(1))
    assert rows.shape == (5, 14)
    assert rows.dtype == np.int64
    np.testing.assert_array_equal(rows, draw(generator(1)))
    assert (rows != draw(generator(2))).any()


@given(length=st.integers(1, 23), vocab_size=st.integers(1, 29), seed=st.integers(0, 99))
def test_the_second_half_repeats_the_first(length, vocab_size, seed):
    rows = task.repeated_sequences(generator(seed), 3, length, vocab_size)
    segment = (length + 2) // 2
    assert rows.shape == (3, length + 1)
    assert rows.min() >= 0
    assert rows.max() < vocab_size
    np.testing.assert_array_equal(rows[:, segment:], rows[:, : length + 1 - segment])
    for row in rows:
        assert len(set(row[:segment])) == min(segment, vocab_size)


def test_the_vocabulary_is_letters_and_then_digits():
    assert "".join(task.RECALL_TOKENS) == "abcdefghij0123456789"


@given(length=st.integers(1, 23))
def test_recall_rows_keep_one_digit_for_each_letter(length):
    rows = task.associative_recall(generator(length), 5, length)
    assert rows.shape == (5, length + 1)
    for row in rows:
        letters, numbers = row[::2], row[1::2]
        pairs = set(zip(letters.tolist(), numbers.tolist(), strict=False))
        assert letters.max() < 10 <= numbers.min() <= numbers.max() < 20
        assert len({letter for letter, _ in pairs}) == len(pairs)
        assert len(set(letters.tolist())) <= 6


def test_recall_targets_of_a_row_on_paper():
    """In a3 c7 a3 a3 the letters at 4 and 6 were seen before; the last one twice."""
    a, c, three, seven = 0, 1, 2, 3
    targets = task.recall_targets([a, three, c, seven, a, three, a])
    assert np.flatnonzero(targets.answerable).tolist() == [4, 6]
    assert np.argwhere(targets.sources).tolist() == [[4, 1], [6, 1], [6, 5]]


def test_accuracy_counts_the_answerable_letters_only():
    rows = np.array([[0, 2, 1, 3, 0, 2, 1, 3]])  # a2 b3 a2 b3: the letters at 4 and 6 can be answered
    logits = np.zeros((1, 7, 4))
    logits[0, [0, 2, 4, 6], [3, 2, 2, 2]] = 1  # wrong where it cannot be known, right at 4, wrong at 6
    assert task.recall_accuracy(logits, rows) == 0.5
    assert task.recall_accuracy(np.eye(4)[rows[:, 1:]], rows) == 1.0
