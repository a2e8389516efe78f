"""A heatmap without its numbers: what a question is about, before it is answered."""

import numpy as np

from pages.charts.chart import Chart
from pages.charts.heatmap import Axes, heatmap


def blank_map(
    rows: list[str],
    columns: list[str],
    axes: Axes,
    *,
    name: str,
    sentence: str,
    asked: tuple[int | None, int | None] = (None, None),
    limit: float | None = None,
    clickable: bool = False,
    small: bool = False,
) -> Chart:
    """Return a heatmap whose cells are empty; the row, column or cell that is asked for is outlined, with marks."""
    row, column = asked
    texts = np.full((len(rows), len(columns)), "", dtype=object)
    if asked != (None, None):
        texts[slice(None) if row is None else row, slice(None) if column is None else column] = "?"
    return heatmap(
        np.full(texts.shape, np.nan),
        rows,
        columns,
        axes,
        name=name,
        sentence=sentence,
        limit=limit,
        chosen=asked,
        clickable=clickable,
        small=small,
        hidden=np.ones(texts.shape, dtype=bool),
        texts=texts,
    )
