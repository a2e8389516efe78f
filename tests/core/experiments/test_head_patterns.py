"""What heads do over many texts is, for one text, what the measures of that text say."""

import numpy as np
import pytest

from attention_core.equations.masks import causal_mask
from attention_core.experiments.inside.head_patterns import measure_patterns
from attention_core.experiments.scaling import head_metrics
from attention_core.model.config import Config
from attention_core.model.forward import attention_weights
from attention_core.model.parameters import init_model

each_kind = pytest.mark.parametrize("causal", [True, False])


def model(causal=True, **changes):
    sizes = {"vocab_size": 7, "d_model": 6, "n_heads": 3, "n_layers": 2, "max_len": 11}
    return init_model(Config(**(sizes | changes), causal=causal), 1)


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
