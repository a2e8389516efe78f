"""The texts on which merges are learned."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

from attention_core.experiments.each_merge import Learned, learn_merges
from attention_core.text.byte_pairs import BytePairs, visible_piece
from attention_core.text.corpora import bible_text
from attention_core.text.stories import N_MERGES, N_STORIES, told_for_pieces
from pages.look.html import whole
from pages.tiny_lm.model_in_view import visible

STORIES, BIBLE, THIS_TEXT = "small stories", "King James Bible", "this text"
OPTIONS = (STORIES, BIBLE, THIS_TEXT)
VERSES = 340_000  # characters of the Bible: about as many as the stories have


class Corpus(NamedTuple):
    """A training text: what it is, its merges, and how a program of a few lines learns them."""

    says: str
    short: str  # "" for the student's own text
    learned: Learned
    code: str
    functions: tuple[Callable[..., Any], ...]


def corpus_of(name: str, text: str) -> Corpus:
    """Return a training text by its name: one of the course, or the text itself."""
    if name != THIS_TEXT:
        return of_course(name)
    return Corpus("your text alone", "", learned_on(text), f"BytePairs.learn({text!r}, {N_MERGES})", (BytePairs,))


@lru_cache(maxsize=2)
def of_course(name: str) -> Corpus:
    """Return a training text of the course, cached with its merges."""
    if name == BIBLE:
        says = f"the first {whole(VERSES)} characters of the King James Bible"
        code, made = f"bible_text()[:{VERSES}]", bible_text
        text, short = bible_text()[:VERSES], "Bible"
    else:
        says = f"{whole(N_STORIES)} small stories, which this course generates for its own models"
        code, made = "told_for_pieces()", told_for_pieces
        text, short = told_for_pieces(), "stories"
    return Corpus(says, short, learn_merges(text, N_MERGES), f"BytePairs.learn({code}, {N_MERGES})", (BytePairs, made))


@lru_cache(maxsize=16)
def learned_on(text: str) -> Learned:
    """Return the merges of a student's text; it is short."""
    return learn_merges(text, N_MERGES)


def shown(piece: str) -> str:
    """Return a piece so that it can be seen."""
    return "".join(map(visible, visible_piece(piece)))
