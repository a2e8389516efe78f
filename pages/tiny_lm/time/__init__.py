"""Checkpoints: how the loss fell, and what the model wrote at each of them."""

from functools import partial

from attention_core.shipped.plans import MODELS
from pages.page.page import Page
from pages.page.steps import Step
from pages.tiny_lm.model_in_view import Subject
from pages.tiny_lm.sampling import chosen_sampling
from pages.tiny_lm.time.curve import baseline_question, best_question, draw_curve
from pages.tiny_lm.time.travel import chosen_stop, draw_travel

STEP = Step(
    "history",
    "What did the model know, and when?",
    "A **checkpoint** is the model as it was saved during training.",
    asks="What does this loss tell?",
    then="Drag through the checkpoints: each continues the same prompt.",
    words="travel",
)


def draw(page: Page, subject: Subject) -> bool:
    """Ask what the curve of the loss tells; then show it over the texts of all checkpoints."""
    sampling, curve, step = chosen_sampling(page), subject.curve, chosen_stop(page, subject)
    early = MODELS[subject.name].plan.first if subject.name in MODELS else 0
    if curve is not None and len(curve.steps) > 1:
        blank = partial(draw_curve, page, subject, curve, None, early)
        question = best_question(subject, curve) or page.question("way", partial(baseline_question, subject, curve))
        columns = page.ask_beside(question, blank, spans=2)
        if not columns:
            return False
        with columns[0]:
            draw_curve(page, subject, curve, step, early)
    if curve is None:
        page.say("This file has no record of the loss, so there is no curve.", "note")
    draw_travel(page, subject, sampling, early)
    return True
