"""Steering: identities at the embedding and after the last layer."""

import numpy as np
import pytest

from attention_core.experiments.inside.steering import steered_logits, token_direction
from attention_core.model.activations import insides, unembed
from attention_core.model.config import Config
from attention_core.model.parameters import Model, init_model

TOKENS = np.array([3, 7, 1, 7, 4])


def made(**options):
    model = init_model(Config(11, **{"d_model": 12, "n_heads": 3, "n_layers": 2, "max_len": 7} | options), seed=2)
    return Model.of(model.config, 3 * model.flat.astype(np.float64))


@pytest.mark.parametrize("positions", ["learned", "rope"])
def test_strength_one_at_the_embedding_is_the_other_word(positions):
    model = made(positions=positions)
    found = steered_logits(model, insides(model, TOKENS), 0, 2, token_direction(model, 9, 1), (0.0, 1.0))
    other = np.where(np.arange(5) == 2, 9, TOKENS)
    np.testing.assert_allclose(found, [insides(model, own).logits[-1] for own in (TOKENS, other)], atol=1e-10)


@pytest.mark.parametrize("layer", [0, 1, 2])
def test_strength_zero_changes_nothing_and_after_the_last_layer_only_the_last_position_counts(layer):
    model = made()
    inside, direction = insides(model, TOKENS), token_direction(model, 9, 1)
    np.testing.assert_allclose(steered_logits(model, inside, layer, 4, direction, (0.0,))[0], inside.logits[-1])
    if layer == 2:
        expected = unembed(model, inside.stream[-1, -1] - 2 * direction)
        np.testing.assert_allclose(steered_logits(model, inside, 2, 4, direction, (-2.0,))[0], expected)
        np.testing.assert_allclose(steered_logits(model, inside, 2, 3, direction, (5.0,))[0], inside.logits[-1])
