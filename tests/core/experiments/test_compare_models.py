"""A model at a moment and its twins: what it writes, how it does on rows, and how when nothing follows."""

import numpy as np
import pytest

from attention_core.equations.loss import cross_entropy_forward
from attention_core.equations.softmax import softmax
from attention_core.experiments.inside.compare_models import assess, predict_each, written
from attention_core.model.config import Config
from attention_core.model.forward import attention_weights, logits
from attention_core.model.generate import generate
from attention_core.model.parameters import init_model
from attention_core.shipped.runs import loss_of_rows

RNG = np.random.default_rng(3)
each_kind = pytest.mark.parametrize("causal", [True, False])


def model(causal=True, **changes):
    sizes = {"vocab_size": 7, "d_model": 6, "n_heads": 3, "n_layers": 2, "max_len": 11}
    return init_model(Config(**(sizes | changes), causal=causal), 1)


@pytest.mark.parametrize("n_layers", [1, 2])
def test_a_mask_that_is_removed_while_writing_changes_what_several_layers_predict(n_layers):
    own, prompt = model(n_layers=n_layers), np.array([1, 5, 2, 6])
    without = model(causal=False, n_layers=n_layers)
    np.testing.assert_array_equal(own.flat, without.flat)
    assert written(own, prompt, 5).tolist() == generate(own, prompt, 5, 0.0)
    assert written(own, prompt, 5, masked=False).tolist() == generate(without, prompt, 5, 0.0)
    apart = np.abs(logits(own, prompt)[-1] - logits(without, prompt)[-1]).max()
    assert (apart > 1e-3) == (n_layers == 2)


@each_kind
def test_each_position_predicts_from_the_whole_text_and_only_under_a_mask_from_what_is_before_it(causal):
    own, text = model(causal), np.array([1, 5, 2, 0, 6])
    whole, cut = predict_each(own, text), [predict_each(own, text[: place + 1])[-1] for place in range(len(text))]
    np.testing.assert_allclose(whole, softmax(logits(own, text).astype(float)), rtol=1e-6)
    assert np.allclose(whole, cut, atol=1e-6) == causal


@each_kind
def test_a_row_is_cut_off_before_each_token_that_is_bet_on(causal):
    own, rows = model(causal), RNG.integers(7, size=(5, 12))
    counted = RNG.random((5, 11)) < 0.3
    found = assess(own, rows, counted)
    cut = [
        (logits(own, row[: t + 1])[-1], row[t + 1])
        for row, some in zip(rows, counted, strict=True)
        for t in np.flatnonzero(some)
    ]
    bets, goals = np.array([bet for bet, _ in cut]), np.array([goal for _, goal in cut])
    assert found.cut_loss == pytest.approx(cross_entropy_forward(bets, goals)[0], rel=1e-5)
    assert found.cut_accuracy == pytest.approx((bets.argmax(-1) == goals).mean())
    assert found.loss == pytest.approx(loss_of_rows(own, rows, counted), rel=1e-5)
    if causal:
        assert (found.loss, found.accuracy) == (found.cut_loss, found.cut_accuracy)
        assert found.ahead.max() == 0
    else:
        weights = attention_weights(own, rows[:, :-1])
        ahead = [weights[:, :, :, t, t + 1] for t in range(10)]
        np.testing.assert_allclose(found.ahead, np.mean(ahead, axis=(0, 1)), rtol=1e-5)
