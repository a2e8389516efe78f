"""What a class guessed: a dot for each number, or a map that counts the cells."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import altair as alt
import numpy as np

from pages.charts.chart import Chart, finish, of_kind, themed, tips, words, x_of_numbers
from pages.charts.heatmap import NO_LEGEND, Axes, heatmap, outline, scale, write
from pages.look.colours import ATTENTION, RIGHT
from pages.look.html import number

BINS = 24  # stacks of dots along the axis
FAR = 3.0  # times the middle half: numbers further away are drawn at the ends
CELLS = Axes("row", "column", "answers")
ROW = 11  # pixels: a dot in a stack


def dot_plot(given: Sequence[float], right: float | None, digits: int, *, name: str, title: str) -> Chart:
    """Return numbers as dots in stacks, and a line at the right one if it may be seen; far ones stand at the ends."""
    values = np.array(given, dtype=float)
    low, high = ends(values, right)
    width = (high - low) / BINS
    bins = (np.clip(values, low, high) - low) // width
    height = np.array([int((bins[:i] == one).sum()) for i, one in enumerate(bins)], dtype=int)
    far = int(((values < low) | (values > high)).sum())
    middle = f", the middle one {number(float(np.median(values)), digits)}" if len(values) else ""
    told = f"Numbers: {len(values)}{middle}" + (f"; beyond the ends of the axis: {far}" if far else "")
    drawn = np.clip(values, low, high)
    at = np.array([drawn[bins == one].mean() for one in bins])
    kinds = np.where(values < low, "low", np.where(values > high, "high", "dot"))
    data = {"kind": words(kinds.tolist()), "at": at, "number": values, "height": height}
    if right is not None:
        line = {"kind": words(["right"]), "at": [right], "number": [right], "height": [0]}
        data = {key: np.concatenate([column, line[key]]) for key, column in data.items()}
    title += f", {far} beyond the ends" if far else ""  # where arrows stand
    return Chart(dots_specification(low, high, int(height.max(initial=0)) + 1, title), data, f"{told}.", name)


def ends(values: Any, right: float | None = None) -> tuple[float, float]:
    """Return the ends of an axis that shows most numbers, whatever the others are, and the right one."""
    if not len(values := values if right is None else np.append(values, right)):
        return 0.0, 1.0
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
    reach = FAR * max(float(high - low), 0.1 * abs(float(middle)), 0.5)
    inside = values[(values >= low - reach) & (values <= high + reach) | (values == right)]
    margin = max(0.05 * float(np.ptp(inside)), 0.05 * reach)
    return float(inside.min() - margin), float(inside.max() + margin)


@lru_cache(maxsize=64)
def dots_specification(low: float, high: float, tall: int, title: str) -> dict[str, Any]:
    across, right = x_of_numbers("at:Q", low, high, title), of_kind("right")
    up = alt.Y("height:Q", axis=None, scale=alt.Scale(domain=[-0.5, max(tall, 4)], nice=False))
    layers = [
        right.mark_rule(color=themed(RIGHT), strokeWidth=3, tooltip=None).encode(across),
        right.mark_text(text="right", align="left", dx=6, y=4, fontSize=13, color=themed(RIGHT)).encode(across),
        *(
            of_kind(kind)
            .mark_point(shape=shape, filled=True, size=90, opacity=1, color=themed(ATTENTION), strokeWidth=0)
            .encode(across, up, tooltip=tips("number:Q"))
            for kind, shape in (("dot", "circle"), ("low", "triangle-left"), ("high", "triangle-right"))
        ),
    ]
    return finish(*layers, height=ROW * max(tall, 4) + 44)  # the axis and its title are in it


def guesses(
    given: Sequence[tuple[int, int]], labels: Sequence[str], right: tuple[int, int] | None, *, name: str
) -> Chart:
    """Return how often each cell of a matrix was chosen, and the right one outlined if it may be seen."""
    counts = np.zeros((len(labels), len(labels)))
    for cell in given:
        counts[cell] += 1
    texts = np.array([f"{count:.0f}" if count else "" for count in counts.ravel()], dtype=object)
    most = max(float(counts.max()), 1.0)
    marked = outline(*right) if right else None
    layers = [scale(most, amounts=True), write(texts.reshape(counts.shape)), NO_LEGEND, *([marked] if marked else [])]
    told = f"{name}. Answers: {len(given)}, different ones: {int((counts > 0).sum())}."
    names = list(labels)
    return heatmap(counts, names, names, CELLS, *layers, name=name, sentence=told)
