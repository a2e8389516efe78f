"""Claims of the lessons, each measured in the same way in a model of the course and in a pretrained one."""

from __future__ import annotations

import json
from functools import lru_cache
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attention_core.arrays import Array, Tokens
from attention_core.checks import integer
from attention_core.data_files import shipped_file
from attention_core.equations.masks import additive_mask, causal_mask
from attention_core.equations.positions import apply_rope, rope_angles
from attention_core.equations.softmax import softmax
from attention_core.experiments.inside.head_patterns import CLEAR, Patterns, measure_patterns
from attention_core.model.activations import unembed
from attention_core.model.forward import checked_tokens, model_forward
from attention_core.model.parameters import Model, Parts, parameter_parts
from attention_core.pretrained.tokeniser import Tokeniser
from attention_core.rows import row_norms
from attention_core.shipped.plans import FOLDER
from attention_core.text.recall_task import repeated_sequences

SHIFT = 100  # positions by which a text is moved
LENS_READ = 16  # last positions that the logit lens reads: each reading of a large vocabulary is as costly as a pass
NEAR_ONE = (0.5, 2.0)  # a standard deviation that counts as near 1
CLAIMS_FILE = FOLDER / "smollm2.json"
SEED = 3  # of the random sequences
SENTENCE = "The animal didn't cross the street because it was too"
ENDS = (" tired.", " wide.")
COPIED_PAIRS = 5  # letters with their digits in a sequence of the copy task


class Finding(NamedTuple):
    """What was measured of a claim, and the values from which on the claim holds, or holds in part.

    Where `holds` is below `part`, the claim is about a small value, and both are upper bounds.
    """

    value: float
    holds: float
    part: float
    picture: Array  # (L, H): a number for each head; or (L,), (L + 1,): for each layer
    baseline: float | None = None  # the value without a pattern: of uniform attention, or of guessing


class TextFindings(NamedTuple):
    """The claims that any text can show."""

    scores: Finding  # standard deviation of the scores divided by √d_k
    undivided: Finding  # and of those that are not divided
    previous: Finding  # largest mean weight of a head on the previous token
    first: Finding  # mean weight of all heads on the first token
    growth: Finding  # fraction of layers after which the residual stream is longer
    lens: Finding  # fraction of the layers after which a median position has the final prediction for good
    shift: Finding  # largest change of a weight when RoPE rotates as for later positions; 0 in a model of the course


class Copying(NamedTuple):
    """What a model does with a random sequence that is repeated."""

    head: Finding  # largest mean weight on the token after the earlier occurrence
    accuracy: float  # fraction of the tokens after repeated ones that are the likeliest


class Reference(NamedTuple):
    """Whether heads attend from a pronoun to the animal or to a thing."""

    heads: Finding  # of those that attend to one of the two clearly, the fraction with more on the animal
    n_clear: int
    animal: Array  # (L, H), weight on the animal
    thing: Array  # (L, H)
    changed: float  # the most that a weight of the pronoun changes with a later word


class PartSizes(NamedTuple):
    """The parameters of a model by kind of part, and the fraction of its MLPs."""

    parts: Parts
    mlp: Finding


class RealFindings(NamedTuple):
    """All claims in a pretrained model."""

    text: TextFindings
    copying: Copying
    reference: Reference | None  # where the tokens of the sentence are whole words
    parts: PartSizes


class Activations(NamedTuple):
    """What the claims need of a forward pass."""

    queries: Array  # (L, H, T, K), after RoPE if the model has it
    keys: Array  # (L, H, T, K); heads of one group have the same
    weights: Array  # (L, H, T, T)
    stream: Array  # (L + 1, T, D)


def verdict(finding: Finding) -> str:
    """Return whether a claim holds, by what was measured of it."""
    sign = 1 if finding.holds >= finding.part else -1
    if sign * finding.value >= sign * finding.holds:
        return "holds"
    return "holds in part" if sign * finding.value >= sign * finding.part else "does not hold"


def activations(model: Model, tokens: ArrayLike) -> Activations:
    """Return what the claims need of the forward pass over tokens (T,)."""
    forward = model_forward(model, checked_tokens(model, "tokens", tokens))
    heads = [block.attention.layer.attention for block in forward.blocks]
    outs = [(block.feed_forward or block.attention).out for block in forward.blocks]
    queries, keys, weights = (np.stack(each) for each in zip(*((h.q, h.k, h.weights) for h in heads), strict=True))
    return Activations(queries, keys, weights, np.stack([forward.embedded, *outs]))


