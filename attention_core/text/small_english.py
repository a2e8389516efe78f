"""Toy English, in which the next word often depends on an earlier one, so that attention can learn it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from attention_core.arrays import Tokens

CRIES = {
    "cat": "meowed",
    "dog": "barked",
    "cow": "mooed",
    "duck": "quacked",
    "horse": "neighed",
    "frog": "croaked",
    "lion": "roared",
    "bird": "chirped",
}
FACTS = {"chai": "hot", "ice": "cold", "honey": "sweet", "lemon": "sour", "stone": "hard", "silk": "smooth"}
ANIMALS = tuple(CRIES)
CREATURES = ("creature", "animal")
THINGS = ("ball", "box", "cup", "hat", "kite", "boat")
SEATS = ("mat", "rug", "chair")
PLACES = ("forest", "garden", "meadow")
BARRIERS = ("street", "river", "road")
PLURALS = {noun: noun + "s" for noun in ANIMALS + THINGS} | {"box": "boxes"}
NOUNS = (*PLURALS, *PLURALS.values(), *FACTS, *CREATURES, *SEATS, *PLACES, *BARRIERS)

SIZES = ("big", "small", "tiny", "huge")
COATS = ("fluffy", "young", "clever")
COLOURS = ("red", "blue", "green", "white", "black", "yellow")
TOUCHES = ("warm", "soft")
MOODS_OF_PLACES = ("verdant", "dark", "quiet")
ADJECTIVES = SIZES + COATS + COLOURS + TOUCHES + MOODS_OF_PLACES
MOODS = ("tired", "hungry", "happy", "sleepy")
STATES = (*MOODS, *FACTS.values(), "wide")

ARTICLES = ("the", "a")
PRONOUNS = ("it", "they")
NUMBERED = ("is", "are")
DEEDS = ("saw", "found", "took", "pushed", "liked", "chased")
VERBS = (*DEEDS, *CRIES.values(), *NUMBERED, "was", "sat", "roamed", "didn't", "cross")
ADVERBS = ("quickly", "slowly", "quietly", "happily")
OPENERS = ("today", "yesterday", "now")
SMALL_WORDS = (*ARTICLES, *PRONOUNS, "and", "because", "near", "on", "down", "too", ".")

WORDS = NOUNS + ADJECTIVES + STATES + VERBS + ADVERBS + OPENERS + SMALL_WORDS
IDS = {word: number for number, word in enumerate(WORDS)}

Option = TypeVar("Option")


class Link(NamedTuple):
    """A dependency: the word at position `query` refers back to the word at position `key`."""

    query: int
    key: int
    kind: str


def sentence(rng: np.random.Generator) -> list[str]:
    """Return a random sentence; some have a second one that looks back, such as "the ball is blue ."."""
    return next(_sentences(rng))


def corpus(rng: np.random.Generator, n_words: int) -> Tokens:
    """Return consecutive sentences as word ids, (n_words,)."""
    return _packed(_sentences(rng), n_words)  # (N,)


def rows(rng: np.random.Generator, n_rows: int, length: int) -> Tokens:
    """Return a training batch (B, T + 1): each row starts with a sentence and is filled with further ones."""
    sentences = _sentences(rng)
    return np.stack([_packed(sentences, length + 1) for _ in range(n_rows)])  # (B, T + 1)


def story_rows(rng: np.random.Generator, n_rows: int, length: int) -> Tokens:
    """Return a batch (B, T + 1) of stories alone: an animal does something, and "it" or "they" with a verb follows."""
    stories = _stories(rng)
    return np.stack([_packed(stories, length + 1) for _ in range(n_rows)])  # (B, T + 1)


def links(words: Sequence[str]) -> list[Link]:
    """Return the links of sentences of this grammar; the kind of a link names its query.

    "adjective" links a noun to an adjective before it. "pronoun" and "cry" (a verb such as meowed) link to the animal.
    "number" (is, are), "state" (tired, wide) and "fact" (hot, after chai) link to their noun. "same" links a thing,
    and "colour" its colour, to the mention in the sentence before.
    """
    words = [word.lower() for word in words]
    found: list[Link] = []
    subject = latest = None
    coloured: dict[str, tuple[int, int]] = {}  # by thing: positions of its last coloured mention and of the colour
    for here, word in enumerate(words):
        if word in NOUNS:
            adjectives = _adjectives_before(words, here)
            found += [Link(here, adjective, "adjective") for adjective in adjectives]
            if subject is None and word in coloured:
                found.append(Link(here, coloured[word][0], "same"))
            colours = [adjective for adjective in adjectives if words[adjective] in COLOURS]
            if colours:
                coloured[word] = (here, colours[-1])
            subject, latest = here if subject is None else subject, here
        elif word == ".":
            subject = latest = None
        elif subject is not None and latest is not None:
            colour = coloured.get(words[subject], (None, None))[1]
            found += _reference(words, here, subject, latest, colour)
    return found


def _adjectives_before(words: Sequence[str], here: int) -> list[int]:
    start = here
    while start > 0 and words[start - 1] in ADJECTIVES:
        start -= 1
    return list(range(start, here))


def _reference(words: Sequence[str], here: int, subject: int, latest: int, colour: int | None) -> list[Link]:
    """Return the link of a word that is not a noun, given the subject and latest noun of its sentence."""
    word = words[here]
    said_of = latest if "wide" in words[here : here + 4] else subject  # "it was too wide" is about the street
    if word in PRONOUNS:
        return [Link(here, said_of, "pronoun")]
    if word in CRIES.values():
        return [Link(here, subject, "cry")]
    if word in NUMBERED:
        return [Link(here, subject, "number")]
    if words[here - 1] not in (*NUMBERED, "too"):
        return []
    if colour is not None and word == words[colour]:
        return [Link(here, colour, "colour")]
    if FACTS.get(words[subject]) == word:
        return [Link(here, subject, "fact")]
    return [Link(here, said_of, "state")] if word in STATES else []


def _packed(sentences: Iterator[list[str]], n_words: int) -> Tokens:
    words: list[str] = []
    while len(words) < n_words:
        words += next(sentences)
    return np.array([IDS[word] for word in words[:n_words]], dtype=np.int64)


def _sentences(rng: np.random.Generator) -> Iterator[list[str]]:
    rolls = uniform_rolls(rng)
    while True:
        kind = pick(rolls, (*[_story] * 4, *[_statement] * 2, _fact, _seat, _walk, _crossing))
        yield [*kind(rolls), "."]


def _stories(rng: np.random.Generator) -> Iterator[list[str]]:
    rolls = uniform_rolls(rng)
    while True:
        yield [*_story(rolls), "."]


def _story(rolls: Iterator[float]) -> list[str]:
    """Return a sentence like "now the big cat saw a blue ball and it meowed", often with ". the ball is blue"."""
    animal, thing, colour = pick(rolls, ANIMALS), pick(rolls, THINGS), pick(rolls, COLOURS)
    many = next(rolls) < 0.25
    words = _maybe(rolls, 0.3, OPENERS) + _animal(rolls, animal, many) + _maybe(rolls, 0.4, ADVERBS)
    words += [pick(rolls, DEEDS), pick(rolls, ARTICLES), *_maybe(rolls, 0.3, SIZES), colour, thing]
    words += [*_near(rolls, thing), "and", "they" if many else "it", CRIES[animal]]
    return [*words, ".", "the", thing, "is", colour] if next(rolls) < 0.6 else words


def _statement(rolls: Iterator[float]) -> list[str]:
    """Return a sentence like "the small cats near the ball are tired"."""
    many = next(rolls) < 0.5
    words = _animal(rolls, pick(rolls, ANIMALS), many)
    return [*words, *_near(rolls), "are" if many else "is", pick(rolls, MOODS)]


def _fact(rolls: Iterator[float]) -> list[str]:
    """Return a sentence like "the chai near the boxes is hot"."""
    noun = pick(rolls, tuple(FACTS))
    return ["the", noun, *_near(rolls), "is", FACTS[noun]]


def _seat(rolls: Iterator[float]) -> list[str]:
    """Return a sentence like "the cat sat down" or "the cat sat on the warm mat"."""
    words = [*_animal(rolls, pick(rolls, ANIMALS), next(rolls) < 0.25), "sat"]
    if next(rolls) < 0.3:
        return [*words, "down"]
    return [*words, "on", "the", *_maybe(rolls, 0.5, TOUCHES), pick(rolls, SEATS)]


def _walk(rolls: Iterator[float]) -> list[str]:
    """Return a sentence like "a fluffy blue creature roamed the verdant forest"."""
    words = [pick(rolls, ARTICLES), *_maybe(rolls, 0.7, COATS), *_maybe(rolls, 0.7, COLOURS)]
    words += [pick(rolls, ("creature", *ANIMALS)), "roamed"]
    return [*words, "the", *_maybe(rolls, 0.7, MOODS_OF_PLACES), pick(rolls, PLACES)]


def _crossing(rolls: Iterator[float]) -> list[str]:
    """Return a sentence like "the animal didn't cross the street because it was too tired", or "too wide"."""
    words = ["the", *_maybe(rolls, 0.4, SIZES), pick(rolls, ("animal", *ANIMALS))]
    words += ["didn't", "cross", "the", pick(rolls, BARRIERS), "because", "it", "was", "too"]
    return [*words, pick(rolls, ("tired", "wide"))]


def _animal(rolls: Iterator[float], noun: str, many: bool) -> list[str]:
    article = "the" if many else pick(rolls, ARTICLES)
    adjectives = _maybe(rolls, 0.4, SIZES) + _maybe(rolls, 0.2, COATS) + _maybe(rolls, 0.3, COLOURS)
    return [article, *adjectives, PLURALS[noun] if many else noun]


def _near(rolls: Iterator[float], but: str = "") -> list[str]:
    """Return nothing, or a distracting thing between a word and its dependency."""
    if next(rolls) < 0.4:
        return []
    thing = pick(rolls, [thing for thing in THINGS if thing != but])
    return ["near", "the", pick(rolls, (thing, PLURALS[thing]))]


def _maybe(rolls: Iterator[float], chance: float, options: Sequence[str]) -> list[str]:
    return [pick(rolls, options)] if next(rolls) < chance else []


def pick(rolls: Iterator[float], options: Sequence[Option]) -> Option:
    """Return the option on which the next roll falls."""
    return options[int(next(rolls) * len(options))]


def uniform_rolls(rng: np.random.Generator) -> Iterator[float]:
    """Yield uniform random numbers in [0, 1), 64 at a time for speed."""
    while True:
        yield from rng.random(64).tolist()
