"""The residual stream of a pretrained model: contributions sum to the lead, and each is that of its own part."""

import numpy as np
import pytest

from attention_core.experiments.inside.real_stream import real_stream
from tests.core.pretrained.files import tiny

IDS = [7, 91, 7, 33, 150, 91, 7]


@pytest.mark.parametrize("tied", [True, False])
def test_the_contributions_sum_to_the_lead_of_the_prediction(opened, tied):
    model = opened(tiny(tied=tied, layers=3).content)
    found, logits = real_stream(model, IDS), model.logits(IDS)
    best, second = np.argsort(-logits, axis=-1)[:, :2].T
    np.testing.assert_array_equal(found.tokens, np.stack([best, second], axis=1))
    places = np.arange(len(IDS))
    np.testing.assert_allclose(found.lead, logits[places, best] - logits[places, second], atol=1e-5)
    total = found.embedding + found.heads.sum(axis=(0, 1)) + found.mlp.sum(axis=0)
    np.testing.assert_allclose(total, found.lead, atol=1e-5)
    assert found.heads.shape == (3, 6, len(IDS))
    assert found.mlp.shape == (3, len(IDS))


def test_a_contribution_is_what_the_lead_loses_without_the_part_while_the_norm_is_frozen(opened):
    model = opened(tiny(layers=3).content)
    found, inside = real_stream(model, IDS), model.insides(IDS)
    scale = np.sqrt((inside.stream[-1].astype(np.float64) ** 2).mean(axis=-1) + 1e-5)
    matrix = model.parameters.unembedding.astype(np.float64)
    parts = [
        (found.embedding, inside.stream[0]),
        (found.heads[1, 4], model.head_writes(inside, 1)[4]),
        (found.mlp[2], inside.mlp_adds[2]),
    ]
    for values, part in parts:
        for place, (best, second) in enumerate(found.tokens):
            left = (inside.stream[-1, place] - part[place]) / scale[place] * model.parameters.final_gain @ matrix
            assert values[place] == pytest.approx(found.lead[place] - (left[best] - left[second]), abs=1e-5)


def test_the_norms_are_those_of_the_stream(opened):
    model = opened(tiny(layers=3).content)
    inside, found = model.insides(IDS), real_stream(model, IDS)
    arrays = ((found.norms, "stream"), (found.attention_norms, "attention_adds"), (found.mlp_norms, "mlp_adds"))
    for norms, name in arrays:
        np.testing.assert_allclose(norms, np.linalg.norm(getattr(inside, name), axis=-1), rtol=1e-5)
