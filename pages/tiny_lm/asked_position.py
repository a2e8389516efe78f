"""Which position of the prompt a question is about, and which tokens or parts it offers as answers."""

from collections.abc import Sequence

from pages.page.page import Page
from pages.tiny_lm.model_in_view import Subject

MAX_OPTIONS = 4  # answers to choose from


def asked_position(page: Page, subject: Subject, question: str) -> int:
    """Return the position that a question is about: the last one first, another with each variant."""
    return len(subject.tokens) - 1 - page.variant(question) % len(subject.tokens)


def distinct(numbers: Sequence[int]) -> list[int]:
    """Return the first few numbers, each once."""
    return list(dict.fromkeys(int(number) for number in numbers))[:MAX_OPTIONS]
