"""The residual stream: what is added to it, whose it is, what happens in a layer, and the bet without a part."""

from markupsafe import Markup

from attention_core.model.activations import insides
from pages.look import thumbnails
from pages.page.page import Page
from pages.page.steps import Step
from pages.tiny_lm.glimpse import glimpse
from pages.tiny_lm.model_in_view import Subject
from pages.tiny_lm.stream import added, hidden_units, left_out, norm, whose

STEP = Step(
    "stream",
    "Layers add, they do not replace",
    "Each position has one row of numbers that runs through the whole model: the *residual stream*. Attention and "
    "feed-forward read it through a norm, and add to it. Measure how much each one adds, and leave one out.",
)

VIEWS = {
    "what is added": added,
    "whose it is": whose,
    "a norm": norm,
    "feed-forward": hidden_units,
    "left out": left_out,
}


def draw(page: Page, scene: Subject) -> bool:
    """Show one side of the residual stream."""
    inside = page.recipe.run("inside", insides, scene.model, scene.tokens)
    page.pictured = "inside.weights[0, 0]"
    look = page.controls.choice("stream", "Look at", list(VIEWS), next(iter(VIEWS)))
    return VIEWS[look].draw(page, scene, inside)


def thumbnail(scene: Subject) -> Markup:
    """Return the small picture of the step."""
    return thumbnails.thumbnail(glimpse(scene).inside.stream[-1, :, :8], 4.0)
