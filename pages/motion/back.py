"""The attention map of a head that looks k words back, which moves while k or the first position is dragged.

The browser computes the weights by the formulas of `attention_core`, from the frequencies of the pairs.
"""

from collections.abc import Sequence

from attention_core.arrays import Array
from pages.motion.sliders import Choice, Slider, component, draw_moving
from pages.page.page import Page

BACK = component("back")
WITH, WITHOUT = "with", "without"


def moving_back(
    page: Page, labels: Sequence[str], row: int, frequencies: Array, sliders: Sequence[Slider], choice: Choice
) -> None:
    """Draw the map, with the query of one row outlined.

    The sliders are "ago" (k), "start" (the first position) and "sharp" (the factor in W_Q); the choice is WITH or
    WITHOUT positions.
    """
    picture = {"labels": list(labels), "row": row, "frequencies": frequencies.tolist()}
    draw_moving(BACK, page, "back", picture, sliders, choice)
