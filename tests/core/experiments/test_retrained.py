"""Toy English from other seeds: the same plan, and other heads with the jobs."""

from collections import defaultdict

import numpy as np

import attention_core as core
from attention_core.experiments.multi_head.retrained import SEEDS, SENTENCES_SEED, link_weights_at_once, links_by_seed
from attention_core.shipped.models import model_at
from attention_core.shipped.plans import ENGLISH, MODELS
from attention_core.text.small_english import IDS, links, sentence


def test_all_sentences_at_once_give_the_weights_of_each_by_itself():
    for model in (model_at("english"), core.init_model(ENGLISH.plan.config, 7)):
        rng, each = np.random.default_rng(SENTENCES_SEED), defaultdict(list)
        for _ in range(29):
            words = sentence(rng)
            weights = core.attention_weights(model, [IDS[word] for word in words])[0]
            for query, key, kind in links(words):
                each[kind].append(weights[:, query, key])
        for kind, found in link_weights_at_once(model, 29)._asdict().items():
            np.testing.assert_allclose(found, np.mean(each[kind], axis=0), atol=1e-6)


def test_there_is_a_row_for_each_seed_and_the_shipped_one_is_among_them():
    found = links_by_seed()
    assert len(SEEDS) == 7
    for seed, row in zip(SEEDS, np.stack(found, axis=1), strict=True):
        name = "english" if seed == ENGLISH.plan.seed else f"english-seed-{seed}"
        assert MODELS[name].plan == ENGLISH.plan._replace(seed=seed)
        np.testing.assert_array_equal(row, np.stack(link_weights_at_once(model_at(name))))
    assert not any(array.flags.writeable for array in found)
