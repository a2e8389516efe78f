"""The queries: X times W_Q."""

from markupsafe import Markup

from pages.look.html import prose
from pages.page.page import Page
from pages.page.questions import Choice
from pages.page.steps import Step
from pages.qkv.common import thumbnail_of
from pages.qkv.matrices import projection_view
from pages.qkv.projection import draw_projection
from pages.qkv.scene import OneHead

STEP = Step(
    "Q",
    "The query: what a word asks",
    "A row of X times the matrix W_Q is the query of that word. Words are rows in this course, so X stands on the "
    "left: X · W_Q. Books in which words are columns write W · x, with W turned over, for the same numbers.",
)


def draw(page: Page, scene: OneHead) -> bool:
    """Show Q once its shape was asked."""
    return draw_projection(page, scene, "q", "asks", shape_question(scene, page.variant("shape")))


def thumbnail(scene: OneHead) -> Markup:
    """Return the small picture of the step."""
    return thumbnail_of(projection_view(scene, "q"))


def shape_question(scene: OneHead, variant: int) -> Choice:
    """Ask for the shape of one of the products on the way from X to the output."""
    (length, d_model), d_k, d_v = scene.x.shape, scene.head.w_q.shape[1], scene.head.w_v.shape[1]
    product, left, left_shape, right, right_shape = (
        ("Q = X · W_Q", "X", (length, d_model), "W_Q", (d_model, d_k)),
        ("V = X · W_V", "X", (length, d_model), "W_V", (d_model, d_v)),
        ("Q · Kᵀ", "Q", (length, d_k), "Kᵀ, which is K turned over,", (d_k, length)),
        ("their product, the output", "The table of weights", (length, length), "V", (length, d_v)),
    )[variant % 4]
    (rows, middle), columns = left_shape, right_shape[1]
    summed = f"the {middle} in the middle is summed away."
    reasons = {
        (columns, rows): "That is the answer lying on its side: the rows come from the left.",
        left_shape: "That is the shape of the left one itself.",
        right_shape: "That is the shape of the right one itself.",
        (middle, middle): f"That is twice the number that vanishes: {summed}",
    }
    reasons.pop((rows, columns), None)
    if not reasons:  # all sizes are the same
        reasons[rows, middle + columns] = f"Widths are not added: {summed}"
    text = prose(
        f"{left} is {rows} × {middle} (rows × columns), {right} is {middle} × {columns}. "
        f"What is the shape of {product}?"
    )
    why = f"({rows} × {middle}) · ({middle} × {columns}) = {rows} × {columns}: {summed}"
    mistakes = {f"{height} × {width}": reason for (height, width), reason in reasons.items()}
    right = f"{rows} × {columns}"
    return Choice.shuffled("shape", text, [right], why, {right: ""} | mistakes, variant)
