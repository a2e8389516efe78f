"""The trained models of the lesson as they read its words: Toy English, its twin without a mask, and Small Stories."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from attention_core.arrays import Tokens
from attention_core.experiments.multi_head.english_heads import grammar_model, known_words
from attention_core.experiments.qkv.one_head import LONGEST
from attention_core.model.parameters import Model
from attention_core.shipped.models import model_at
from attention_core.shipped.plans import ENGLISH, STORIES, twin
from attention_core.text.byte_pairs import visible_piece
from attention_core.text.characters import split_words
from attention_core.text.stories import START, story_pieces
from attention_core.text.vocabulary import Vocabulary
from attention_core.text.word_vectors import position_labels
from pages.heads.matrices import SENTENCE
from pages.look.facts import listed
from pages.look.html import quoted
from pages.page.page import Page

OF_STORIES = ", so Small Stories reads this text. Its tokens can be parts of words, and the first is a line break."
CUT = " It reads only the first {}."
MASKED, UNMASKED = ENGLISH.name, twin(ENGLISH, "no mask").name


class Reading(NamedTuple):
    shipped: str  # the model
    unit: str  # what a token of it is called
    names: Sequence[str]  # of all its tokens
    tokens: Tokens  # (T,)
    note: str | None  # why Toy English cannot read what was typed, or who reads it

    @property
    def labels(self) -> list[str]:
        """The tokens of the text, those that repeat with their positions."""
        return position_labels([self.names[token] for token in self.tokens])


def vocabulary() -> Vocabulary:
    return grammar_model()[1]


def read_in_english(words: Sequence[str]) -> Reading:
    """Return the words as Toy English reads them, or its usual sentence if there are others among them."""
    known, unknown = known_words(words)
    if unknown or len(known) < 2:
        names = listed([quoted(word) for word in dict.fromkeys(unknown)])
        why = f"Toy English does not know {names}" if unknown else "Toy English needs two words or more here"
        return read_in_english(split_words(SENTENCE))._replace(note=why)
    return Reading(MASKED, "word", vocabulary().tokens, np.array(vocabulary().encode(known), np.int64), None)


def read_by_any(words: Sequence[str]) -> Reading:
    """Return the words as Toy English reads them, or where it cannot, as Small Stories does, which reads any text."""
    read = read_in_english(words)
    if not read.note:
        return read
    text = START + " ".join(words).encode(errors="replace").decode()
    names = [visible_piece(piece).replace(START, "⏎").strip() or "␣" for piece in story_pieces().vocabulary.tokens]
    pieces = story_pieces().encode(text)
    cut = CUT.format(LONGEST) if len(pieces) > LONGEST else ""
    return Reading(STORIES.name, "token", names, np.array(pieces[:LONGEST], np.int64), f"{read.note}{OF_STORIES}{cut}")


def named_model(page: Page, name: str, shipped: str) -> Model:
    """Return a shipped model, and let the page's script know it."""
    return page.recipe.model(name, model_at(shipped), shipped)
