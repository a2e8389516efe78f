"""The row of one word before training: how its weights collapse while d_k is dragged, and which divisor prevents it."""

import numpy as np
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.equations.softmax import softmax
from attention_core.experiments.scaling.random_scores import WIDTHS, divisor, scale_scores
from attention_core.experiments.scaling.untrained_row import row_over_widths
from pages.look import thumbnails
from pages.look.html import inline, number, prose, quoted
from pages.motion.bars import Panel, moving_bars
from pages.motion.sliders import Choice as Chosen
from pages.motion.sliders import Slider
from pages.page.page import Page
from pages.page.questions.kinds import Choice
from pages.page.steps import Step
from pages.scaling.scene import ASKS, DIVISORS, LABELS, NARROW, SENTENCE, Trials, division

STEP = Step(
    "one row",
    "What does a wider key do to a row?",
    "This is a row of attention weights before training: how much *it* attends to each word. Query and keys have d_k "
    "entries each. In real models d_k is often 64 or 128.",
    words="collapse_d_k collapse_divide",
)

EVERY = 8  # frames to the double of d_k
FRAMES = tuple(round(2 ** (step / EVERY)) for step in range(EVERY * (len(WIDTHS) - 1) + 1))  # what a drag passes
RESTS = tuple(range(0, len(FRAMES), EVERY))  # WIDTHS
FROM, TO = int(NARROW), WIDTHS[-1]  # of the question


def draw(page: Page, scene: Trials) -> bool:
    """Show the row, which moves with d_k once the student has said what will become of it."""
    controls, run = page.controls, page.recipe.run
    d_k = int(controls.place("collapse_d_k", "Key width d_k", tuple(map(str, WIDTHS)), NARROW))
    divide = controls.place("collapse_divide", "Divisor", tuple(DIVISORS), "none")
    page.head(f"Attention weights of “{SENTENCE[ASKS]}”")
    bars = page.main.container()
    answered = page.ask(row_question(scene.seed, page.variant("row")))
    if not answered:  # what the question starts from; the link may say what it ends with
        d_k, divide = FROM, "none"
    named = DIVISORS[divide]
    products = run("products", row_over_widths, SENTENCE, ASKS, (d_k,), scene.seed)  # (1, T)
    weights = run("weights", softmax, run("scores", scale_scores, products, divisor(named, d_k)))
    page.prints(f"largest weight of “{SENTENCE[ASKS]}”", weights, 0, int(weights[0].argmax()))
    with bars:
        told = "At d_k = {{at}}, {}: “{{word}}” has the largest weight, {{most}}."
        panels = [Panel("", frames(name, scene.seed), told.format(division(name))) for name in DIVISORS.values()]
        stops, at = [str(width) for width in FRAMES], RESTS[WIDTHS.index(d_k)]
        slider = Slider("collapse_d_k", "Key width d_k", stops, RESTS, at, disabled=not answered)
        at = tuple(DIVISORS).index(divide)
        choice = Chosen("collapse_divide", "Divisor", tuple(DIVISORS), at, disabled=not answered)
        moving_bars(page, "row", LABELS, panels, slider, choice)
    if answered:
        page.say(
            f"**Drag d_k to {TO}**, then try each divisor. Does the row collapse onto one word, become nearly uniform "
            f"(1 ÷ {len(SENTENCE)} = {number(1 / len(SENTENCE))} each), or neither?",
            "",
        )
    page.say(
        f"The vectors of words and positions and both matrices are random (seed {scene.seed}), as before training.",
        "note",
    )
    return answered


def thumbnail(scene: Trials) -> Markup:
    weights = softmax(scores_at("nothing", FROM, 895))
    return thumbnails.thumbnail(thumbnails.bars(list(weights / weights.max()), 10)[::-1].T, None)


def scores_at(named: str, d_k: int, seed: int) -> Array:
    """Return the scores of the row at one width."""
    return scale_scores(row_over_widths(SENTENCE, ASKS, (d_k,), seed)[0], divisor(named, d_k))


def frames(named: str, seed: int) -> Array:
    """Return the weights (F, T) at every d_k that a drag passes."""
    products = row_over_widths(SENTENCE, ASKS, FRAMES, seed)
    return softmax(products / np.array([[divisor(named, d_k)] for d_k in FRAMES]))


def row_question(seed: int, variant: int) -> Choice:
    """Ask what becomes of the row at the largest width, under one of the divisors."""
    named = tuple(DIVISORS.values())[(0, 2, 1)[variant % 3]]
    before, after = scores_at("nothing", FROM, seed), scores_at(named, TO, seed)
    now, then = softmax(before), softmax(after)
    how = "without dividing" if named == "nothing" else f"with the scores divided by {named}"
    text = prose(f"You will drag d_k from {FROM} to {TO}, {how}. **What will this row look like then?**")
    n_keys = len(SENTENCE)
    peak = np.zeros(n_keys)
    peak[now.argmax()] = 1
    shapes = (np.full(n_keys, 1 / n_keys), now, peak)
    far = [np.abs(np.sort(shape) - np.sort(then)).sum() for shape in shapes]
    right = int(np.argmin(far))
    most = int(then.argmax())
    why = (
        f"At d_k = {TO}, {division(named)}, {quoted(LABELS[most])} has the largest weight, "
        f"{number(then[most])}. Uniform weights would be {number(1 / n_keys)} each."
    )
    spread, lead = number(float(after.std())), number(float(np.diff(np.sort(after))[-1]))
    mistakes = [
        f"Uniform weights need equal scores. The scores behind this row have a standard deviation of {spread}.",
        f"The standard deviation of the scores behind this row changes from {number(float(before.std()))} to {spread}.",
        f"One word gets nearly all only if its score leads by several units. Here the highest score leads by {lead}.",
    ]
    pictures = tuple(
        thumbnails.thumbnail(thumbnails.bars(list(shape / max(shape.max(), 0.4)), 12)[::-1].T, None, 96)
        for shape in shapes
    )
    options = ("All words nearly equal", "Much as now", "One word gets nearly all")
    return Choice("row", text, options, (right,), inline(why), tuple(map(inline, mistakes)), pictures)
