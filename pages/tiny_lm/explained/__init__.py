"""What the three parts of the lesson on a language model end with: statements tested on the model in view."""

from collections.abc import Callable

from pages.memory.explain import Statements, decided, explain
from pages.page.page import Page
from pages.tiny_lm.common import end_of
from pages.tiny_lm.model_in_view import PROMPTS, Shipped, Subject, chosen, words_read

ABOUT = "The experiments are made with this model: {model}. It reads {prompt}."
OTHER = "The model or the prompt in view cannot decide each of the statements. "


def explain_model(
    page: Page, title: str, make: Callable[[Subject], Statements], kind: str, alone: bool = False
) -> bool:
    """Ask for an explanation of the model and prompt in view last, or the usual ones; perhaps of one kind `alone`."""
    source, _ = chosen(page, kind if alone else None)
    text = page.controls.last(PROMPTS[source.name][0], source.prompt, lambda raw: True)
    own, usual = Subject(source, -1, words_read(source, text)[0]), usual_subject(kind)
    told, decides = decided(make, own, usual)
    subject = own if decides else usual
    about = ABOUT.format(model=subject.title, prompt=end_of(subject, subject.tokens))
    return explain(page, title, told, OTHER * (not decides) + about)


def usual_subject(kind: str) -> Subject:
    """Return a model that ships, with the prompt that it opens with."""
    source = Shipped(kind)
    return Subject(source, -1, words_read(source, source.prompt)[0])
