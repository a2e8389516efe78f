"""smaller_caches: the bytes of the real cache, how far back a letter stood, and the shipped losses."""

import numpy as np
import pytest

from attention_core.experiments.language import smaller_caches
from attention_core.experiments.language.costs import cache_bytes
from attention_core.model.kv_cache import Decoder
from attention_core.model.parameters import init_model
from attention_core.text.recall_task import recall_targets


@pytest.mark.parametrize("kind", smaller_caches.CHANGES)
@pytest.mark.parametrize("length", [1, 7, 11, smaller_caches.READ_LENGTH])
def test_the_bytes_are_those_of_the_real_cache(kind, length):
    config = smaller_caches.config_of(kind)
    layers = Decoder(init_model(config, seed=3), length).layers
    assert cache_bytes(config, length) == sum(layer.keys.nbytes + layer.values.nbytes for layer in layers)


def test_half_and_a_quarter_by_hand():
    assert cache_bytes(smaller_caches.config_of("4 groups"), 1) == 2 * 2 * 64 * 4  # key and value, layers, width, bytes
    full, *others = (cache_bytes(smaller_caches.config_of(kind), 32) for kind in smaller_caches.CHANGES)
    assert [full / size for size in others] == [2, 4, 2, 4]


def test_how_far_back_a_letter_stood_last():
    rows = np.array([[0, 10, 1, 10, 0, 10, 0, 10, 1]])  # a0b0a0a0b: digits repeat too, but do not count
    assert smaller_caches.last_seen(rows).tolist() == [[0, 0, 0, 0, 4, 0, 2, 0, 6]]
    assert ((smaller_caches.last_seen(rows) > 0) == recall_targets(rows).answerable).all()


def test_a_model_with_a_window_loses_letters_that_stood_further_back_and_no_others():
    found = smaller_caches.losses_of_caches()
    assert list(found) == list(smaller_caches.CHANGES)
    for kind, losses in found.items():
        assert losses.shape == (len(smaller_caches.CACHE_SEEDS), 1 + smaller_caches.FURTHEST // 2)
        window = smaller_caches.CHANGES[kind].get("window", smaller_caches.FURTHEST)
        assert losses[:, 1 : 1 + window // 2].max() < 0.35
        assert losses[:, 1 + window // 2 :].min(initial=9) > 1


@pytest.mark.nightly
def test_training_again_gives_the_shipped_losses():
    found = smaller_caches.losses_by_distance(smaller_caches.train_kind("window of 8", 1))
    np.testing.assert_allclose(found, smaller_caches.losses_of_caches()["window of 8"][1], atol=0.1)
