"""The values: X times W_V."""

from markupsafe import Markup

from pages.page.page import Page
from pages.page.steps import Step
from pages.qkv.common import thumbnail_of
from pages.qkv.matrices import projection_view
from pages.qkv.projection import draw_projection
from pages.qkv.scene import OneHead

STEP = Step(
    "V",
    "The value: what a word gives",
    "A third matrix, W_V, makes the values: what a word hands over when it is looked at. Values have no say in who "
    "looks at whom.",
)


def draw(page: Page, scene: OneHead) -> None:
    """Show V, and the matrices that it is the product of."""
    draw_projection(page, scene, "v", "gives")


def thumbnail(scene: OneHead) -> Markup:
    """Return the small picture of the step."""
    return thumbnail_of(projection_view(scene, "v"))
