"""N-gram models: their probabilities are those of a plain loop over the definition, and they write as a model does."""

import math
from collections import Counter

import numpy as np
import pytest

import attention_core as core
from attention_core.shipped.models import curve_of
from attention_core.shipped.plans import MODELS
from attention_core.text.corpora import baseline_losses, learn_n_grams, n_grams_of, own_text, source_of, uniform_loss
from attention_core.text.n_grams import (
    ORDER,
    Baselines,
    count_n_grams,
    n_gram_losses,
    next_probabilities,
    pack_n_grams,
    target_probabilities,
    unpack_n_grams,
    write_n_gram,
)
from tests.core.errors import check, says

RNG = np.random.default_rng(0)
V, ROWS, T = 5, 7, 11
TEXT = RNG.integers(V - 1, size=(ROWS, T + 1))  # the last token never comes
TESTED = RNG.integers(V, size=(3, T + 1))
COUNTED = RNG.random((ROWS, T)) < 0.6
every_choice = pytest.mark.parametrize("counted", [None, COUNTED], ids=["all", "some"])


def reference(rows, counted, order, context, token):
    """Return p(token | context) by the rule of Witten and Bell, one n-gram at a time."""
    probability = 1 / V
    for n in range(1, order + 1):
        if n - 1 > len(context):
            break
        history = tuple(context[len(context) - n + 1 :])
        after = Counter()
        for row, which in zip(rows, counted, strict=True):
            for target in range(1, len(row)):
                if which[target - 1] and target >= n - 1 and tuple(row[target - n + 1 : target]) == history:
                    after[row[target]] += 1
        if after:
            probability = (after[token] + len(after) * probability) / (after.total() + len(after))
    return probability


@every_choice
def test_each_probability_is_that_of_the_definition(counted):
    grams = count_n_grams(TEXT, V, counted)
    which = np.ones((ROWS, T), bool) if counted is None else counted
    found = target_probabilities(grams, TESTED)
    for order in range(ORDER + 1):
        expected = [
            [reference(TEXT.tolist(), which, order, row[:target], row[target]) for target in range(1, T + 1)]
            for row in TESTED.tolist()
        ]
        np.testing.assert_allclose(found[order], expected, rtol=1e-12)


@every_choice
@pytest.mark.parametrize("context", [[], [2], [4, 1], [0, 3, 2, 1]])
def test_the_next_token_has_the_same_probabilities_as_a_target(counted, context):
    grams = count_n_grams(TEXT, V, counted)
    which = np.ones((ROWS, T), bool) if counted is None else counted
    for order in range(ORDER + 1):
        found = next_probabilities(grams, order, context)
        expected = [reference(TEXT.tolist(), which, order, context, token) for token in range(V)]
        np.testing.assert_allclose(found, expected, rtol=1e-12)
        assert found.sum() == pytest.approx(1)


def test_on_paper():
    """Targets of "aab": a and b. p(a) = p(b) = (1 + 2/3) / 4; after a came a and b, so p(a | a) = (1 + 2 p(a)) / 4."""
    grams = count_n_grams(np.array([[0, 0, 1]]), 3)
    unigram, bigram = (1 + 2 / 3) / 4, (1 + 2 * (1 + 2 / 3) / 4) / 4
    assert n_gram_losses(grams, [[0, 0]]) == pytest.approx(
        Baselines(math.log(3), -math.log(unigram), -math.log(bigram), -math.log(bigram))  # no context for a trigram
    )


def test_tokens_of_one_byte_count_as_larger_ones_do():
    small = count_n_grams((TEXT * 50).astype(np.uint8), 250)
    for one, other in zip(small.codes, count_n_grams(TEXT * 50, 250).codes, strict=True):
        np.testing.assert_array_equal(one, other)
    assert n_gram_losses(small, (TESTED[:, :3] * 50).clip(0, 249).astype(np.uint8)) == n_gram_losses(
        small, (TESTED[:, :3] * 50).clip(0, 249)
    )


@pytest.mark.parametrize("length", [1, 2])
def test_rows_may_be_shorter_than_an_n_gram(length):
    losses = n_gram_losses(count_n_grams(TEXT[:, : length + 1], V), TESTED[:, : length + 1])
    assert all(map(math.isfinite, losses))
    assert (losses.trigram == losses.bigram) == (length == 1)


