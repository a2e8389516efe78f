"""What the model would bet after an earlier layer, what each part pushes a logit by, and the bet without a head."""

import numpy as np
from markupsafe import Markup

from attention_core.equations.softmax import softmax
from attention_core.model.activations import insides
from pages.look import thumbnails
from pages.page.page import Page
from pages.page.steps import Step
from pages.tiny_lm.glimpse import glimpse
from pages.tiny_lm.lens import by_layer, by_part, without_head
from pages.tiny_lm.model_in_view import Subject

STEP = Step(
    "lens",
    "The bet grows layer by layer",
    "After the last layer, the last norm and the output matrix turn the stream into a bet. Let them read it after "
    "an earlier layer: that is the *logit lens*. Click a cell to see what the model would say if it ended there.",
)

LOOKS = ("layer by layer", "part by part", "a head taken out")


def draw(page: Page, scene: Subject) -> bool:
    """Read every layer with the output matrix, or take the last logit apart into what every part pushes."""
    inside = page.recipe.run("inside", insides, scene.model, scene.tokens)
    page.pictured = "inside.weights[0, 0]"
    look = page.controls.choice("lens", "Look at", LOOKS, LOOKS[0])
    view = (by_layer, by_part, without_head)[LOOKS.index(look)]
    return view.draw(page, scene, inside)


def thumbnail(scene: Subject) -> Markup:
    """Return the small picture of the step."""
    shares = softmax(glimpse(scene).inside.layer_logits.astype(np.float64))
    return thumbnails.thumbnail(shares.max(axis=-1), None)
