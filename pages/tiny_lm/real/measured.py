"""What is measured of the claims: in the pretrained model, and in the models of the course."""

from typing import NamedTuple

import numpy as np

from attention_core.arrays import Tokens
from attention_core.experiments.inside.real_claims import (
    Copying,
    PartSizes,
    Reference,
    TextFindings,
    measure_copying,
    measure_parts,
    measure_reference,
    measure_text,
    pairs_twice,
    random_twice,
)
from attention_core.pretrained import PretrainedModel
from attention_core.shipped.plans import MODELS
from attention_core.text.corpora import source_of
from attention_core.text.vocabulary import Vocabulary
from pages.page.page import Page
from pages.tiny_lm.real.model import computed, said_toy
from pages.tiny_lm.units import as_text, tokens_in

SEED = 3  # of the random sequences
SENTENCE = "The animal didn't cross the street because it was too"
ENDS = (" tired.", " wide.")
PRONOUN_WORDS = ["the", "big", "cat", "saw", "a", "red", "ball", "near", "the", "hat", "and", "it"]
TOY_ENDS = ("meowed", "is")
TOY_PLACES = (11, 2, 6)  # of it, cat and ball
MOST_OF_TOY = 128  # pieces


class Measured(NamedTuple):
    """The claims in both models."""

    text: TextFindings
    toy_text: TextFindings
    copying: Copying
    toy_copying: Copying
    reference: Reference | None  # where the tokens of the sentence are whole words
    toy_reference: Reference
    parts: PartSizes
    toy_parts: PartSizes


def array(ids: list[int]) -> Tokens:
    """Return ids as an array."""
    return np.array(ids, np.int64)


def measure(page: Page, real: PretrainedModel, ids: Tokens) -> Measured:
    """Measure every claim, waiting in line for those that are not known yet."""
    run, given = page.recipe.run_once, page.recipe.given
    text = computed(page, "text", measure_text, real, ids)
    twice = given("twice", random_twice(real.config.vocab_size, SEED))
    copying = computed(page, "copying", measure_copying, real, twice)
    reference = None
    if told := sentence_ids(real):
        sentences = given("told", told[0]), given("other", told[1])
        reference = computed(page, "reference", measure_reference, real, *sentences, *told[2:])
    parts = computed(page, "parts", measure_parts, real)
    stories = said_toy(page, "stories", "stories")
    pieces = given("pieces", read_by_stories(real.decode(ids)))
    toy_text = run("toy_text", measure_text, stories, pieces)
    toy_parts = run("toy_parts", measure_parts, stories)
    recall = said_toy(page, "recall", "recall")
    toy_copying = run("toy_copying", measure_copying, recall, given("pairs", pairs_twice(SEED)), 2)
    pronoun = said_toy(page, "pronoun", "pronoun")
    vocabulary = source_of("pronoun").vocabulary
    ends = [
        given(f"toy_{name}", vocabulary.encode([*PRONOUN_WORDS, end]))
        for name, end in zip(("told", "other"), TOY_ENDS, strict=True)
    ]
    toy_reference = run("toy_reference", measure_reference, pronoun, *ends, *TOY_PLACES)
    return Measured(text, toy_text, copying, toy_copying, reference, toy_reference, parts, toy_parts)


def read_by_stories(text: str, most: int = MOST_OF_TOY) -> Tokens:
    """Return the last tokens of a text as Small Stories reads it, at least two."""
    vocabulary = stories_pieces()
    pieces = vocabulary.encode(tokens_in(text, vocabulary, "piece"))[-most:]
    return pieces if len(pieces) > 1 else np.tile(pieces, 2)


def stories_pieces() -> Vocabulary:
    """Return the vocabulary of Small Stories as text."""
    return as_text(source_of(MODELS["stories"].source).vocabulary, "piece")


def sentence_ids(real: PretrainedModel) -> tuple[Tokens, Tokens, int, int, int] | None:
    """Return the sentence on the animal with its two ends, and where it, animal and street are as whole tokens."""
    told, other = (array(real.encode(SENTENCE + end)) for end in ENDS)
    words = [real.decode(told[i : i + 1]).strip() for i in range(len(told))]
    same = min(len(told), len(other))
    if not {"it", "animal", "street"} <= set(words[:same]):
        return None
    places = words.index("it"), words.index("animal"), words.index("street")
    return (told, other, *places) if max(places) == places[0] else None
