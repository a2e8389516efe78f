"""The residual stream: what is added to it, what each part contributes, LayerNorm and the MLP."""

from attention_core.model.activations import insides
from pages.page.page import Page
from pages.page.steps import Step
from pages.tiny_lm.architecture_note import architecture_note
from pages.tiny_lm.model_in_view import Subject
from pages.tiny_lm.stream import added, hidden_units, norm, whose

STEP = Step(
    "stream",
    "Layers add to the residual stream",
    "Each position has one vector that runs through the whole model: its residual stream, also called hidden state. "
    "Attention and MLP read it, and a residual connection adds what they write. Measure each addition.",
    asks="What does a layer do to the stream?",
    words="adds d scale shift stream which",
)

VIEWS = {
    "additions": added,
    "contributions": whose,
    "LayerNorm": norm,
    "MLP": hidden_units,
}


def draw(page: Page, scene: Subject) -> bool:
    """Show one side of the residual stream."""
    inside = page.recipe.run_once("inside", insides, scene.model, scene.tokens)
    page.drawing.pictured = "inside.weights[0, 0]"
    architecture_note(page, scene)
    look = page.controls.choice("stream", "Look at", list(VIEWS), next(iter(VIEWS)))
    return VIEWS[look].draw(page, scene, inside)
