"""A text as training examples: each row agrees with a bet made alone, and the mean is the loss of training."""

import math

import numpy as np
import pytest

import attention_core as core
from attention_core.experiments.language.text_loss import (
    cut_loss,
    examples,
    expected_loss,
    loss_of_text,
    mean_where,
    next_token_distribution,
    perplexity,
    probabilities_alone,
)
from attention_core.text.corpora import source_of
from tests.core.errors import check, says

V, D, H, L, M, T = 11, 12, 3, 2, 7, 5


def made(dtype=np.float64, **kind):
    return core.init_model(core.Config(V, D, H, L, M, **kind), seed=3, dtype=dtype)


def drawn(length=T + 1):
    return np.random.default_rng(1).integers(V, size=length)


def test_a_text_of_so_many_tokens_has_one_example_less():
    found = examples(made(), drawn())
    assert found.bets.shape == (T, V)
    assert len(found.losses) == len(found.targets) == T
    np.testing.assert_array_equal(found.targets, drawn()[1:])


def test_each_example_is_the_bet_after_its_context_alone():
    model, text = made(), drawn()
    found = examples(model, text)
    for row in range(T):
        bet = core.softmax(core.logits(model, text[: row + 1])[-1])
        np.testing.assert_allclose(found.bets[row], bet, rtol=1e-10)
        assert found.losses[row] == pytest.approx(-math.log(bet[text[row + 1]]))
        assert found.target_bets[row] == pytest.approx(bet[text[row + 1]])


def test_the_loss_is_the_difference_that_the_card_shows():
    found = examples(made(), drawn())
    logits = core.logits(made(), drawn()[:-1])
    np.testing.assert_allclose(found.target_logits, logits[np.arange(T), drawn()[1:]])
    np.testing.assert_allclose(found.log_sums, np.log(np.exp(logits).sum(axis=-1)))
    np.testing.assert_allclose(found.losses, found.log_sums - found.target_logits)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.promise("tiny_lm 4")
def test_the_mean_is_the_loss_of_training(dtype):
    model, text = made(dtype), drawn()
    loss, _ = core.loss_and_gradients(model, text[:-1], text[1:])
    assert examples(model, text).mean == pytest.approx(loss, rel=1e-6)
    assert loss_of_text(model, text) == pytest.approx(examples(model, text).losses.mean())


def test_what_is_cut_off_does_not_change_a_loss_under_the_mask_alone():
    text = drawn()
    for row in range(T):
        assert cut_loss(made(), text, row) == pytest.approx(examples(made(), text).losses[row], rel=1e-12)
    open_model = made(causal=False)
    assert abs(cut_loss(open_model, text, 0) - examples(open_model, text).losses[0]) > 1e-3


def test_only_what_counts_is_in_the_mean():
    assert mean_where(np.array([1.0, 5.0, 9.0]), [True, False, True]) == 5.0


def test_perplexity_of_guessing_is_how_many_there_are():
    assert perplexity(math.log(7)) == pytest.approx(7)
    assert perplexity(0.0) == 1
    assert perplexity(1e6) == math.inf


def test_the_entropy_of_a_fair_choice_and_of_a_sure_thing():
    assert next_token_distribution([0, 3, 3, 0]).entropy == pytest.approx(math.log(2))
    assert next_token_distribution([0, 9]).entropy == 0
    np.testing.assert_allclose(next_token_distribution([1, 0, 3]).shares, [0.25, 0, 0.75])


def test_no_bet_loses_less_than_the_entropy():
    rng = np.random.default_rng(0)
    found = next_token_distribution(rng.integers(9, size=V))
    bets = core.softmax(rng.standard_normal((50, V)))
    assert min(expected_loss(found.shares, bet) for bet in bets) > found.entropy
    assert expected_loss(found.shares, found.shares) == pytest.approx(found.entropy)


def test_a_source_says_what_counts_as_its_batches_do():
    for name in ("pronoun", "recall"):
        source = source_of(name)
        batch = source.draw(np.random.default_rng(5), 13, 17)
        np.testing.assert_array_equal(source.counts(batch.rows), batch.counted)
        assert batch.counted.any()
    assert source_of("english").counts is None
    assert source_of("english").draw(np.random.default_rng(5), 3, 7).counted is None


def test_in_recall_the_digit_of_a_letter_seen_before_counts():
    source = source_of("recall")
    row = source.vocabulary.encode(list("a3c7a3"))
    assert source.counts(row[None])[0].tolist() == [False, False, False, False, True]


@says(
    (lambda: examples(made(), [3]), "tokens must be a text (T + 1,) of at least two tokens, got shape (1,)"),
    (lambda: examples(made(), [[1, 2]]), "tokens must be a text (T + 1,) of at least two tokens, got shape (1, 2)"),
    (lambda: examples(made(), [1, V]), f"tokens must be in [0, vocab_size {V}), got {V} to {V}"),
    (lambda: cut_loss(made(), [1, 2], 1), "row must be between 0 and 0, got 1"),
    (lambda: mean_where(np.ones(3), [False] * 3), "counted must choose some of (3,) losses, got 0 of (3,)"),
    (
        lambda: next_token_distribution([0, 0]),
        "counts must be numbers (V,) of at least 0, not all of them 0, got shape (2,)",
    ),
)
def test_bad_input_is_named(call, message):
    check(call, message)


@pytest.mark.parametrize("causal", [True, False])
def test_one_pass_gives_what_a_pass_for_each_gives_only_with_a_mask(causal):
    model, tokens = made(causal=causal), drawn()
    alone = probabilities_alone(model, tokens, [4, 0, 2])
    assert np.allclose(alone, examples(model, tokens).target_bets[[4, 0, 2]], rtol=1e-9) == causal
    assert alone[2] == pytest.approx(examples(model, tokens[:4]).target_bets[2])
    with pytest.raises(ValueError, match="rows must be between 0 and 4, got 5"):
        probabilities_alone(model, tokens, [5])
