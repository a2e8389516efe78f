"""The stages at a glance: small pictures of a hundred small tables, the same for everybody."""

from functools import lru_cache

import numpy as np

from attention_core.arrays import Array
from attention_core.experiments.overflow import remedies
from attention_core.experiments.perturb import dot_products, softmax_at
from attention_core.experiments.random_scores import WIDTHS, normal_density, one_table, over_widths, statistics
from pages.look import thumbnails as thumbnails_module


@lru_cache(maxsize=1)
def thumbnails() -> dict[str, str]:
    """Return a small picture for each stage, of a hundred small tables; the same for everybody."""
    many = {
        name: over_widths(name, WIDTHS, 4, 100, 0) for name in ("variance", "largest_in_row", "entropy", "jacobian")
    }
    pictures = {
        "spread": skyline(np.log2(many["variance"].mean[0] + 1) / 9),
        "largest": skyline(many["largest_in_row"].mean[0]),
        "entropy": skyline(many["entropy"].mean[0]),
        "gradient": skyline(many["jacobian"].mean[0] / many["jacobian"].mean[0].max()),
        "claims": skyline(statistics(64, 4, 100, 0).largest[1, :10]),
        "scores": skyline(normal_density(np.linspace(-3, 3, 10), 1.0) / 0.4),
    }
    table = one_table(64, 4, 0, 0)
    products = dot_products(table.q, table.k)
    right, wrong = (softmax_at(products, by) for by in (8.0, 4.0))
    pictures["d_v"] = thumbnails_module.thumbnail(np.hstack([right, np.zeros((4, 1)), wrong]), None, 60)
    outcomes = remedies(products, 0, 100.0, 8.0)
    largest = np.array([outcome.largest for outcome in outcomes]).reshape(2, 2)
    pictures["overflow"] = thumbnails_module.thumbnail(largest, None, 40)
    pictures["constant"] = thumbnails_module.thumbnail(right, None, 40)
    return pictures


def skyline(heights: Array) -> str:
    """Return shares as columns in a thumbnail."""
    rows = np.arange(10)[::-1, None]
    return thumbnails_module.thumbnail((heights[None, :] * 10 > rows + 0.5) * 0.7, None)
