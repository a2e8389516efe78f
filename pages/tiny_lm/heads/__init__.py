"""Every head over many texts: its patterns, what its name does not explain, and the accuracy without it."""

from pages.page.page import Page
from pages.page.steps import Step
from pages.tiny_lm.heads.ablation import draw_story, draw_without_heads
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
    views={
        "patterns": draw_patterns,
        "examples": draw_examples,
        "without a head": draw_without_heads,
        "during training": draw_story,
    },
)


def draw(page: Page, scene: Subject) -> bool | None:
    """Show the patterns of every head over many texts, the examples of one, or what is lost without it."""
    return STEP.choose_view(page)(page, scene)
