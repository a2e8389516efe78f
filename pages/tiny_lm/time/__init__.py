"""Checkpoints: what the model was like at a few steps of its training; and ablations, trained without one part."""

from pages.page.page import Page
from pages.page.steps import Step
from pages.tiny_lm.model_in_view import Subject
from pages.tiny_lm.sampling import chosen_sampling
from pages.tiny_lm.time import back, without_a_part

STEP = Step(
    "history",
    "What did the model know, and when?",
    "A checkpoint is the model as it was saved during training. See its text, its attention, and its loss beside "
    "**baselines** that only count (**unigram**, **bigram**, **trigram**). Or look at an ablation: the same model, "
    "trained without one of its parts.",
    words="travel twin",
    view="time_look",
    views={"checkpoints": back.draw, "ablations": without_a_part.draw},
)


def draw(page: Page, scene: Subject) -> bool | None:
    """Show the model at one of its checkpoints, or beside a model that was trained without one part."""
    sampling = chosen_sampling(page)
    return STEP.choose_view(page)(page, scene, sampling)
