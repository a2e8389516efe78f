"""The logit lens, and the logit contribution of each part."""

from attention_core.model.activations import insides
from pages.page.page import Page
from pages.page.steps import Step
from pages.tiny_lm.architecture_note import architecture_note
from pages.tiny_lm.lens import by_layer, by_part
from pages.tiny_lm.model_in_view import Subject

STEP = Step(
    "lens",
    "What would the model predict after each layer?",
    "The logit lens applies the final LayerNorm and the unembedding to the stream after an earlier layer: click a "
    "cell. Then find each part’s logit contribution (direct logit attribution) to a token or a **logit difference**.",
    words="against layer token",
    view="lens",
    views={"layer by layer": by_layer.draw, "logit contributions": by_part.draw},
)


def draw(page: Page, scene: Subject) -> bool | None:
    """Read every layer with the unembedding, or split the logit among the parts."""
    inside = page.recipe.run_once("inside", insides, scene.model, scene.tokens)
    page.drawing.pictured = "inside.weights[0, 0]"
    architecture_note(page, scene)
    return STEP.choose_view(page)(page, scene, inside)
