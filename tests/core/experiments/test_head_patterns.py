"""What heads do over many texts: hand-worked rows, the same as the measures of single texts, and what is even."""

import numpy as np
import pytest

from attention_core.equations.masks import causal_mask
from attention_core.experiments.inside.head_patterns import (
    measure_patterns,
)
from attention_core.experiments.scaling import head_metrics
from attention_core.model.config import Config
from attention_core.model.forward import attention_weights
from attention_core.model.parameters import init_model

each_kind = pytest.mark.parametrize("causal", [True, False])


def model(causal=True, **changes):
    sizes = {"vocab_size": 7, "d_model": 6, "n_heads": 3, "n_layers": 2, "max_len": 11}
    return init_model(Config(**(sizes | changes), causal=causal), 1)


def test_three_words_worked_by_hand():
    tokens = np.array([[4, 2, 4]])
    weights = np.array([[1, 0, 0], [0.25, 0.75, 0], [0.5, 0.2, 0.3]])[None, None, None]
    found = measure_patterns(weights, tokens, causal=True)
    assert found.previous == pytest.approx((0.25 + 0.2) / 2)
    assert found.same == pytest.approx(0.5)  # the last token alone has a twin before it
    assert found.first == pytest.approx((0.25 + 0.5) / 2)
    assert found.self == pytest.approx((1 + 0.75 + 0.3) / 3)
    assert found.induction == pytest.approx(0.2)  # what followed the first 4 is the 2
    spread = [-(0.25 * np.log(0.25) + 0.75 * np.log(0.75)) / np.log(2)]
    spread.append(-(0.5 * np.log(0.5) + 0.2 * np.log(0.2) + 0.3 * np.log(0.3)) / np.log(3))
    assert found.spread == pytest.approx(np.mean(spread))


@each_kind
def test_one_text_gives_the_measures_of_that_text(causal):
    own, words = model(causal), [3, 1, 4, 1, 5, 3, 1]
    weights = attention_weights(own, words)
    found = measure_patterns(weights[None], np.array([words]), causal)
    blocked = causal_mask(7) if causal else None
    expected = head_metrics.measure_heads(weights, words, blocked)
    np.testing.assert_allclose(found.previous, expected.previous_word, rtol=1e-5)
    np.testing.assert_allclose(found.first, expected.first_word, rtol=1e-5)
    np.testing.assert_allclose(found.self, expected.self, rtol=1e-5)
    np.testing.assert_allclose(found.same, expected.same_word, rtol=1e-5)
    np.testing.assert_allclose(found.spread, expected.entropy, rtol=1e-5)
    np.testing.assert_allclose(found.induction, head_metrics.induction_score(weights, words), rtol=1e-5)