def test_without_a_counted_target_nothing_is_known_and_nothing_lost():
    none = np.zeros((ROWS, T), bool)
    grams = count_n_grams(TEXT, V, none)
    np.testing.assert_allclose(next_probabilities(grams, 3, [0, 1]), 1 / V)
    assert n_gram_losses(grams, TEXT, none) == (0, 0, 0, 0)


@pytest.mark.parametrize("name", [name for name, shipped in MODELS.items() if name == shipped.source])
def test_a_finished_model_is_below_every_rung_of_the_ladder(name):
    shipped = MODELS[name]
    losses = baseline_losses(source_of(shipped.source), shipped.plan.config.max_len)
    assert losses.uniform == pytest.approx(uniform_loss(source_of(shipped.source)))
    assert min(losses) > curve_of(name).tested[-1] + 0.2
    assert losses.uniform > losses.unigram > losses.trigram


def test_pieces_of_stories_have_a_ladder_too():
    losses = baseline_losses(source_of("stories"), 40)
    assert losses.uniform > losses.unigram + 1 > losses.bigram + 2 > losses.trigram + 2.3


def test_more_rows_would_hardly_change_the_trigram_of_toy_english():
    source = source_of("english")
    more = source.draw(np.random.default_rng(1), 12_011, 32)
    found = n_gram_losses(count_n_grams(more.rows, len(source.vocabulary)), source.held_out(32).rows)
    assert found == pytest.approx(baseline_losses(source, 32), abs=0.02)


def test_only_shared_sources_are_cached():
    source = source_of("recall")
    assert n_grams_of(source, 5) is n_grams_of(source, 5)
    text = own_text("abcd" * 20, "character")
    assert n_grams_of(text, 5) is not n_grams_of(text, 5)
    changed = source._replace(draw=lambda rng, n_rows, length: source.held_out(length))
    assert n_grams_of(changed, 5) is not n_grams_of(source, 5)
    assert learn_n_grams(source, 5).codes[2].tolist() == n_grams_of(source, 5).codes[2].tolist()


@pytest.mark.parametrize("order", range(ORDER + 1))
def test_text_is_sampled_as_generate_samples_it(order):
    """A model whose logits are those of the n-grams would write the same: here by hand, one token at a time."""
    grams = count_n_grams(TEXT, V)
    rng, context = np.random.default_rng(13), [0, 3]
    for _ in range(9):
        scaled = next_probabilities(grams, order, context) ** (1 / 0.7)
        best = np.argsort(-scaled, kind="stable")[:3]  # top-k
        sums = scaled[best].cumsum() / scaled[best].sum()
        context.append(int(best[(sums > rng.random()).argmax()]))
    assert write_n_gram(grams, order, [0, 3], 9, 0.7, 3, seed=13).tolist() == context[2:]


def test_at_temperature_0_the_likeliest_comes_and_a_bigram_goes_round_in_a_loop():
    rows = np.array([[0, 1, 2, 0, 1, 2, 0, 1]])
    grams = count_n_grams(rows, 3)
    assert write_n_gram(grams, 2, [0], 6, 0).tolist() == [1, 2, 0, 1, 2, 0]
    assert core.softmax(np.log(next_probabilities(grams, 2, [0]))).argmax() == 1


def test_n_grams_come_back_from_text():
    grams = n_grams_of(source_of("english"), 32)
    again = unpack_n_grams(*pack_n_grams(grams))
    assert again.vocab_size == grams.vocab_size
    for one, other in zip(grams.codes + grams.sums, again.codes + again.sums, strict=True):
        np.testing.assert_array_equal(one, other)


@says(
    (lambda: learn_n_grams(source_of("english"), 0), "length must be at least 1, got 0"),
    (lambda: n_gram_losses(count_n_grams(TEXT, V), [0, 1]), "rows must be token ids with 2 axes, got int64 (2,)"),
    (lambda: write_n_gram(count_n_grams(TEXT, V), 1, [5], 1), "prompt must be ids below 5, got 5 to 5"),
    (lambda: write_n_gram(count_n_grams(TEXT, V), 4, [0], 1), "order must be between 0 and 3, got 4"),
    (lambda: write_n_gram(count_n_grams(TEXT, V), 1, [0], 1, -1.0), "temperature must be a finite number of at least"),
)
def test_bad_input_says_what_is_wrong(call, message):
    check(call, message)
