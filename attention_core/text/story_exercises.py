"""Exercises for a model of small stories: short rows of facts, in which its heads find sooner where to look."""

from __future__ import annotations

import numpy as np

from attention_core.model.train import Batch
from attention_core.text.small_english import pick, uniform_rolls
from attention_core.text.stories import story_pieces
from attention_core.text.story_words import CAST, PREPOSITIONS

EXERCISES = {  # sentences in which a thing and what is known of it stand at "|"
    "colour": (" Is your||?", " My| is|.", " The| was|.", " The| is|."),
    "name": (" The| belongs to|.", ' "Here is the|," said|.', ' "Where is the|?" asked|.'),
    "place": (" The| was|.", " I found the||."),
}
VALUES = {
    "colour": CAST["X.c"],
    "name": CAST["A"],
    "place": tuple(f"{PREPOSITIONS[place]} the {place}" for role in "LSR" for place in CAST[role]),
}
EXERCISE_LENGTH = 64  # tokens


def exercise(rng: np.random.Generator, n_tokens: int, easy: bool = False) -> Batch:
    """Return short rows that repeat what is known of two things; the loss includes only what was said before.

    Of each thing a row says one kind of fact: its colour, whose it is, or where it is. The easy ones are of colours.
    """
    rolls, encode = uniform_rolls(rng), story_pieces().encode
    rows, counted = [], []
    for _ in range(n_tokens // EXERCISE_LENGTH):
        kind = pick(rolls, ("colour",) if easy else tuple(EXERCISES))
        things = [CAST["X"][number] for number in rng.permutation(len(CAST["X"]))[:2]]
        values = [VALUES[kind][number] for number in rng.permutation(len(VALUES[kind]))[:2]]
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
