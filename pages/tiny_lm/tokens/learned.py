"""The texts on which merges are learned."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

from attention_core.text.byte_pairs import BytePairs, visible_piece
from attention_core.text.stories import N_MERGES, N_STORIES, told_for_pieces
from attention_core.threads import one_at_a_time
from pages.look.html import commas
from pages.reproduce.recipe import Short
from pages.tiny_lm.model_in_view import visible

OPTIONS = STORIES, THIS_TEXT = ("small stories", "this text")


class Corpus(NamedTuple):
    """A training text: what it is, its merges, and how a short program learns them."""

    says: str
    pieces: BytePairs
    made: Short


def corpus_of(name: str, text: str) -> Corpus:
    """Return a training text by its name: that of the course, or the text itself."""
    return learned_on(text, "your text only", repr(text)) if name == THIS_TEXT else of_course()


@one_at_a_time
@lru_cache(maxsize=1)
def of_course() -> Corpus:
    """Return the training text of the course, cached with its merges."""
    says = f"{commas(N_STORIES)} small stories, which this course generates for its own models"
    return learned_on(told_for_pieces(), says, "told_for_pieces()", told_for_pieces)


def learned_on(text: str, says: str, code: str, *made: Callable[..., Any]) -> Corpus:
    """Return a training text with its merges; `code` makes it, by the functions `made`."""
    made_by = Short(f"BytePairs.learn({code}, {N_MERGES})", BytePairs, *made)
    return Corpus(says, BytePairs.learn(text, N_MERGES), made_by)


def shown(piece: str) -> str:
    return "".join(map(visible, visible_piece(piece)))
