"""Exercises for a model of small stories: short rows of facts, in which its heads find sooner where to look."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attention_core.model.train import Batch
from attention_core.text.small_english import pick, uniform_rolls
from attention_core.text.stories import story_pieces
from attention_core.text.story_words import CAST, FIRST_KIND, PREPOSITIONS

EXERCISES = {  # sentences in which a thing and what is known of it stand at "|"
    "colour": (" Is your||?", " My| is|.", " The| was|.", " The| is|."),
    "name": (" The| belongs to|.", ' "Here is the|," said|.', ' "Where is the|?" asked|.'),
    "place": (" The| was|.", " I found the||."),
    "other thing": (" I saw the| and the|.", " The| was new, and the| was not.", " Here is the|, but not the|."),
    "other person": (" I saw| and|.", ' "Come here," said| to|.', " Then| looked at|."),
}
OTHERS = {"other thing": CAST["X"], "other person": CAST["A"]}
VALUES = {
    "colour": CAST["X.c"],
    "name": CAST["A"],
    "place": tuple(f"{preposition} the {place}" for role, preposition in PREPOSITIONS.items() for place in CAST[role]),
}
EXERCISE_LENGTH = 64  # tokens


def exercise(rng: np.random.Generator, n_tokens: int, easy: bool = False) -> Batch:
    """Return short rows that repeat what is known of two things; the loss includes only what was said before.

    Of each thing a row says one kind of fact: its colour, whose it is, where it is, or which is the other one. It may
    also say of each person who is the other one. The easy ones are of colours, and of every third thing: with all of
    them, two layers did not begin to work together in 1,300 steps.
    """
    rolls, encode = uniform_rolls(rng), story_pieces().encode
    rows, counted = [], []
    for _ in range(n_tokens // EXERCISE_LENGTH):
        kind = pick(rolls, ("colour",) if easy else tuple(EXERCISES))
        if kind in OTHERS:
            things = pair_of(OTHERS[kind], rng)
            values = things[::-1]
        else:
            things = some_two(CAST["X"][::3] if easy else CAST["X"], rng)
            values = some_two(VALUES[kind], rng)
        ids, known, said = list[int](), list[bool](), set[int]()
        while len(ids) <= EXERCISE_LENGTH:
            which = pick(rolls, (0, 1)) if len(said) == 2 else len(said)
            before, between, after = pick(rolls, EXERCISES[kind]).split("|")
            for text, asked in (
                (f"{before} {things[which]}{between}", False),
                (f" {values[which]}", which in said),
                (after, False),
            ):
                own = encode(text).tolist()
                ids += own
                known += [asked] * len(own)
            said.add(which)
        rows.append(ids[: EXERCISE_LENGTH + 1])
        counted.append(known[1 : EXERCISE_LENGTH + 1])
    return Batch(np.array(rows, dtype=np.int64), np.array(counted))


def some_two(words: Sequence[str], rng: np.random.Generator) -> list[str]:
    """Return two of the words."""
    return [words[number] for number in rng.permutation(len(words))[:2]]


def pair_of(words: Sequence[str], rng: np.random.Generator) -> list[str]:
    """Return two of the words, of two kinds as in the stories."""
    kinds = [[word for word in words if (word in FIRST_KIND) == first] for first in (True, False)]
    return [str(rng.choice(kinds[number])) for number in rng.permutation(2)]
