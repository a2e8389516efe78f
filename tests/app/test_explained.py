"""Explain it back: the experiments of each lesson, computed again in plain NumPy."""

import re

import numpy as np
import pytest

from attention_core.experiments.multi_head.english_heads import trained_heads
from attention_core.experiments.qkv.named_head import named_embedding, named_head
from attention_core.text.word_vectors import word_vectors
from pages.causal_mask import explained as masks
from pages.heads.matrices import USUAL_VECTORS, VECTORS
from pages.multi_head import explained as heads
from pages.positional_encoding import explained as positions
from pages.qkv import explained as qkv
from tests.answers.memory import softmax

WORDS = ["the", "cat", "sat", "on", "the", "warm", "mat", "and", "it", "meowed"]


def told(statements, name, begins):
    """Return the place that an experiment names, and its number before and after."""
    (statement,) = (one for one in statements if one.name == f"explain_{name}")
    _, experiment = next(tried for words, tried in statement.experiments.items() if words.startswith(begins))
    entry = re.search(r"entry (\d+)", experiment.what)
    return int(entry[1]) - 1 if entry else None, experiment.before, experiment.after


def without(x, *rows):
    return np.where(np.isin(np.arange(len(x)), rows)[:, None], 0, x)


def head_of(x, w_q, w_k, w_v, mask=0.0):
    scores = (x @ w_q) @ (x @ w_k).T / np.sqrt(w_q.shape[1]) + mask
    weights = np.array([softmax(row) for row in scores])
    return scores, weights, weights @ (x @ w_v)


def test_the_first_lesson_follows_it_to_cat():
    x = named_embedding(WORDS, list(VECTORS), USUAL_VECTORS, 20)
    head, told_of, it, cat, mat = named_head("pronoun to noun", x.shape[1]), qkv.statements_of(WORDS), 8, 1, 6
    scores, weights, output = head_of(x, *head)
    entry, *found = told(told_of, "query", "its own")
    assert found == pytest.approx([x[it] @ head.w_q[:, entry], 0])
    assert told(told_of, "score", "the key")[1:] == pytest.approx((scores[it, cat], 0))
    raised = softmax(scores[it] + np.eye(len(x))[mat])[cat]
    assert told(told_of, "weight", "shrink")[1:] == pytest.approx((weights[it, cat], raised))
    entry, *found = told(told_of, "output", "the sum")
    values = x @ head.w_v
    assert found == pytest.approx([output[it, entry], weights[it] @ without(values, mat)[:, entry]])
    values[[cat, mat]] = values[[mat, cat]]
    entry, *found = told(told_of, "swap", "the output")
    assert found == pytest.approx([output[it, entry], weights[it] @ values[:, entry]])


def test_the_third_lesson_reads_whole_vectors_and_adds_what_heads_write():
    (x, (w_q, w_k, w_v, w_o), mask), told_of, it = trained_heads(WORDS), heads.statements_of(WORDS), 8
    entry, *found = told(told_of, "read", "the whole")
    assert found == pytest.approx([x[it] @ w_q[:, entry], x[it, :8] @ w_q[:8, entry]])
    parts = np.split(np.arange(len(w_q)), 4)
    each = [head_of(x, w_q[:, own], w_k[:, own], w_v[:, own], mask)[2][it] for own in parts]
    written = np.array([one @ w_o[own] for one, own in zip(each, parts, strict=True)])
    entry, before, after = told(told_of, "mix", "a sum")
    assert before == pytest.approx(written[:, entry].sum())
    assert min(abs(written.sum(axis=0)[entry] - own[entry] - after) for own in written[1:]) < 1e-9
    entry, before, after = told(told_of, "concat", "one head")
    assert before == after == pytest.approx(np.concatenate(each)[entry])


def test_the_fourth_lesson_blocks_later_words_before_softmax():
    told_of, x, asks = masks.statements_of(WORDS), word_vectors(WORDS, 8, 20), len(WORDS) // 2
    w_q, w_k, w_v = masks.random_layers(3, 8, 4, 20)[0]
    future = np.where(np.triu(np.ones((10, 10)), 1), -np.inf, 0)
    scores, weights, _ = head_of(x, w_q, w_k, w_v)
    output = head_of(x, w_q, w_k, w_v, future)[2]
    entry, *found = told(told_of, "parallel", "the same")
    assert found == pytest.approx([output[asks, entry]] * 2)
    assert told(told_of, "where", "weights of 0")[1:] == pytest.approx((1, weights[asks, : asks + 1].sum()))
    counted = softmax(np.where(np.arange(10) > asks, 0, scores[asks]))[asks + 1 :].sum()
    assert told(told_of, "where", "scores of 0")[1:] == pytest.approx((weights[asks, asks + 1 :].sum(), counted))
    entry, *found = told(told_of, "reads", "itself alone")
    other = head_of(without(x, 0), w_q, w_k, w_v, future)[2]
    assert found == pytest.approx([output[asks, entry], other[asks, entry]])


def test_the_fifth_lesson_rotates_queries_and_keys():
    told_of, x = positions.statements_of(WORDS), word_vectors(WORDS, 16, 18)
    w_q, w_k, _ = positions.random_head(16, 16, 18)
    q, k = ((x @ one).view(complex) for one in (w_q, w_k))
    angles = 10000.0 ** (-np.arange(8) / 8)
    near, far = ((q[1] * k[2].conj() * np.exp(1j * angles * distance)).real.sum() / 4 for distance in (-1, 6))
    assert told(told_of, "distance", "changes")[1:] == pytest.approx((near, far))
    assert told(told_of, "rope", "stays")[1:] == pytest.approx((near, near))
    pe = np.exp(1j * np.outer(np.arange(20), angles))
    added = np.stack([pe.imag, pe.real], axis=-1).reshape(20, 16)
    scores = [((x[1] + p[1]) @ w_q) @ ((x[2] + p[2]) @ w_k) / 4 for p in (added, added[7:])]
    assert told(told_of, "added", "changes")[1:] == pytest.approx(scores)
