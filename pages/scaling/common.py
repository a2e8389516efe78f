"""What several steps of the lesson on scaling share: the first trial, its maps and fields, and small pictures."""

from functools import cache

from attention_core.arrays import Array
from attention_core.experiments.qkv.perturb import dot_products
from attention_core.experiments.scaling.random_scores import WIDTHS, one_table, over_widths
from attention_core.text.word_vectors import position_labels
from pages.charts.chart import Chart
from pages.charts.heatmap import ATTENTION_AXES, ROW_SUMS, Layer, heatmap
from pages.page.page import Page
from pages.scaling.scene import SENTENCE, Trials, own

SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
LABELS = position_labels(SENTENCE)


def first_trial(page: Page, scene: Trials) -> Array:
    """Return the products of the first trial."""
    trial = page.recipe.run("trial", one_table, scene.d_k, scene.length, scene.seed, 0)
    return page.recipe.run("products", dot_products, trial.q, trial.k)


def index_field(page: Page, scene: Trials, letter: str) -> int:
    """Draw the field for a query or a key and return its index, counted from 0."""
    label = {"q": "Query · row", "k": "Key · column"}[letter]
    return min(page.controls.whole(own(page, letter), label, 1, 16, 1, width=150), scene.length) - 1


def name_at(letter: str, index: int) -> str:
    """Return the name of a query or key: q₁ for the first."""
    return f"{letter}{index + 1}".translate(SUBSCRIPTS)


def names(letter: str, length: int) -> list[str]:
    """Return the names of all queries or keys."""
    return [name_at(letter, index) for index in range(length)]


def weights_map(weights: Array, name: str, sentence: str, *layers: Layer) -> Chart:
    """Return the weights of one trial: a row for each query, a column for each key."""
    rows, columns = names("q", len(weights)), names("k", weights.shape[-1])
    return heatmap(weights, rows, columns, ATTENTION_AXES, ROW_SUMS, *layers, name=name, sentence=sentence)


@cache
def small_products() -> Array:
    """Return the products of a small trial for thumbnails, which are the same for all settings."""
    trial = one_table(64, 4, 0, 0)
    return dot_products(trial.q, trial.k)


@cache
def small_means(measure: str) -> Array:
    """Return the mean of a measure over a hundred small trials, not divided, at every d_k."""
    return over_widths(measure, WIDTHS, 4, 100, 0).mean[0]
