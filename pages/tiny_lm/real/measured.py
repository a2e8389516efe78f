"""What is measured of the claims: in the pretrained model, and in the models of the course."""

import numpy as np

from attention_core.arrays import Tokens
from attention_core.experiments.inside.real_claims import (
    SEED,
    RealFindings,
    measure_copying,
    measure_parts,
    measure_reference,
    measure_text,
    pairs_twice,
    random_twice,
    sentence_ids,
)
from attention_core.shipped.plans import MODELS
from attention_core.text.corpora import source_of
from attention_core.text.vocabulary import Vocabulary
from pages.page.page import Page
from pages.server.pretrained import ModelInWorker
from pages.tiny_lm.real.model import computed, record_toy
from pages.tiny_lm.units import as_text, tokens_in

PRONOUN_WORDS = ["the", "big", "cat", "saw", "a", "red", "ball", "near", "the", "hat", "and", "it"]
TOY_ENDS = ("meowed", "is")
TOY_PLACES = (11, 2, 6)  # of it, cat and ball
MOST_OF_TOY = 128  # pieces


def array(ids: list[int]) -> Tokens:
    """Return ids as an array."""
    return np.array(ids, np.int64)


def measure(page: Page, real: ModelInWorker, ids: Tokens) -> RealFindings:
    """Measure every claim in the pretrained model, waiting in line for those that are not known yet."""
    given = page.recipe.given
    text = computed(page, "text", measure_text, real, ids)
    twice = given("twice", random_twice(real.config.vocab_size, SEED))
    copying = computed(page, "copying", measure_copying, real, twice)
    reference = None
    if told := sentence_ids(real.tokeniser):
        sentences = given("told", told[0]), given("other", told[1])
        reference = computed(page, "reference", measure_reference, real, *sentences, *told[2:])
    return RealFindings(text, copying, reference, computed(page, "parts", measure_parts, real))


def measure_toys(page: Page, read: str) -> RealFindings:
    """Measure every claim in a model of the course, of which each learned what the claim is about."""
    run, given = page.recipe.run_once, page.recipe.given
    stories = record_toy(page, "stories", "stories")
    text = run("toy_text", measure_text, stories, given("pieces", read_by_stories(read)))
    parts = run("toy_parts", measure_parts, stories)
    recall = record_toy(page, "recall", "recall")
    copying = run("toy_copying", measure_copying, recall, given("pairs", pairs_twice(SEED)), 2)
    pronoun = record_toy(page, "pronoun", "pronoun")
    vocabulary = source_of("pronoun").vocabulary
    ends = [
        given(f"toy_{name}", vocabulary.encode([*PRONOUN_WORDS, end]))
        for name, end in zip(("told", "other"), TOY_ENDS, strict=True)
    ]
    reference = run("toy_reference", measure_reference, pronoun, *ends, *TOY_PLACES)
    return RealFindings(text, copying, reference, parts)


def read_by_stories(text: str) -> Tokens:
    """Return the last tokens of a text as Small Stories reads it, at least two."""
    vocabulary = stories_pieces()
    pieces = vocabulary.encode(tokens_in(text, vocabulary, "piece"))[-MOST_OF_TOY:]
    return pieces if len(pieces) > 1 else np.tile(pieces, 2)


def stories_pieces() -> Vocabulary:
    """Return the vocabulary of Small Stories as text."""
    return as_text(source_of(MODELS["stories"].source).vocabulary, "piece")