def measure_text(model: Model, tokens: ArrayLike) -> TextFindings:
    """Return the claims that any text (T,) of at least two tokens can show."""
    ids = np.asarray(tokens)
    integer("length of tokens", len(ids), 2)
    found = activations(model, ids)
    deviations = score_deviations(found)  # (L, H)
    width = float(np.sqrt(found.queries.shape[-1]))
    patterns, even = patterns_of(found.weights, ids)
    norms = row_norms(found.stream)[:, 1:].mean(axis=-1)  # (L + 1,), without the first token, whose vector is extreme
    agrees = agreement(model, found.stream)  # (L + 1, T)
    n_layers = len(agrees) - 1
    return TextFindings(
        scores=near_one(deviations),
        undivided=near_one(deviations * width),
        previous=above_uniform(float(patterns.previous.max()), even.previous.item(), patterns.previous),
        first=above_uniform(float(patterns.first.mean()), even.first.item(), patterns.first),
        growth=Finding(float((np.diff(norms) > 0).mean()), 0.9, 2 / 3, norms),
        lens=Finding(float(np.median(formed_after(agrees))) / n_layers, 0.5, 0.75, agrees.mean(axis=-1)),
        shift=shifted(model, found),
    )


def above_uniform(value: float, uniform: float, picture: Array) -> Finding:
    """Return an attention weight beside that of uniform attention: clearly above it, a claim holds in part."""
    return Finding(value, max(0.5, uniform + CLEAR), uniform + CLEAR, picture, uniform)


def score_deviations(found: Activations) -> Array:
    """Return the standard deviation (L, H) of q · k / √d_k over the cells that the causal mask allows."""
    length, width = found.queries.shape[-2:]
    scores = (found.queries @ found.keys.mT).astype(np.float64) / np.sqrt(width)  # (L, H, T, T)
    return np.asarray(scores[..., np.tri(length, dtype=bool)].std(axis=-1))


def near_one(deviations: Array) -> Finding:
    """Return the fraction of heads (L, H) whose scores have a standard deviation near 1."""
    low, high = NEAR_ONE
    return Finding(float(((deviations >= low) & (deviations <= high)).mean()), 2 / 3, 1 / 3, deviations)


def patterns_of(weights: Array, ids: Tokens) -> tuple[Patterns, Patterns]:
    """Return the patterns (L, H) of attention weights (L, H, T, T), and those (1, 1) of uniform attention."""
    allowed = np.tri(len(ids))
    even = allowed / allowed.sum(axis=-1, keepdims=True)
    return measure_patterns(weights[None], ids[None], True), measure_patterns(even[None, None, None], ids[None], True)


def agreement(model: Model, stream: Array) -> Array:
    """Return (L + 1, T): whether the logit lens reads the final prediction, at the last positions."""
    # layer by layer, because the logits of all would take much memory
    likeliest = [likeliest_tokens(model, x) for x in stream[:, -LENS_READ:]]
    return np.asarray(np.stack(likeliest) == likeliest[-1])


def formed_after(agrees: Array) -> Array:
    """Return (T,): the number of layers after which a prediction is the final one, and stays it; agrees (L + 1, T)."""
    return np.asarray(len(agrees) - np.logical_and.accumulate(agrees[::-1]).sum(axis=0))


def likeliest_tokens(model: Model, stream: Array) -> Tokens:
    """Return the likeliest next tokens (T,) that the logit lens reads from a residual stream (T, D)."""
    return np.asarray(unembed(model, stream).argmax(axis=-1))


def shifted(model: Model, found: Activations) -> Finding:
    """Return the largest change of a weight, and that of each head, when RoPE rotates as for later positions."""
    change = np.zeros_like(found.weights)  # (L, H, T, T)
    if model.config.positions == "rope":
        length, width = found.queries.shape[-2:]
        mask = additive_mask(causal_mask(length)).astype(np.float32)
        further = np.repeat(rope_angles(1, width, model.config.rope_base, SHIFT, "<f4"), length, axis=0)  # (T, K / 2)
        queries, keys = (apply_rope(np.ascontiguousarray(part), further) for part in (found.queries, found.keys))
        change = np.abs(softmax(queries @ keys.mT / np.sqrt(np.float32(width)) + mask) - found.weights)
    return Finding(float(change.max()), 0.01, 0.1, change.max(axis=(-2, -1)))


def random_twice(vocab_size: int, seed: int, length: int = 16) -> Tokens:
    """Return a random sequence of distinct ids, twice (2 · length,)."""
    return repeated_sequences(np.random.default_rng(integer("seed", seed, 0)), 1, 2 * length - 1, vocab_size)[0]


def pairs_twice(seed: int) -> Tokens:
    """Return a random sequence of the copy task, letters each with a digit, twice (4 · COPIED_PAIRS,)."""
    rng = np.random.default_rng(integer("seed", seed, 0))
    pairs = np.stack([rng.permutation(10)[:COPIED_PAIRS], 10 + rng.integers(10, size=COPIED_PAIRS)], axis=1)
    return np.tile(pairs.ravel(), 2)


