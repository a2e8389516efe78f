"""The end of the path: three questions from memory, and what was seen."""

from pages.memory.causal_mask import QUESTIONS
from pages.memory.now import draw_end
from pages.page.page import Page
from pages.page.steps import Step

STEP = Step(
    "you can now",
    "You can now say why models are masked, and where",
    "Answer three questions from memory, with other numbers than before.",
)


def draw(page: Page, _: object) -> bool:
    """Ask what the lesson was about."""
    return draw_end(page, QUESTIONS)
