"""The end of the path: three questions from memory, what was seen, and the whole transformer."""

from pages.memory.now import draw_end
from pages.memory.qkv import QUESTIONS
from pages.page.page import Page
from pages.page.steps import Step

STEP = Step(
    "you can now",
    "You can now compute attention by hand",
    "Answer three questions from memory, with other numbers than before.",
)


def draw(page: Page, _: object) -> bool:
    """Ask what the lesson was about, then show the whole of which it is a part."""
    return draw_end(page, QUESTIONS, whole=True)
