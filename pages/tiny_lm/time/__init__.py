"""The time machine: what the model was like at five moments of its training, and how a twin without a part is."""

from markupsafe import Markup

from pages.look import thumbnails
from pages.page.page import Page
from pages.page.steps import Step
from pages.tiny_lm.glimpse import glimpse
from pages.tiny_lm.model_in_view import Subject
from pages.tiny_lm.sampling import chosen_sampling
from pages.tiny_lm.time import back, without_a_part

STEP = Step(
    "time",
    "Back to when it knew nothing",
    "The model was kept at a few moments of its training. Choose one: its loss, what it writes and where its heads "
    "look belong together. Or look at twins of it, each trained without one part.",
)

LOOKS = ("back in time", "without a part")


def draw(page: Page, scene: Subject) -> bool:
    """Show the model at one of five moments of its training, or beside a twin that was trained without a part."""
    sampling = chosen_sampling(page)
    look = page.controls.choice("time_look", "Look at", LOOKS, LOOKS[0])
    shown = back if look == LOOKS[0] else without_a_part
    return shown.draw(page, scene, sampling)


def thumbnail(scene: Subject) -> Markup:
    """Return the small picture of the step."""
    return thumbnails.thumbnail(glimpse(scene).inside.weights[0, 0], None)
