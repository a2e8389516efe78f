"""Claims of the lessons, each measured in the same way in a model of the course and in a pretrained one."""

from __future__ import annotations

import json
from functools import lru_cache
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attention_core.arrays import Array
from attention_core.checks import integer
from attention_core.data_files import shipped_file
from attention_core.equations.softmax import softmax
from attention_core.experiments.inside.claim_texts import SEED, random_twice, sentence_pairs
from attention_core.model.activations import unembed
from attention_core.model.forward import checked_tokens, model_forward
from attention_core.model.parameters import Model, Parts, parameter_parts
from attention_core.pretrained.tokeniser import Tokeniser
from attention_core.rows import row_norms
from attention_core.shipped.plans import FOLDER

LENS_READ = 16  # last positions that the logit lens reads: each reading of a large vocabulary is as costly as a pass
LEAST = 6  # tokens of a text
OTHER_DISTANCES = range(2, 9)  # of keys, beside which that of the previous token is seen
NEAR_ONE = (0.5, 2.0)  # a standard deviation that counts as near 1
CLAIMS_FILE = FOLDER / "smollm2.json"


class Finding(NamedTuple):
    """What was measured of a claim, and the bound that its null gives: above it the claim holds."""

    value: float
    bound: float
    picture: Array  # (L, H): a number for each head; or (L,), (L + 1,): for each layer
    at_most: bool = False  # whether the claim holds below the bound


class TextFindings(NamedTuple):
    """The claims that any text can show; none where this text or this model cannot."""

    scores: Finding  # fraction of the heads whose scores, divided by √d_k, have a standard deviation near 1
    undivided: Finding  # and of scores that are not divided
    previous: Finding  # largest mean weight of a head on the previous token
    first: Finding  # mean weight of all heads on the first token
    growth: Finding | None  # fraction of layers after which the residual stream is longer
    lens: Finding | None  # fraction of the layers after which the final prediction has more than one half


class Copying(NamedTuple):
    """What a model does with a random sequence that is repeated."""

    head: Finding  # largest mean weight on the token after the earlier occurrence
    accuracy: float  # fraction of the tokens after repeated ones that are the likeliest


class Reference(NamedTuple):
    """Whether a head attends more to the noun that a sentence is about, in pairs that differ in one word."""

    head: Finding  # largest mean lead of the right noun, of all heads
    leads: Array  # (N,), of each pair in that head
    at_pronoun: float  # the largest weight of a head from the pronoun of the first pair to its first noun


class PartSizes(NamedTuple):
    """The parameters of a model by kind of part, and the fraction of its MLPs."""

    parts: Parts
    mlp: Finding


class RealFindings(NamedTuple):
    """All claims in a pretrained model."""

    text: TextFindings
    copying: Copying
    reference: Reference | None  # where the nouns are whole tokens
    parts: PartSizes


class Activations(NamedTuple):
    """What the claims need of a forward pass."""

    queries: Array  # (L, H, T, K), after RoPE if the model has it
    keys: Array  # (L, H, T, K); heads of one group have the same
    weights: Array  # (L, H, T, T)
    stream: Array  # (L + 1, T, D)


def verdict(finding: Finding) -> str:
    """Return whether a claim holds, by what was measured of it."""
    beyond = finding.value < finding.bound if finding.at_most else finding.value > finding.bound
    return "holds" if beyond else "does not hold"


def activations(model: Model, tokens: ArrayLike) -> Activations:
    """Return what the claims need of the forward pass over tokens (T,)."""
    forward = model_forward(model, checked_tokens(model, "tokens", tokens))
    heads = forward.attentions
    queries, keys, weights = (np.stack(each) for each in zip(*((h.q, h.k, h.weights) for h in heads), strict=True))
    return Activations(queries, keys, weights, np.stack(forward.streams))


