"""The pictures of the lessons on their cards, drawn from the numbers of the sentence in view."""

from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.equations.masks import causal_mask
from attention_core.equations.positions import sinusoidal_positions
from attention_core.equations.softmax import softmax
from attention_core.experiments.multi_head.english_heads import grammar_model, known_words
from attention_core.experiments.scaling.head_metrics import entropy
from attention_core.model.forward import logits
from pages.heads.matrices import OneHead
from pages.home.sentence import SENTENCE, trained_maps
from pages.look.facts import largest, ordered
from pages.look.html import inline, number, percent
from pages.look.sentences import asking_word
from pages.look.style import LEVELS
from pages.look.thumbnails import TAGS, thumbnail

HEIGHT = 96  # pixels
FEW = 6  # rows whose words can be read


def pictures(scene: OneHead) -> dict[str, Markup]:
    """Return a picture for each lesson, by its name, of the numbers of a sentence."""
    attention, known = scene.attention, known_words(scene.words)[0] or SENTENCE.split()
    weights = attention.weights
    flattest = largest(entropy(weights)).first  # the word in whose row dividing by √d_k shows best
    added = 0 if attention.mask is None else attention.mask[flattest]
    undivided = softmax(attention.scores[flattest] / attention.scale + added)
    highest = float(max(undivided.max(), weights[flattest].max()))
    few = weights[:FEW, :FEW]
    hidden = np.where(causal_mask(len(few)), -np.inf, few)
    return {
        "qkv": query_and_keys(scene.words, weights),
        "scaling": framed(
            "pair", (columns(undivided, highest, "not divided"), columns(weights[flattest], highest, "÷ √dₖ"))
        ),
        "multi_head": heads(known),
        "causal_mask": framed("map", (words(scene.words[:FEW]), thumbnail(hidden, None, HEIGHT))),
        "positional_encoding": framed("", (waves(),)),
        "tiny_lm_tokens": next_tokens(known),
    }


def framed(look: str, parts: Iterable[Markup]) -> Markup:
    return Markup('<div class="shot {}">{}</div>').format(look, Markup("").join(parts))


def words(names: Sequence[str]) -> Markup:
    """Return words one under another, as high as the rows of a map."""
    return Markup("<div>{}</div>").format(Markup("").join(Markup("<span>{}</span>").format(name) for name in names))


def query_and_keys(names: Sequence[str], weights: Array) -> Markup:
    """Return the word that asks, and those with its three largest weights in the order of the sentence."""
    asks = asking_word(names, weights)
    keys = sorted(ordered(weights[asks])[:3])
    cell = Markup("<div>{}<span>{}</span><b>{}</b></div>")
    parts = [cell.format(cells(weights[asks, key : key + 1]), names[key], number(weights[asks, key])) for key in keys]
    return framed("keys", (Markup('<span class="query">{} →</span>').format(names[asks]), *parts))


def cells(weights: Array) -> Markup:
    """Return a row of weights as cells of a map, as wide as there is room."""
    tags = Markup("").join(TAGS["w"][round(float(weight) * (LEVELS - 1))] for weight in weights)
    return Markup('<div class="thumb" style="grid-template-columns:repeat({},1fr)">{}</div>').format(len(weights), tags)


def columns(weights: Array, highest: float, label: str) -> Markup:
    """Return a row of weights as bars; one of the `highest` is as high as the picture."""
    bar = Markup('<i style="height:{:.1f}%"></i>')
    bars = Markup("").join(bar.format(100 * weight) for weight in weights / highest)
    return Markup('<div><div class="columns">{}</div><span>{}</span></div>').format(bars, inline(label))


def heads(known: Sequence[str]) -> Markup:
    """Return one row of weights for each trained head, and the word with the largest."""
    maps = trained_maps(known)
    asks = asking_word(known, maps[-1])
    line = Markup("<span>{}</span>{}<b>{}</b>")
    return framed(
        "lanes",
        (line.format(head, cells(own), known[largest(own).first]) for head, own in enumerate(maps[:, asks], start=1)),
    )


@cache
def waves() -> Markup:
    """Return sines and cosines over positions, which run from left to right."""
    levels = ((sinusoidal_positions(28, 8, 100.0).T + 1) / 2 * (LEVELS - 1)).round().astype(int)
    cells = Markup("").join(TAGS["s"][level] for level in levels.ravel())
    return Markup('<div class="thumb waves">{}</div>').format(cells)


def next_tokens(known: Sequence[str]) -> Markup:
    """Return the likeliest next tokens after the word that leaves most open."""
    model, vocabulary = grammar_model()
    predicted = softmax(logits(model, vocabulary.encode(known)))
    after = largest(entropy(predicted)).first
    likeliest = ordered(predicted[after])[: FEW - 2]
    line = Markup('<span>{}</span><div><i style="width:{:.1f}%"></i></div><b>{}</b>')
    top = predicted[after, likeliest[0]]
    lines = [
        line.format(vocabulary.tokens[token], 100 * predicted[after, token] / top, percent(predicted[after, token]))
        for token in likeliest
    ]
    return framed("lanes", (Markup('<span class="after">… {} →</span>').format(known[after]), *lines))
