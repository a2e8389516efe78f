"""Explain it back: the experiments of each lesson, computed again in plain NumPy."""

import re

import numpy as np
import pytest

from attention_core.experiments.inside.induction import without_heads
from attention_core.experiments.multi_head.english_heads import trained_heads
from attention_core.experiments.qkv.named_head import named_embedding, named_head
from attention_core.model.activations import insides
from attention_core.model.forward import loss_and_gradients
from attention_core.text.word_vectors import word_vectors
from pages.causal_mask import explained as masks
from pages.heads.matrices import USUAL_VECTORS, VECTORS
from pages.multi_head import explained as heads
from pages.positional_encoding import explained as positions
from pages.qkv import explained as qkv
from pages.scaling import explained as scaling
from pages.tiny_lm.explained import inside, learns, usual_subject, writes
from tests.answers.memory import size_of_slopes, softmax
from tests.answers.scaling import weights

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


def test_the_second_lesson_measures_what_it_says():
    """By the words of each experiment alone, on random heads of our own."""
    tried = {one.name: next(iter(one.experiments.values()))[1] for one in scaling.statements_of()}
    row = tried.pop("explain_gradient")
    raised = float(re.search(r"raised by (\d+)", row.done)[1])
    assert [row.before, row.after] == pytest.approx([size_of_slopes(softmax([by, 0, 0, 0])) for by in (0, raised)])
    for one in tried.values():
        widths = [int(width) for width in re.findall(r"d_k = (\d+)", one.done)]
        by = re.findall(r"not divided|divided by √?d_k", one.done)
        for d_k, how, found in zip((widths * 2)[:2], (by * 2)[:2], (one.before, one.after), strict=True):
            size = 1 if "not" in how else d_k ** (0.5 if "√" in how else 1)
            own = weights(d_k, size, 4).max(axis=-1).mean() if "weights" in one.what else np.sqrt(d_k) / size
            assert found == pytest.approx(own, rel=0.06), one.done


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


def last(model, tokens):
    return softmax(insides(model, tokens).logits[-1].astype(float))


def test_a_model_writes_from_all_tokens_and_keeps_their_keys():
    subject = usual_subject("stories")
    model, ids, told_of = subject.model, subject.tokens, writes.statements_of(subject)
    bets = last(model, ids)
    best = bets.argmax()
    assert told(told_of, "reads", "all tokens")[1:] == pytest.approx((bets[best], last(model, ids[-1:])[best]))
    assert told(told_of, "reads", "the tokens before")[2] == pytest.approx(last(model, ids[:-1])[best])
    hot = np.sqrt(bets) / np.sqrt(bets).sum()  # softmax of half the logits
    assert told(told_of, "heat", "a smaller")[1:] == pytest.approx((bets[best], hot[best]))
    entry, *found = told(told_of, "keys", "stay")
    keys = insides(model, [*ids, best]).keys[-1, 0, : len(ids), entry]
    assert found[0] == pytest.approx(found[1]) == pytest.approx(keys[np.abs(keys).argmax()])
    assert told(told_of, "kept", "query")[2] == pytest.approx(bets[best])


def test_a_model_learns_by_the_logarithm_and_memorises_half_a_text():
    subject = usual_subject("english")
    model, ids, told_of = subject.model, subject.tokens, learns.statements_of(subject)
    logits = insides(model, ids).logits.astype(float)
    losses = [-np.log(softmax(row)[target]) for row, target in zip(logits, ids[1:], strict=False)]
    assert told(told_of, "examples", "one more")[1:] == (len(ids) - 2, len(ids) - 1)
    worst = max(losses)
    assert told(told_of, "loss", "larger")[1:] == pytest.approx((worst, -np.log(np.exp(-worst) / 2)))
    before, after = told(told_of, "step", "lowers")[1:]
    _, slopes = loss_and_gradients(model, ids[:-1], ids[1:])
    assert before == pytest.approx(np.mean(losses))
    descent = sum(float((slope.astype(float) ** 2).sum()) for slope in slopes.values())
    assert 0 < before - after < learns.SMALL * descent  # it falls by less than the slope says, as it curves upwards
    before, after = told(told_of, "memory", "rises")[1:]
    middle = len(ids) // 2
    alone = insides(model, ids[middle:]).logits.astype(float)
    second = [-np.log(softmax(row)[target]) for row, target in zip(alone, ids[middle + 1 :], strict=False)]
    assert before == pytest.approx(np.mean(second))
    assert after > before


def test_a_model_copies_by_a_head_that_reads_the_letter_before():
    subject = usual_subject("recall")
    model, ids, told_of = subject.model, subject.tokens, inside.statements_of(subject)  # a3c7b1e4a, heads 1.1 and 2.4
    now = insides(model, ids)
    assert told(told_of, "before", "the letter")[1:] == pytest.approx(now.weights[0, 0, 1, 1::-1].tolist())
    other, zero = ids.copy(), ids.copy()
    other[0], zero[1] = ids[0] + 1, 10  # “b” for “a”, “0” for “3”
    weights = now.weights[1, 3, 8, 1], insides(model, other).weights[1, 3, 8, 1]
    assert told(told_of, "key", "the letter")[1:] == pytest.approx(weights)
    assert told(told_of, "copies", "this digit")[1:] == pytest.approx((last(model, ids)[10], last(model, zero)[10]))
    off = [insides(without_heads(model, heads), ids).weights[1, 3, 8, 1] for heads in ([0], [0, 1, 2, 3])]
    assert told(told_of, "rest", "raise it too")[1:] == pytest.approx(off)