def measure_text(model: Model, tokens: ArrayLike) -> TextFindings:
    """Return the claims that any text (T,) of some tokens can show."""
    ids = np.asarray(tokens)
    integer("length of tokens", len(ids), LEAST)
    found = activations(model, ids)
    deviations = score_deviations(found)  # (L, H)
    width = float(np.sqrt(found.queries.shape[-1]))
    norms = row_norms(found.stream)[:, 1:].mean(axis=-1)  # (L + 1,), without the first token, whose vector is extreme
    return TextFindings(
        scores=near_one(deviations),
        undivided=near_one(deviations * width),
        previous=on_previous(found.weights),
        first=on_first(found.weights),
        growth=grown(norms),
        lens=formed(model, found.stream),
    )


def on_previous(weights: Array) -> Finding:
    """Return the largest mean weight of a head on the previous token; the null is any other distance."""

    def at(distance: int) -> Array:
        return np.asarray(np.diagonal(weights, -distance, -2, -1)[..., 1:].mean(axis=-1, dtype=np.float64))  # (L, H)

    previous, length = at(1), weights.shape[-1]
    others = [float(at(distance).max()) for distance in OTHER_DISTANCES if distance < length - 1]
    return Finding(float(previous.max()), max(others), previous)


def on_first(weights: Array) -> Finding:
    """Return the mean weight of later tokens on the first token; the null is another token of the first half."""

    def on(key: int) -> Array:
        return np.asarray(weights[..., key + 1 :, key].mean(axis=-1, dtype=np.float64))  # (L, H)

    others = [float(on(key).mean()) for key in range(1, weights.shape[-1] // 2)]
    return Finding(float(on(0).mean()), max(others), on(0))


def grown(norms: Array) -> Finding | None:
    """Return the fraction of layers after which the lengths (L + 1,) are larger; the null is a coin for each."""
    n_layers = len(norms) - 1
    if (least := beyond_chance(n_layers)) is None:
        return None
    return Finding(float((np.diff(norms) > 0).mean()), (least - 0.5) / n_layers, norms)


def formed(model: Model, stream: Array) -> Finding | None:
    """Return after which fraction of the layers the final predictions have more than one half for good, at the median.

    The null is a probability that grows by the same amount in each layer. Only predictions that end above one half
    are read; none if there are none.
    """
    read = stream[:, -LENS_READ:]
    final = np.asarray(unembed(model, read[-1]).argmax(axis=-1))  # (T,)
    # layer by layer, because the logits of all would take much memory
    path = np.stack([softmax(unembed(model, x))[np.arange(len(final)), final] for x in read]).astype(np.float64)
    path = path[:, path[-1] > 0.5]  # (L + 1, T)
    if not path.size:
        return None
    n_layers = len(path) - 1
    even = path[0] + np.arange(n_layers + 1)[:, None] / n_layers * (path[-1] - path[0])
    passes, even_passes = (float(np.median(passes_half(each))) / n_layers for each in (path, even))
    return Finding(passes, even_passes, path.mean(axis=-1), at_most=True)


def passes_half(path: Array) -> Array:
    """Return (T,): the number of layers after which a probability is above one half, and stays it; path (L + 1, T)."""
    return np.asarray(len(path) - np.logical_and.accumulate((path > 0.5)[::-1]).sum(axis=0))


def score_deviations(found: Activations) -> Array:
    """Return the standard deviation (L, H) of q · k / √d_k over the cells that the causal mask allows."""
    length, width = found.queries.shape[-2:]
    scores = (found.queries @ found.keys.mT).astype(np.float64) / np.sqrt(width)  # (L, H, T, T)
    return np.asarray(scores[..., np.tri(length, dtype=bool)].std(axis=-1))


def near_one(deviations: Array) -> Finding:
    """Return the fraction of heads (L, H) whose scores have a standard deviation near 1."""
    low, high = NEAR_ONE
    return Finding(float(((deviations >= low) & (deviations <= high)).mean()), 1 / 2, deviations)


def measure_copying(model: Model, twice: ArrayLike, once: ArrayLike, step: int = 1) -> Copying:
    """Return what heads do in a sequence that is repeated (T,), at every `step`-th token of the second half.

    The null is the same measure in a sequence `once`, of which nothing is repeated.
    """
    ids = np.asarray(twice)
    half = len(ids) // 2
    asks = np.arange(half, len(ids) - 1, step)
    found = activations(model, ids)
    weights, without = (
        each[..., asks, asks - half + 1].mean(axis=-1, dtype=np.float64)  # (L, H)
        for each in (found.weights, activations(model, once).weights)
    )
    right = unembed(model, found.stream[-1, asks]).argmax(axis=-1) == ids[asks + 1]
    return Copying(Finding(float(weights.max()), float(without.max()), weights), float(right.mean()))


def measure_reference(model: Model, sentences: ArrayLike, positions: ArrayLike) -> Reference:
    """Return whether a head attends from a word to the noun that a sentence is about, in N pairs of sentences.

    Sentences (N, 2, T) are of one length, so that a short one ends with tokens that no query sees. Positions (N, 4) are
    those of the word that asks, the two nouns and the pronoun. The first sentence of a pair is about the first noun.
    The null exchanges the sentences of some pairs, in all 2ᴺ ways.
    """
    leads, at_pronoun = [], 0.0
    for pair, (asks, first, second, pronoun) in zip(np.asarray(sentences), np.asarray(positions).tolist(), strict=True):
        about = [activations(model, ids).weights.astype(np.float64) for ids in pair]  # (L, H, T, T)
        one, other = (weights[..., asks, first] - weights[..., asks, second] for weights in about)
        leads.append((one - other) / 2)
        at_pronoun = at_pronoun or float(about[0][..., pronoun, first].max())
    found = np.stack(leads)  # (N, L, H)
    n = len(found)
    signs = 1 - 2 * ((np.arange(2**n)[:, None] >> np.arange(n)) & 1)  # (2ᴺ, N)
    chance = np.sort(np.tensordot(signs, found, 1).max(axis=(1, 2)) / n)
    mean = found.mean(axis=0)
    best = np.unravel_index(mean.argmax(), mean.shape)
    bound = float(chance[int(np.ceil(0.95 * len(chance))) - 1])
    return Reference(Finding(float(mean.max()), bound, mean), found[(slice(None), *best)], at_pronoun)


def beyond_chance(n: int) -> int | None:
    """Return how many of n coins fall on one side in fewer than one of 20 cases; None if too few coins for that."""
    tails = (sum(comb(n, right) for right in range(least, n + 1)) / 2**n for least in range(n + 1))
    return next((least for least, tail in enumerate(tails) if tail < 0.05), None)


def measure_parts(model: Model) -> PartSizes:
    """Return the parameters by kind of part, and the fraction of the MLPs."""
    parts = parameter_parts(model.config)
    return PartSizes(parts, Finding(parts.feed_forward / sum(parts), 1 / 2, np.array(parts, float)))


def measure_real(model: Model, tokeniser: Tokeniser, text: str) -> RealFindings:
    """Return all claims in a pretrained model that reads a text."""
    told = sentence_pairs(tokeniser)
    return RealFindings(
        measure_text(model, tokeniser.encode(text, special=False)),
        measure_copying(model, *random_twice(model.config.vocab_size, SEED)),
        measure_reference(model, *told) if told else None,
        measure_parts(model),
    )


@lru_cache(maxsize=1)
def shipped_claims() -> dict[str, Any]:
    """Return what was measured in SmolLM2, as RealFindings under "found", with its name and the text that it read."""
    with shipped_file(CLAIMS_FILE):
        said: dict[str, Any] = json.loads(CLAIMS_FILE.read_text("utf-8"))
        text, (head, accuracy), (lead, leads, at_pronoun), (parts, mlp) = said["found"]
        found = RealFindings(
            TextFindings(*map(finding, text)),
            Copying(finding(head), accuracy),
            Reference(finding(lead), np.array(leads), at_pronoun),
            PartSizes(Parts(*parts), finding(mlp)),
        )
        return said | {"found": found}


def finding(said: list[Any]) -> Finding:
    """Return a finding of a file, where named tuples are lists."""
    value, bound, picture, at_most = said
    return Finding(value, bound, np.array(picture), at_most)
