"""Bars that move while a slider is dragged: the browser shows one of the rows that Python has computed."""

from collections.abc import Sequence
from typing import NamedTuple

from attention_core.arrays import Array
from pages.charts.bars import fraction_bars
from pages.charts.chart import Chart
from pages.look.facts import largest
from pages.motion.sliders import Options, Slider, draw_moving
from pages.page.page import Page


class Panel(NamedTuple):
    title: str
    frames: Array  # (F, S), weights
    told: str  # a sentence, in which {at}, {names} and {most} stand for the frame and its largest weight


def moving_bars(
    page: Page,
    name: str,
    labels: Sequence[str],
    panels: Sequence[Panel],
    slider: Slider,
    choice: Options | None = None,
    marked: int | None = None,
) -> None:
    """Draw the bars of each panel, or of the chosen one, with a slider over their frames; one bar may be marked."""
    picture = {
        "labels": list(labels),
        "marked": marked,
        "panels": [panel._asdict() | {"frames": panel.frames.astype(float).round(6).tolist()} for panel in panels],
    }
    draw_moving("bars", page, name, picture, [slider], choice)
    shown = [panels[choice.at]] if choice else panels
    page.drawing.shown += [bars(f"{name} {i}", labels, panel, slider) for i, panel in enumerate(shown, start=1)]


def bars(name: str, labels: Sequence[str], panel: Panel, slider: Slider) -> Chart:
    """Return the bars of a panel where the slider stands as a chart, for the files of the page."""
    row = panel.frames[slider.at]
    most = largest(row)
    at = slider.stops[slider.at].replace("-", "−")  # as in the browser
    sentence = panel.told.format(at=at, names=most.names(labels), most=most.shown)
    return fraction_bars(list(labels), row, name=name, sentence=sentence, title="attention weight")
