"""The matrices of one head with the names along their axes."""

from typing import NamedTuple, cast

from attention_core.arrays import Array
from attention_core.experiments.qkv.named_head import DIMENSIONS, NAMED_COLUMNS, NamedJob
from pages.charts.chart import limit_of, rung
from pages.charts.heatmap import ATTENTION_AXES, Axes
from pages.heads.matrices import OneHead
from pages.look.colours import KEY, QUERY, VALUE

WORD_AXES = Axes("word", "dimension", "x")
PROJECTION_AXES = {
    "q": Axes("query", "dimension", "q", row_colour=QUERY),
    "k": Axes("key", "dimension", "k", row_colour=KEY),
    "v": Axes("value", "dimension", "v", row_colour=VALUE),
}
MATRIX_AXES = {name: Axes("x", name, "w", column_colour=axes.row_colour) for name, axes in PROJECTION_AXES.items()}
OUTPUT_AXES = Axes("query", "dimension", "output", row_colour=QUERY)
USUAL, VALUES = 4.0, 1.0  # the ends of scales, the second of values and outputs that are made by hand


class MatrixView(NamedTuple):
    """A matrix: its numbers, the names along its axes, and the end of its colour scale."""

    values: Array
    rows: list[str]
    columns: list[str]
    axes: Axes
    limit: float | None  # None: weights from 0 to 1


def view_of(scene: OneHead, values: Array, rows: list[str], name: str, axes: Axes, usual: float) -> MatrixView:
    """Return a matrix with the columns of X, Q, K or V, on a scale with a usual end."""
    hand_made = scene.kind == "hand-made"
    columns = columns_of_x(scene) if name == "x" else columns_of(scene, name)
    return MatrixView(values, rows, columns, axes._replace(words=hand_made), limit_for(scene, values, usual))


def x_view(scene: OneHead) -> MatrixView:
    return view_of(scene, scene.x, scene.labels, "x", WORD_AXES, 1.0 if scene.kind == "hand-made" else 4.0)


def projection_view(scene: OneHead, name: str) -> MatrixView:
    """Return Q, K or V: a row for each word."""
    usual = VALUES if name == "v" and scene.kind == "hand-made" else USUAL
    return view_of(scene, getattr(scene.attention, name), scene.labels, name, PROJECTION_AXES[name], usual)


def matrix_view(scene: OneHead, name: str) -> MatrixView:
    """Return W_Q, W_K or W_V: a row for each column of X."""
    return view_of(scene, getattr(scene.head, f"w_{name}"), columns_of_x(scene), name, MATRIX_AXES[name], 2.0)


def weights_view(scene: OneHead) -> MatrixView:
    return MatrixView(scene.attention.weights, scene.labels, scene.labels, ATTENTION_AXES, None)


def output_view(scene: OneHead) -> MatrixView:
    usual = VALUES if scene.kind == "hand-made" else USUAL
    return view_of(scene, scene.attention.output, scene.labels, "v", OUTPUT_AXES, usual)


def score_limit(scene: OneHead) -> float:
    """Return the end of the scale of scores; where they are random it moves with nothing but the width of q."""
    usual = 16.0 if scene.kind == "hand-made" else rung(4 * scene.attention.q.shape[-1] ** 0.5)
    return limit_for(scene, scene.products, usual)


def limit_for(scene: OneHead, values: Array, usual: float = USUAL) -> float:
    """Return the end of a scale: the usual one where numbers are random, else one that holds all values."""
    if scene.kind == "hand-made":
        return max(usual, limit_of(values))  # it stays for every sentence, and what a student typed fits too
    return usual if scene.kind == "random" else limit_of(values)


def columns_of_x(scene: OneHead) -> list[str]:
    """Return the columns of X as labels: counted, or by what they encode where they are hand-made."""
    if scene.kind == "hand-made":
        return [*NAMED_COLUMNS, *columns_of(scene, "v")]
    return dimensions(scene.x)


def names_of_columns(scene: OneHead, name: str) -> list[str] | None:
    """Return the columns of X, Q, K or V of a head that was made by hand; those of others have no names."""
    if scene.kind != "hand-made":
        return None
    return columns_of_x(scene) if name == "x" else columns_of(scene, name)


def columns_of(scene: OneHead, name: str) -> list[str]:
    """Return the columns of Q, K or V as labels: counted, or by what they compare where they have names."""
    if scene.kind != "hand-made":
        return dimensions(getattr(scene.attention, name))
    if name == "v":
        return [f"word {column + 1}" for column in range(scene.attention.v.shape[-1])]
    return list(DIMENSIONS[cast(NamedJob, scene.job)])


def dimensions(matrix: Array) -> list[str]:
    """Return the columns of a matrix as labels: dimensions are counted from 1."""
    return [str(column + 1) for column in range(matrix.shape[-1])]
