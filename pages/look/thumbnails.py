"""Matrices and shares as small pictures."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from pages.look.facts import as_shown
from pages.look.style import LEVELS

MAX_ROWS = 12  # rows or columns in a thumbnail
NARROWEST = 26  # pixels: of fewer columns than rows, the cells are wider than high
TAGS = {  # a cell for each shade of a ramp, and at the end a masked one
    prefix: [Markup('<i class="{}{}"></i>').format(prefix, level) for level in range(LEVELS)]
    + [Markup('<i class="masked"></i>')]
    for prefix in "ws"
}


def thumbnail(values: NDArray[np.floating[Any]], limit: float | None, size: int = 46, most: int = MAX_ROWS) -> Markup:
    """Return a small picture of a matrix, grey where it is -inf; large ones are sampled evenly."""
    rows, columns = (np.linspace(0, n - 1, min(n, most)).round().astype(int) for n in values.shape)
    small = values[np.ix_(rows, columns)]
    share = small if limit is None else (small / limit + 1) / 2
    levels = (np.clip(np.nan_to_num(share), 0, 1) * (LEVELS - 1)).round().astype(int)
    prefix = "w" if limit is None else "s"
    levels[np.isneginf(small)] = LEVELS
    unit = size / max(small.shape)
    width, height = (max(NARROWEST, round(n * unit)) for n in reversed(small.shape))
    style = f"width:{width}px;height:{height}px;grid-template-columns:repeat({small.shape[1]},1fr)"
    cells = Markup("".join([TAGS[prefix][level] for level in levels.ravel().tolist()]))  # noqa: S704  tags of ours
    return Markup('<div class="thumb" style="{}">{}</div>').format(style, cells)


def bars(shares: Sequence[float], height: int = 8) -> NDArray[np.floating[Any]]:
    return (np.arange(height, 0, -1)[:, None] <= as_shown(np.array(shares) * height, 6)) * 0.8
