"""Every head over many texts: its patterns, two of its measures, and examples of what its name does not explain."""

from pages.page.page import Page
from pages.page.steps import Step
from pages.tiny_lm.heads.all_patterns import draw_patterns
from pages.tiny_lm.heads.one_job import draw_examples
from pages.tiny_lm.heads.two_measures import draw_measures
from pages.tiny_lm.model_in_view import Subject

STEP = Step(
    "heads",
    "Name a head by what it attends to",
    "Training decides what a head attends to; in some models, a penalty on distance decides a part of it before. "
    "Measure each head over many texts, before and after training. Compare it with uniform attention. Only then name "
    "the head.",
    asks="What does each head attend to?",
    words="across decile job pattern up",
    view="heads_look",
    views={"patterns": draw_patterns, "two measures": draw_measures, "examples": draw_examples},
)


def draw(page: Page, scene: Subject) -> bool | None:
    """Show the patterns of every head over many texts, all heads by two measures, or the examples of one."""
    return STEP.choose_view(page)(page, scene)
