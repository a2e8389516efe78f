"""What several steps of the lesson on scaling share: the first table, its maps and fields, and small pictures."""

from functools import cache
from typing import Any

import numpy as np
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.experiments.perturb import dot_products
from attention_core.experiments.random_scores import WIDTHS, one_table, over_widths
from pages.charts.chart import Chart
from pages.charts.heatmap import ATTENTION_AXES, heatmap
from pages.look import thumbnails
from pages.look.html import number
from pages.page.page import Page
from pages.scaling.scene import Draws

SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
Chosen = tuple[int | None, int | None]  # a row, a column, or the cell where both meet


def first_table(page: Page, scene: Draws) -> Array:
    """Return the products of the first draw."""
    table = page.recipe.run("table", one_table, scene.d_k, scene.length, scene.seed, 0)
    return page.recipe.run("products", dot_products, table.q, table.k)


def row_field(page: Page, scene: Draws) -> int:
    """Draw the field for a query and return its place, counted from 0."""
    return min(page.controls.whole("q", "Query · row", 1, 16, 1, width=150), scene.length) - 1


def column_field(page: Page, scene: Draws) -> int:
    """Draw the field for a key and return its place, counted from 0."""
    return min(page.controls.whole("k", "Key · column", 1, 16, 1, width=150), scene.length) - 1


def name_at(letter: str, place: int) -> str:
    """Return the name of a query or key: q₁ for the first."""
    return f"{letter}{place + 1}".translate(SUBSCRIPTS)


def names(letter: str, length: int) -> list[str]:
    """Return the names of all queries or keys."""
    return [name_at(letter, place) for place in range(length)]


def weights_map(weights: Array, name: str, sentence: str, chosen: Chosen = (None, None), **options: Any) -> Chart:
    """Return the weights of one draw: a row for each query, a column for each key."""
    rows, columns = names("q", len(weights)), names("k", weights.shape[-1])
    return heatmap(
        weights, rows, columns, ATTENTION_AXES, name=name, sentence=sentence, chosen=chosen, sums="rows", **options
    )


def short(value: float, digits: int = 2) -> str:
    """Return a number of any size with few digits."""
    if value >= 100:
        return number(value, 0)
    return number(value, digits) if value >= 0.095 or value < 5e-5 else f"{value:#.2g}"


@cache
def small_products() -> Array:
    """Return the products of a small table for thumbnails, which are the same for every scene."""
    table = one_table(64, 4, 0, 0)
    return dot_products(table.q, table.k)


@cache
def small_means(measure: str) -> Array:
    """Return the mean of a measure over a hundred small tables, not divided, at every d_k."""
    return over_widths(measure, WIDTHS, 4, 100, 0).mean[0]


def skyline(heights: Array) -> Markup:
    """Return ten shares as the columns of a thumbnail."""
    rows = np.arange(10)[::-1, None]
    return thumbnails.thumbnail((heights[None, :] * 10 > rows + 0.5) * 0.7, None)
