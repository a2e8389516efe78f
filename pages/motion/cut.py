"""Top-k and top-p cut a prediction while they are dragged.

The browser computes the cut by the formulas of `attention_core`, from all logits, which it gets in full.
"""

from collections.abc import Sequence

from attention_core.arrays import Array
from pages.motion.sliders import Slider, component, draw_moving
from pages.page.page import Page

CUT = component("cut")


def moving_cut(page: Page, labels: Sequence[str], logits: Array, unit: str, sliders: Sequence[Slider]) -> None:
    """Draw the probabilities of the first tokens, which have labels, before and after the cuts.

    `logits` (V,) are sorted, the highest first. The sliders are "top_p", "top_k" and "temperature".
    """
    picture = {"labels": list(labels), "logits": logits.astype(float).tolist(), "unit": unit}
    draw_moving(CUT, page, "cut", picture, sliders)
