"""What the claims are measured on: random sequences with their nulls, pairs of sentences, and a story of two things."""

from __future__ import annotations

import numpy as np

from attention_core.arrays import Tokens
from attention_core.checks import integer
from attention_core.pretrained.tokeniser import Tokeniser
from attention_core.text.recall_task import repeated_sequences
from attention_core.text.stories import BEGUN_STORY

SEED = 3  # of the random sequences
SENTENCE_PAIRS = (  # each with two endings, of which the first is about the first noun, the second about the second
    ("The animal didn't cross the street because it was too", ("tired", "wide"), ("animal", "street")),
    ("The ball did not fit in the box because it was too", ("big", "small"), ("ball", "box")),
    ("The ball broke the table because it was so", ("heavy", "weak"), ("ball", "table")),
    ("The boat could not pass the bridge because it was too", ("tall", "low"), ("boat", "bridge")),
    ("The cat did not climb the tree because it was too", ("old", "tall"), ("cat", "tree")),
    ("The car could not leave the garage because it was", ("broken", "locked"), ("car", "garage")),
    ("The dog did not jump over the fence because it was too", ("lazy", "high"), ("dog", "fence")),
    ("The horse did not drink the water because it was too", ("nervous", "cold"), ("horse", "water")),
)
COPIED_PAIRS = 5  # letters with their digits in a sequence of the copy task
BOTH = "The kite was red, and the ball was blue."
KITES = {  # what the story says of the colours before it asks for that of the kite
    "as told": BOTH,
    "colours exchanged": "The kite was blue, and the ball was red.",
    "sentence reversed": "The ball was blue, and the kite was red.",
    "green and yellow": "The kite was green, and the ball was yellow.",
}


def random_twice(vocab_size: int, seed: int, length: int = 16) -> tuple[Tokens, Tokens]:
    """Return a random sequence of distinct ids, twice (2 · length,); and followed by another one instead, the null."""
    rng = np.random.default_rng(integer("seed", seed, 0))
    twice = repeated_sequences(rng, 1, 2 * length - 1, vocab_size)[0]
    others = np.setdiff1d(rng.permutation(vocab_size)[: 2 * length], twice)[:length]
    return twice, np.append(twice[:length], rng.permutation(others))


def pairs_twice(seed: int) -> tuple[Tokens, Tokens]:
    """Return letters each with a digit, twice (4 · COPIED_PAIRS,); and followed by other letters, the null."""
    rng = np.random.default_rng(integer("seed", seed, 0))
    letters = rng.permutation(10).reshape(2, COPIED_PAIRS)
    first, second = np.stack([letters, 10 + rng.integers(10, size=letters.shape)], axis=-1).reshape(2, -1)
    return np.tile(first, 2), np.append(first, second)


def sentence_pairs(tokeniser: Tokeniser) -> tuple[Tokens, Tokens] | None:
    """Return the pairs of sentences as `measure_reference` reads them; None if a noun is not a whole token."""
    rows, positions = [], []
    for begins, ends, nouns in SENTENCE_PAIRS:
        pair = [tokeniser.encode(f"{begins} {end}", special=False) for end in ends]
        words = [tokeniser.decode(np.array([one])).strip() for one in pair[0]]
        if len(pair[0]) != len(pair[1]) or not {*nouns, "it"} <= set(words):
            return None
        rows.append(pair)
        positions.append([len(words) - 1, *map(words.index, (*nouns, "it"))])
    longest = max(len(pair[0]) for pair in rows)
    return np.array([[ids + [0] * (longest - len(ids)) for ids in pair] for pair in rows]), np.array(positions)


def kite_story(colours: str) -> str:
    """Return the begun story with what it says of the colours."""
    return BEGUN_STORY.replace(BOTH, KITES[colours])
