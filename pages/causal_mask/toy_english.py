"""Toy English and its ablation without a mask, as they read the words of the lesson."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from attention_core.arrays import Array, Tokens
from attention_core.experiments.multi_head.english_heads import grammar_model
from attention_core.model.parameters import Model
from attention_core.shipped.models import model_at
from attention_core.shipped.plans import ENGLISH, twin
from attention_core.text.characters import split_words
from attention_core.text.vocabulary import Vocabulary
from pages.causal_mask.scene import Masked
from pages.heads.matrices import SENTENCE, familiar
from pages.look.html import number, quoted, typed
from pages.page.page import Page

ABLATED = twin(ENGLISH, "no mask")
MASKED, UNMASKED = (ENGLISH.name, ABLATED.name)


class Reading(NamedTuple):
    """The words that the models read, and their token ids."""

    words: list[str]
    tokens: Tokens  # (T,)
    note: str | None  # on the words that they do not know


def reading_of(scene: Masked) -> Reading:
    """Return those words of the sentence that the models know; the usual ones if nothing can be predicted of them."""
    words, note = familiar(scene.words)
    if len(words) == 1:
        note = f"Toy English knows only {quoted(words[0])} of these words, so this is a sentence that it knows."
        words = split_words(SENTENCE)
    return Reading(words, np.array(vocabulary().encode(words), np.int64), note)


def vocabulary() -> Vocabulary:
    """Return the vocabulary of the models."""
    return grammar_model()[1]


def named_model(page: Page, name: str, shipped: str) -> Model:
    """Return a shipped model, and let the page's script know it."""
    return page.recipe.model(name, model_at(shipped), shipped)


def best(row: Array) -> tuple[str, float]:
    """Return the most probable next word, and its probability."""
    place = int(row.argmax())
    return vocabulary().decode([place])[0], float(row[place])


def verdict(row: Array, answer: int | None) -> Markup:
    """Return the most probable next word with its probability, and whether it is the answer."""
    mark = "" if answer is None else "\xa0✓" if int(row.argmax()) == answer else "\xa0✕"
    return expected(*best(row)) + mark


def expected(word: str, probability: float) -> Markup:
    """Return a next word with its probability."""
    return Markup('{} <span class="soft">{}</span>').format(typed(word), number(probability))


def read_up_to(words: Sequence[str], place: int) -> Markup:
    """Return the words that a prediction may read, the last of them in bold."""
    before = Markup('<span class="soft">{}</span> ').format(" ".join(words[:place])) if place else ""
    return Markup("{}<b>{}</b>").format(before, words[place])
