"""A text that changes while a slider is dragged, over small curves with a rule where the slider stands."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from attention_core.arrays import Array
from pages.charts.chart import Chart
from pages.charts.lines import line_chart
from pages.motion.sliders import Slider, draw_moving
from pages.page.page import Page


class Stop(NamedTuple):
    """The text at one stop: its parts, each with whether it is new there, and a sentence about the stop."""

    parts: Sequence[tuple[str, bool]]
    told: str


class Curve(NamedTuple):
    """A number at every stop."""

    name: str
    values: Array  # (F,)


def moving_text(
    page: Page, prompt: str, frames: Sequence[Stop], curves: Sequence[Curve], top: float, slider: Slider
) -> None:
    """Draw the text of the stop after the prompt, and each curve from 0 to `top` with a rule at the stop."""
    picture = {
        "prompt": prompt,
        "frames": [{"parts": list(frame.parts), "told": frame.told} for frame in frames],
        "curves": [{"name": curve.name, "values": curve.values.astype(float).round(4).tolist()} for curve in curves],
        "top": top,
    }
    draw_moving("text", page, "text", picture, [slider])
    here = frames[slider.at]
    text = Markup("").join(
        Markup("<mark>{}</mark>").format(part) if new else Markup("{}").format(part) for part, new in here.parts
    )
    page.shown.append(Markup('<div class="course spoken"><b>{}</b>{}</div>').format(prompt, text))
    page.drawing.shown += [curve_chart(curve, top, slider) for curve in curves]


def curve_chart(curve: Curve, top: float, slider: Slider) -> Chart:
    first, last = curve.values[0], curve.values[-1]
    return line_chart(
        np.arange(len(curve.values)),
        {curve.name: curve.values},
        x_title="checkpoint",
        y_title=curve.name,
        y_domain=(0.0, top),
        name=f"{curve.name} by checkpoint",
        sentence=f"{curve.name}: {first:.2f} at the first checkpoint, {last:.2f} at the last.",
        here=slider.at,
    )
