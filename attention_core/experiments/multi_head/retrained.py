"""Toy English trained from several seeds: which of its heads follows which link of the grammar."""

from __future__ import annotations

from functools import cache

import numpy as np

from attention_core.arrays import Array, frozen
from attention_core.experiments.multi_head.english_heads import LinkWeights
from attention_core.model.forward import attention_weights
from attention_core.model.parameters import Model
from attention_core.shipped.models import model_at
from attention_core.shipped.plans import ENGLISH, OTHER_SEEDS, reseeded
from attention_core.text.small_english import IDS, links, sentence
from attention_core.threads import one_at_a_time

SENTENCES_SEED = 10_008  # of those that are measured, separate from training
SEEDS = tuple(sorted((ENGLISH.plan.seed, *OTHER_SEEDS)))
FOLLOWS = 0.5  # mean attention weight from which on a head is said to follow a link


def link_weights_at_once(model: Model, n_sentences: int = 97) -> LinkWeights:
    """Return the mean weights (H,) along the links of a causal model of one layer, in one batch."""
    rng = np.random.default_rng(SENTENCES_SEED)
    sentences = [sentence(rng) for _ in range(n_sentences)]
    tokens = np.zeros((len(sentences), max(map(len, sentences))), dtype=np.int64)  # what follows a row is not seen
    for row, words in zip(tokens, sentences, strict=True):
        row[: len(words)] = [IDS[word] for word in words]
    weights = attention_weights(model, tokens)[:, 0]  # (N, H, T, T)
    found: dict[str, list[Array]] = {kind: [] for kind in LinkWeights._fields}
    for own, words in zip(weights, sentences, strict=True):
        for query, key, kind in links(words):
            found[kind].append(own[:, query, key])
    return LinkWeights(*(np.stack(found[kind]).mean(axis=0).astype(np.float64) for kind in LinkWeights._fields))


@one_at_a_time
@cache
def links_by_seed() -> LinkWeights:
    """Return the mean attention weight (N, H) of each head along each link, for the models of `SEEDS`."""
    names = [ENGLISH.name if seed == ENGLISH.plan.seed else reseeded(ENGLISH, seed).name for seed in SEEDS]
    measured = [link_weights_at_once(model_at(name)) for name in names]
    return LinkWeights(*(frozen(np.stack(each)) for each in zip(*measured, strict=True)))