def measure_copying(model: Model, tokens: ArrayLike, step: int = 1) -> Copying:
    """Return what heads do in a sequence that is repeated (T,), at every `step`-th token of the second half."""
    ids = np.asarray(tokens)
    half = len(ids) // 2
    asks = np.arange(half, len(ids) - 1, step)
    found = activations(model, ids)
    weights = found.weights[..., asks, asks - half + 1].mean(axis=-1, dtype=np.float64)  # (L, H)
    even = float((1 / (asks + 1)).mean())
    right = likeliest_tokens(model, found.stream[-1, asks]) == ids[asks + 1]
    return Copying(above_uniform(float(weights.max()), even, weights), float(right.mean()))


def measure_reference(
    model: Model, tokens: ArrayLike, other: ArrayLike, pronoun: int, animal: int, thing: int
) -> Reference:
    """Return whether heads attend from a pronoun to the animal or to a thing, and what another ending changes."""
    for name, place in (("animal", animal), ("thing", thing)):
        integer(name, place, 0, pronoun - 1)
    row = activations(model, tokens).weights[..., pronoun, : pronoun + 1].astype(np.float64)  # (L, H, S)
    again = activations(model, other).weights[..., pronoun, : pronoun + 1]
    to_animal, to_thing = row[..., animal], row[..., thing]
    clear = np.maximum(to_animal, to_thing) >= 1 / (pronoun + 1) + CLEAR
    fraction = float((to_animal > to_thing)[clear].mean()) if clear.any() else 0.0
    bound = beyond_chance(int(clear.sum()))
    heads = Finding(fraction, max(0.9, bound), bound, to_animal, 0.5)
    return Reference(heads, int(clear.sum()), to_animal, to_thing, float(np.abs(row - again).max()))


def beyond_chance(n: int) -> float:
    """Return the least fraction of n heads that guessing, one half each, reaches in fewer than one of 20 cases.

    It is 1 if there are too few heads for that.
    """
    tails = (sum(comb(n, right) for right in range(least, n + 1)) / 2**n for least in range(n + 1))
    return next((least / n for least, tail in enumerate(tails) if tail < 0.05), 1.0)


def measure_parts(model: Model) -> PartSizes:
    """Return the parameters by kind of part, and the fraction of the MLPs."""
    parts = parameter_parts(model.config)
    return PartSizes(parts, Finding(parts.feed_forward / sum(parts), 1 / 2, 1 / 3, np.array(parts, float)))


def sentence_ids(tokeniser: Tokeniser) -> tuple[Tokens, Tokens, int, int, int] | None:
    """Return the sentence on the animal with its two ends, and where it, animal and street are as whole tokens."""
    told, other = (np.array(tokeniser.encode(SENTENCE + end, special=False)) for end in ENDS)
    words = [tokeniser.decode(told[i : i + 1]).strip() for i in range(len(told))]
    same = min(len(told), len(other))
    if not {"it", "animal", "street"} <= set(words[:same]):
        return None
    places = words.index("it"), words.index("animal"), words.index("street")
    return (told, other, *places) if max(places) == places[0] else None


def measure_real(model: Model, tokeniser: Tokeniser, text: str) -> RealFindings:
    """Return all claims in a pretrained model that reads a text."""
    told = sentence_ids(tokeniser)
    return RealFindings(
        measure_text(model, tokeniser.encode(text, special=False)),
        measure_copying(model, random_twice(model.config.vocab_size, SEED)),
        measure_reference(model, *told) if told else None,
        measure_parts(model),
    )


@lru_cache(maxsize=1)
def shipped_claims() -> dict[str, Any]:
    """Return what was measured in SmolLM2, as RealFindings under "found", with its name and the text that it read."""
    with shipped_file(CLAIMS_FILE):
        said: dict[str, Any] = json.loads(CLAIMS_FILE.read_text("utf-8"))
        text, (head, accuracy), (heads, n_clear, animal, thing, changed), (parts, mlp) = said["found"]
        reference = Reference(finding(heads), n_clear, np.array(animal), np.array(thing), changed)
        found = RealFindings(
            TextFindings(*map(finding, text)),
            Copying(finding(head), accuracy),
            reference,
            PartSizes(Parts(*parts), finding(mlp)),
        )
        return said | {"found": found}


def finding(said: list[Any]) -> Finding:
    """Return a finding of a file, where named tuples are lists."""
    value, holds, part, picture, baseline = said
    return Finding(value, holds, part, np.array(picture), baseline)
