"""Every head over many texts: its patterns, and examples of what its name does not explain."""

from pages.page.page import Page
from pages.page.steps import Step
from pages.tiny_lm.heads.all_patterns import draw_patterns
from pages.tiny_lm.heads.one_job import draw_examples
from pages.tiny_lm.model_in_view import Subject

STEP = Step(
    "heads",
    "Name a head by what it attends to",
    "Measure each head over many random sequences of the Copy task, in which tokens repeat: there induction shows. "
    "Compare it with uniform attention. Only then name it. A name is not all that a head attends to.",
    asks="What does each head attend to?",
    words="decile job",
    view="heads_look",
    views={"patterns": draw_patterns, "examples": draw_examples},
)


def draw(page: Page, scene: Subject) -> bool | None:
    """Show the patterns of every head over many texts, or the examples of one."""
    return STEP.choose_view(page)(page, scene)
