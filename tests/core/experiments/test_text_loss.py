"""A text as training examples: each row agrees with a bet made alone, and the mean is the loss of training."""

import math

import numpy as np
import pytest

import attention_core as core
from attention_core.experiments.language.text_loss import examples, mean_where
from attention_core.text.corpora import source_of

V, D, H, L, M, T = 11, 12, 3, 2, 7, 5


def made(dtype=np.float64, **kind):
    return core.init_model(core.Config(V, D, H, L, M, **kind), seed=3, dtype=dtype)


def drawn(length=T + 1):
    return np.random.default_rng(1).integers(V, size=length)


def test_each_example_is_the_bet_after_its_context_alone():
    model, text = made(), drawn()
    found = examples(model, text)
    for row in range(T):
        bet = core.softmax(core.logits(model, text[: row + 1])[-1])
        np.testing.assert_allclose(found.bets[row], bet, rtol=1e-10)
        assert found.losses[row] == pytest.approx(-math.log(bet[text[row + 1]]))
        assert found.target_bets[row] == pytest.approx(bet[text[row + 1]])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_mean_is_the_loss_of_training(dtype):
    model, text = made(dtype), drawn()
    loss, _ = core.loss_and_gradients(model, text[:-1], text[1:])
    assert examples(model, text).mean == pytest.approx(loss, rel=1e-6)
    assert examples(model, text).mean == pytest.approx(examples(model, text).losses.mean())


def test_only_what_counts_is_in_the_mean():
    assert mean_where(np.array([1.0, 5.0, 9.0]), [True, False, True]) == 5.0


def test_a_source_says_what_counts_as_its_batches_do():
    for name in ("pronoun", "recall"):
        source = source_of(name)
        batch = source.draw(np.random.default_rng(5), 13, 17)
        np.testing.assert_array_equal(source.counts(batch.rows), batch.counted)
        assert batch.counted.any()
    assert source_of("english").counts is None
    assert source_of("english").draw(np.random.default_rng(5), 3, 7).counted is None
