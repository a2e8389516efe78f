"""A soft look-up in two planes: keys, weights and output move while the keys are rotated or the temperature changes.

The browser computes them by the formulas of `attention_core`, from vectors that it gets in full.
"""

from collections.abc import Sequence

from attention_core.arrays import Array
from pages.charts.vector_plane import hull
from pages.look.html import quoted
from pages.motion.sliders import Slider, component, draw_moving
from pages.page.page import Page

PLANES = component("planes", "arrows")


def moving_planes(
    page: Page,
    query: Array,
    keys: Array,
    values: Array,
    labels: Sequence[str],
    asks: int,
    limits: tuple[float, float],
    told: tuple[str, str],
    sliders: tuple[Slider, Slider],
) -> None:
    """Draw a query (2,) with keys (S, 2), values (S, 2) with the output, and the weights.

    The sliders are "angle" and "temperature"; `limits` and `told` are of the two planes.
    """
    picture = {
        "query": query.tolist(),
        "keys": keys.tolist(),
        "values": values.tolist(),
        "outline": hull(values),
        "labels": list(labels),
        "quoted": [quoted(label) for label in labels],
        "asks": asks,
        "limits": limits,
        "told": told,
        "titles": ("Query and keys", "Values and output", "Attention weights"),
    }
    draw_moving(PLANES, page, "planes", picture, sliders)
