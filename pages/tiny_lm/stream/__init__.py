"""The residual stream: what layers add to it, and what stays in it without the addition."""

from pages.page.page import Page
from pages.page.steps import Step
from pages.tiny_lm.model_in_view import Subject
from pages.tiny_lm.stream import added, lengths

STEP = Step(
    "stream",
    "Layers add to the residual stream",
    "Each position has one vector that runs through the whole model: its **residual stream**, also called hidden "
    "state. Attention and MLP read it, and a residual connection adds their output.",
    asks="What does a layer do to the stream?",
    words="adds base block_seed d_model deviation encoding encoding_scale norm sentence way_row way_step",
    view="stream",
    views={"additions": added.draw, "eight heads": lengths.draw},
)


def draw(page: Page, scene: Subject) -> bool | None:
    """Show what a model adds, or how long vectors are on the way through one."""
    return STEP.choose_view(page)(page, scene)
