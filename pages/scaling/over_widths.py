"""Lines over d_k: one measure of many trials under three divisors, and a card with its numbers."""

import time
from contextlib import ExitStack
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import streamlit as st
from markupsafe import Markup
from streamlit.delta_generator import DeltaGenerator

from attention_core.experiments.scaling.random_scores import (
    DIVISORS,
    WIDTHS,
    Spread,
    expected_variance,
    measure_in_steps,
    over_widths,
)
from pages.charts.chart import Chart
from pages.charts.lines import line_chart
from pages.look import cards
from pages.look.colours import ATTENTION, INK, SOFT
from pages.look.facts import several
from pages.look.html import inline, short, table
from pages.page.canvas import Columns
from pages.page.page import Page
from pages.scaling.scene import DIVISORS as NAMES
from pages.scaling.scene import Trials, division
from pages.server.give_way import Line, LongWork

LINE = Line(what="trials over widths")
PATIENCE = 0.25  # seconds of work after which its progress is shown
FEW = 10  # trials: of fewer, none are told apart from the rest
BAND = (
    " With ten trials or more, a band around a line holds 8 of 10.",
    " The band around a line holds 8 of 10 trials.",
)  # of few, of enough
CHOSEN = Markup('<span style="color:var(--attention)">{}</span>')


class Measure(NamedTuple):
    name: str  # in the core
    title: str
    limits: tuple[float, float]
    log: bool = False
    theory: bool = False  # whether the theory of it is shown as well

    @property
    def axes(self) -> dict[str, Any]:
        scales = {"y_domain": self.limits, "log_x": True, "log_y": self.log}
        return {"x_title": "dₖ", "y_title": self.title, "height": 300, **scales}


def show_measure(page: Page, columns: Columns, scene: Trials, measure: Measure, note: str, guess: Any = None) -> None:
    """Show a measure along d_k under every divisor, and beside it its numbers at the chosen d_k; a guess as a line."""
    trials = (WIDTHS, scene.length, scene.n_trials, scene.seed)
    prepare(*trials)
    spread = page.recipe.run("spread", over_widths, measure.name, *trials)
    place = DIVISORS.index(scene.divisor), WIDTHS.index(scene.d_k)
    page.prints(f"{measure.title} at {scene.d_k}", spread.mean, *place)
    with columns[0]:
        page.show(measure_lines(spread, measure, scene, guess), quiet=True)
        many = f"{several(scene.n_trials, 'trial')} of {scene.length} queries and {scene.length} keys at every d_k."
        page.say(f"{many}{BAND[scene.n_trials >= FEW]} {scene.origin}", "note")
    with columns[1]:
        with st.container(border=True):
            page.write(numbers_card(spread, measure, scene))
        page.say(note, "note")


def prepare(widths: tuple[int, ...], length: int, n_trials: int, seed: int) -> None:
    """Run the trials that will be needed, and show the progress if that takes long; what is cached costs nothing.

    Pages that run many trials do so one after the other, so that all others compete with one of them.
    """
    work, started, turn, bar = LongWork(), time.monotonic(), ExitStack(), None
    with turn:
        for done, d_k in enumerate(widths):
            for share in measure_in_steps(d_k, length, n_trials, seed):
                work.give_way()
                if not bar and time.monotonic() - started > PATIENCE:
                    bar = st.progress(0.0)
                    turn.enter_context(LINE.turn(partial(say_place, bar)))
                if bar and share == 1:
                    done_so_far = sum(widths[: done + 1]) / sum(widths)  # the work grows with the width
                    bar.progress(done_so_far, f"Running {n_trials:,} trials at every d_k: now {d_k}")
    work.end()
    if bar:
        bar.empty()


def say_place(bar: DeltaGenerator, ahead: int) -> None:
    """Say how many pages run their trials before this one."""
    bar.progress(0.0, f"You are number {ahead + 1} in line: other pages run their trials first.")


def blank_lines(page: Page, measure: Measure, here: float) -> None:
    """Show the axes of a measure without its lines, before a question about them is answered."""
    name, sentence, axes = f"{measure.title} asked", "Each line is still blank.", measure.axes
    page.show(line_chart(np.array(WIDTHS, float), {}, **axes, name=name, sentence=sentence, here=here, number=".3f"))


def measure_lines(spread: Spread, measure: Measure, scene: Trials, guess: float | None = None) -> Chart:
    """Return a measure along d_k for every divisor, the chosen one violet and on top, each in its band."""
    means = dict(zip(DIVISORS, spread.mean, strict=True))
    order = [scene.divisor, *(name for name in DIVISORS if name != scene.divisor)]
    bands = {division(name): (spread.low[i], spread.high[i]) for i, name in enumerate(DIVISORS)}
    return line_chart(
        np.array(WIDTHS, float),
        {division(name): means[name] for name in order},
        **measure.axes,
        name=measure.title,
        sentence=f"{measure.title.capitalize()}, along d_k.",
        band=bands if scene.n_trials >= FEW else None,
        theory=[expected_variance(name, WIDTHS) for name in DIVISORS] if measure.theory else (),
        baselines={"your answer": guess} if guess and measure.limits[0] <= guess <= measure.limits[1] else None,
        here=scene.d_k,
        colours=(ATTENTION, INK, SOFT),
        number="" if measure.log else ".2f",
    )


def numbers_card(spread: Spread, measure: Measure, scene: Trials) -> Markup:
    column = WIDTHS.index(scene.d_k)
    head = [
        "divisor",
        *(["theory"] if measure.theory else []),
        "one trial" if scene.n_trials == 1 else "mean of trials",
    ]
    rows = []
    for i, (name, chosen_as) in enumerate(zip(DIVISORS, NAMES, strict=True)):
        values = [float(expected_variance(name, (scene.d_k,))[0])] if measure.theory else []
        texts = [inline(chosen_as), *map(short, [*values, spread.mean[i, column]])]
        rows.append([CHOSEN.format(text) for text in texts] if name == scene.divisor else texts)
    title = Markup("At {} = {}: {}").format(inline("d_k"), scene.d_k, measure.title)
    return cards.card(title, table(head, rows, bold=DIVISORS.index(scene.divisor)))
