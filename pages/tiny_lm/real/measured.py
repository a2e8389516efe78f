"""What is measured of the claims: in the pretrained model, and in the models of the course."""

from collections.abc import Sequence
from itertools import product

import numpy as np

from attention_core.arrays import Tokens
from attention_core.experiments.inside.claim_texts import SEED, pairs_twice, random_twice, sentence_pairs
from attention_core.experiments.inside.real_claims import (
    LEAST,
    RealFindings,
    measure_copying,
    measure_parts,
    measure_reference,
    measure_text,
)
from attention_core.shipped.plans import MODELS
from attention_core.text.corpora import source_of
from attention_core.text.stories import START
from attention_core.text.vocabulary import Vocabulary
from pages.page.page import Page
from pages.server.pretrained import ModelInWorker
from pages.tiny_lm.real.model import computed, record_toy
from pages.tiny_lm.units import as_text, tokens_in

CROSSING = "the {} didn't cross the {} because it was too {}"  # a sentence of Toy English
ANIMALS, BARRIERS, ENDS = ("animal", "cat", "dog", "bird"), ("street", "river"), ("tired", "wide")
MOST_OF_TOY = 128  # pieces


def array(ids: list[int]) -> Tokens:
    return np.array(ids, np.int64)


def measure(page: Page, real: ModelInWorker, ids: Tokens) -> RealFindings:
    """Measure every claim in the pretrained model, waiting in line for those that are not known yet."""
    text = computed(page, "text", measure_text, real, ids)
    pair = given_all(page, ("twice", "once"), random_twice(real.config.vocab_size, SEED))
    copying = computed(page, "copying", measure_copying, real, *pair)
    reference = None
    if told := sentence_pairs(real.tokeniser):
        sentences = given_all(page, ("sentences", "places"), told)
        reference = computed(page, "reference", measure_reference, real, *sentences)
    return RealFindings(text, copying, reference, computed(page, "parts", measure_parts, real))


def measure_toys(page: Page, read: str) -> RealFindings:
    """Measure every claim in a model of the course, of which each learned what the claim is about."""
    run, given = page.recipe.run_once, page.recipe.given
    stories = record_toy(page, "stories", "stories")
    text = run("toy_text", measure_text, stories, given("pieces", read_by_stories(read)))
    parts = run("toy_parts", measure_parts, stories)
    recall = record_toy(page, "recall", "recall")
    copying = run("toy_copying", measure_copying, recall, *given_all(page, ("pairs", "others"), pairs_twice(SEED)), 2)
    english, vocabulary = record_toy(page, "english", "english"), source_of("english").vocabulary
    nouns = product(ANIMALS, BARRIERS)
    told = np.array([[vocabulary.encode(CROSSING.format(*two, end).split()) for end in ENDS] for two in nouns])
    words = CROSSING.split()
    places = np.tile([len(words) - 1, 1, 5, words.index("it")], (len(told), 1))
    pairs = given_all(page, ("toy_sentences", "toy_places"), (told, places))
    return RealFindings(text, copying, run("toy_reference", measure_reference, english, *pairs), parts)


def given_all(page: Page, names: Sequence[str], arrays: Sequence[Tokens]) -> list[Tokens]:
    """Let the page's script know some arrays, and return them."""
    return [page.recipe.given(name, array) for name, array in zip(names, arrays, strict=True)]


def read_by_stories(text: str) -> Tokens:
    """Return the start token and the last tokens of a text as Small Stories reads it, at least so many as it needs."""
    vocabulary = stories_pieces()
    pieces = vocabulary.encode(tokens_in(text, vocabulary, "piece"))[-MOST_OF_TOY:]
    return np.append(vocabulary.encode([START]), np.resize(pieces, max(len(pieces), LEAST)))


def stories_pieces() -> Vocabulary:
    return as_text(source_of(MODELS["stories"].source).vocabulary, "piece")
