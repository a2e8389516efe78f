"""The end of the first part: three questions from memory, and what was seen."""

from pages.memory.now import draw_end
from pages.memory.tiny_lm import QUESTIONS_WRITES
from pages.page.page import Page
from pages.page.steps import Step

STEP = Step(
    "you can now",
    "You can now say how a model writes a text",
    "Answer three questions from memory, with other numbers than before.",
)


def draw(page: Page, _: object) -> bool:
    """Ask what the part was about."""
    return draw_end(page, QUESTIONS_WRITES)
