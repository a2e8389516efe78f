"""Two small heads in training from the same start: one divides its scores by √d_k, the other does not."""

from functools import partial
from typing import NamedTuple

import numpy as np
import streamlit as st

from attention_core.experiments.scaling.train_head import HeadTraining, loss_along_entry, train_head
from pages.charts.lines import line_chart
from pages.look.colours import ATTENTION, INK, SOFT
from pages.look.facts import as_shown, largest, of_several
from pages.look.html import number, prose, quoted
from pages.motion.bars import Panel, moving_bars
from pages.motion.sliders import Slider
from pages.page.page import Page
from pages.page.steps import Step
from pages.questions.kinds import Choice
from pages.scaling.scene import Trials, division, width_field

N_STEPS, EVERY = 300, 5  # steps of gradient descent, and from frame to frame
STEP = Step(
    "training",
    "Without dividing, a wide head usually gets stuck",
    "Two heads start from the same random matrices. One divides its scores by √d_k, the other does not. The goal: each "
    "word attends to the word before it, and the first to itself.",
    asks="Does a head learn without dividing?",
    experiment="rate train_d_k train_step",
)

STEPS = [str(step) for step in range(0, N_STEPS + 1, EVERY)]
NUDGES = np.linspace(-8, 8, 65)
TRAINING = """\
**Training** changes the numbers of the matrices, the *parameters*, in small steps.

The **loss** is one number for “how wrong”: here, how far all rows are from the goal.

The **gradient** says for each parameter how fast the loss changes with it (the *derivative*, or slope).

**Gradient descent** moves each parameter a little to where the loss falls. The **learning rate** scales the move.
"""
RATES = ("0.1", "0.3", "1")
NAMED = ("√d_k", "nothing")  # the divisors of the two heads
TOLD = "Step {{at}}, {}, the largest weight is {{most}}: {{names}}."  # of a row of weights
RIGHT = "Words that attend most to the right word in the end: with √d_k {}, without dividing {}."
START = "Before training the largest weight of a row is {} on average with √d_k, and {} without dividing."
ALIKE = "√1 = 1, so the two heads are the same."
SAME = 0.05  # the difference of two losses up to which they count as the same


class HeadRun(NamedTuple):
    words: tuple[str, ...]
    d_k: int
    rate: float
    seed: int

    def of(self, named: str) -> HeadTraining:
        return train_head(self.words, self.d_k, named, self.rate, N_STEPS, self.seed)

    def asked(self, variant: int) -> "HeadRun":
        """Return the run that a variant of the question is about."""
        return self._replace(d_k=(self.d_k, 4, 64)[variant % 3])


def draw(page: Page, scene: Trials) -> bool:
    """Show the losses of both heads, and the row of a word at any step of their training."""
    controls = page.controls
    with page.fields:
        d_k = width_field(page, "train_d_k", "Key width d_k", "256", 220)
        rate = float(controls.choice("rate", "Learning rate", RATES, "0.3"))
    chosen = controls.bare_choice("train_step", "Training step", STEPS, STEPS[-1])
    settings, goal = HeadRun(scene.words, d_k, rate, scene.seed), max(scene.asks - 1, 0)
    question, run = page.question("learns", partial(learns_question, settings)), settings.asked(page.variant("learns"))
    if not page.ask(question, partial(draw_training, page, run), then=partial(controls.put, train_d_k=str(run.d_k))):
        return False
    page.recipe.given("words", scene.words)
    heads = [
        page.recipe.run(name, train_head, scene.words, d_k, named, rate, N_STEPS, scene.seed)
        for name, named in zip(("divided", "undivided"), NAMED, strict=True)
    ]
    page.prints("undivided loss", heads[1].loss, N_STEPS)
    losses = line_chart(
        np.arange(N_STEPS + 1),
        {division(named): head.loss for named, head in zip(NAMED, heads, strict=True)},
        x_title="training step",
        y_title="loss",
        name="losses",
        sentence=RIGHT.format(*(of_several(n_right(head), len(scene.words), "word") for head in heads)),
        here=int(chosen),
        colours=(INK, ATTENTION),  # as in the other steps, where it is not divided
        height=200,
    )
    page.show(losses, note=f"Words and matrices are random at the start (seed {scene.seed}).")
    panels = [
        Panel(how.capitalize(), head.weights[::EVERY, scene.asks], TOLD.format(how))
        for how, head in zip(map(division, NAMED), heads, strict=True)
    ]
    slider = Slider("train_step", "Training step", STEPS, range(len(STEPS)), STEPS.index(chosen))
    with st.container():  # on a slide the heading stays with its picture
        page.head(f"Attention weights of {scene.word}.", f"It should attend to {quoted(scene.labels[goal])}, outlined.")
        moving_bars(page, "training", scene.labels, panels, slider, marked=goal)
    page.look_closer("What training is", partial(draw_training, page, settings))
    return True


def draw_training(page: Page, settings: HeadRun) -> None:
    """Say what training, loss, gradient and learning rate are, beside the loss along one number of W_Q."""
    page.write(prose(TRAINING))
    along = loss_along_entry(settings.words, settings.d_k, NAMED[0], settings.seed, NUDGES)
    here = float(along.loss[len(NUDGES) // 2])
    chart = line_chart(
        NUDGES,
        {"loss": along.loss, "slope": here + along.slope * NUDGES},
        x_title="change of one parameter",
        y_title="loss",
        x_domain=(float(NUDGES[0]), float(NUDGES[-1])),
        name="loss along a number",
        sentence=f"One number of W_Q, with √d_k. At 0: loss {number(here, 3)}, slope {number(along.slope, 3)}.",
        here=0,
        number="",
        colours=(ATTENTION, SOFT),
        height=190,
    )
    page.show(chart)


def n_right(head: HeadTraining) -> int:
    """Return how many words attend most to the right word after the last step."""
    return sum(largest(row).places == (max(place - 1, 0),) for place, row in enumerate(head.weights[-1]))


def learns_question(run: HeadRun, variant: int) -> Choice:
    """Ask how the loss of the undivided head compares with that of the other."""
    run = run.asked(variant)
    text = prose(
        f"At d_k = {run.d_k} both heads take {N_STEPS} steps with learning rate {run.rate:g}. How large is the loss of "
        "the head that does **not** divide then?"
    )
    divided, undivided = (float(run.of(named).loss[-1]) for named in NAMED)
    gap = float(as_shown(as_shown(undivided) - as_shown(divided)))
    right = 1 if abs(gap) <= SAME else 2 if gap > 0 else 0
    options = ("Lower than the other loss", "About the same", "Higher than the other loss")
    why = f"After {N_STEPS} steps the loss is {number(divided)} with √d_k and {number(undivided)} without dividing."
    starts = [float(run.of(named).weights[0].max(axis=-1).mean()) for named in NAMED]
    mistake = START.format(*map(number, starts))
    return Choice.of("learns", text, options[right], why, dict.fromkeys(options, mistake if run.d_k > 1 else ALIKE))
