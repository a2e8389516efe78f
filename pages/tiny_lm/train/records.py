"""The records of a run as columns, which charts draw."""

from collections.abc import Sequence

import numpy as np

from attention_core.shipped.models import Curve
from attention_core.shipped.runs import Record


def curve_so_far(records: Sequence[Record]) -> Curve:
    """Return records as columns."""
    columns = list(zip(*records, strict=True)) or [(), (), (), ()]
    return Curve(np.array(columns[0], int), *(np.array(column, float) for column in columns[1:]))


def on_steps(steps: np.ndarray[tuple[int], np.dtype[np.int64]], curve: Curve) -> Curve:
    """Return a curve on other steps, which contain its own: NaN where it has no record."""
    places = steps.searchsorted(curve.steps)
    columns = [np.full(len(steps), np.nan) for _ in Curve._fields[1:]]
    for column, values in zip(columns, curve[1:], strict=True):
        column[places] = values
    return Curve(steps, *columns)
