"""One training step of one head on three words, number by number: forward, every slope back, and the update."""

from collections.abc import Sequence
from functools import cache, partial

import numpy as np
import streamlit as st

from attention_core.arrays import Array
from attention_core.experiments.language import one_step as walk
from pages.look.facts import ordered, tell_change
from pages.look.html import number, prose
from pages.motion.causes import Cause, Grid, draw_causes
from pages.page.page import Page
from pages.page.steps import Step
from pages.questions.kinds import Choice
from pages.tiny_lm.texts import TEXTS

STEP = Step(
    "gradient",
    "The gradient points uphill, so step the other way",
    "Under each number stands its slope: how fast the loss rises with it. Those of parameters are the **gradient**. "
    "**Backpropagation** computes them from the last number to the first. Press one.",
    asks="What does the gradient say of a parameter?",
    words="eta",
)

SEED, TEXT = 5, ("the", "cat", "sat", "down")
POWERS = range(-6, 6)
ETAS = [f"1/{2**-power}" if power < 0 else str(2**power) for power in POWERS]
TITLES = TEXTS["matrices"]
TO_WORDS = {"scores": TEXT[:-1], "weights": TEXT[:-1], "w_u": TEXT, "logits": TEXT, "probabilities": TEXT}
GOES, STAYS = "The loss goes from {before} to **{after}**.", "The loss stays at **{after}**."
ADAMW = "AdamW averages gradients, rescales each step, and shrinks matrices, so a parameter may move uphill."
ASKED = "The framed number of {name} is {value}, its slope {slope}. Which way does plain *gradient descent* move it?"
WHY = "A step of plain gradient descent subtracts η times the slope, {slope}."
UPHILL, FLAT = "You moved it {}, but it must go against its slope.", "A slope of 0 gives no direction."


@cache
def walked() -> tuple[walk.OneStep, dict[walk.Entry, float]]:
    """Return the step, and the finite difference of each of its numbers."""
    given = walk.initial_numbers(SEED)
    found = walk.one_step(given)
    cells = [(name, int(i), int(j)) for name in TITLES for i, j in np.ndindex(found.values[name].shape)]
    return found, {cell: walk.finite_difference(given, cell) for cell in cells}


def draw(page: Page, scene: object) -> bool:
    """Ask which way a parameter moves; then draw the update of a step of any size, and the walk."""
    given = page.recipe.run("given", walk.initial_numbers, SEED)
    found: walk.OneStep = page.recipe.run("found", walk.one_step, given)
    question = page.question("direction", partial(direction_question, found))
    chosen = steepest(found, page.variant("direction"))
    if not page.ask(question):
        draw_walk(page, chosen)
        return False
    left, right = st.columns(2, gap="large", vertical_alignment="center")  # where the question was: no table jumps
    with left:
        eta = page.controls.dial("eta", "Step size η", ETAS, "1")
    after = page.recipe.run("after", walk.after_step, given, found.slopes, 2.0 ** POWERS[ETAS.index(eta)])
    page.prints(f"loss after a step with η = {eta}", after)
    with right:
        page.say(tell_change(found.loss, after, falls=GOES, stays=STAYS, rises=GOES), "")
        page.write(ADAMW, "note")
    draw_walk(page, chosen, eta)
    return True


def draw_walk(page: Page, chosen: walk.Entry, eta: str = "") -> None:
    """Draw every number with its slope and their causes; with a step size, what becomes of each parameter too."""
    found, differences = walked()
    grids = [
        Grid(name, title, found.values[name], found.slopes[name], *labels_of(name)) for name, title in TITLES.items()
    ]
    draw_causes(page, grids, {cell: cause_of(cell, eta) for cell in differences}, chosen)


def labels_of(name: str) -> tuple[Sequence[str], Sequence[str]]:
    """Return the words beside the rows of a matrix, and those above its columns."""
    return () if name in walk.PARAMETERS else TEXT[:-1], TO_WORDS.get(name, ())


def cause_of(cell: walk.Entry, eta: str) -> Cause:
    """Return what is told of a number and its slope, and of which numbers and slopes they are made."""
    found, differences = walked()
    name, row, column = cell
    value, slope = found.values[name][row, column], found.slopes[name][row, column]
    made, from_values = value_of(found, cell)
    passed, beside, from_slopes = slope_of(found, cell)
    difference = number(differences[cell], 3)
    rows, columns = labels_of(name)
    across = f"“{rows[row]}”" if rows else f"row {row + 1}"
    down = f"“{columns[column]}”" if columns else f"column {column + 1}"
    told = [
        f"{TITLES[name].partition(' =')[0].partition(':')[0]}, {across}, {down}: {made} = {number(value)}",
        f"Slope: {passed} = {number(slope, 3)}",
        f"Checked by a finite difference, the loss with this number a little larger and smaller: {difference}",
    ]
    if eta and name in walk.PARAMETERS:
        moved = value - 2.0 ** POWERS[ETAS.index(eta)] * slope
        told.append(f"Update: {number(value)} − {eta} × {number(slope, 3)} = {number(moved, 3)}")
    return Cause(told, [*from_values, *beside], from_slopes)


def value_of(found: walk.OneStep, cell: walk.Entry) -> tuple[str, list[walk.Entry]]:
    """Return how a number was computed, and from which."""
    name, row, column = cell
    if terms := walk.factors(found.values, cell):
        said = products([(at(found.values, one, 2), at(found.values, other, 2)) for one, other in terms])
        return scaled(said, name == "scores"), [one for pair in terms for one in pair]
    for before, after in walk.SOFTMAXES.items():
        if name == after:
            seen = open_row(before, row)
            if column not in seen:
                return "the mask blocks this key", []
            powers = {place: f"exp({at(found.values, (before, row, place), 2)})" for place in seen}
            return f"{powers[column]} ÷ ({' + '.join(powers.values())})", [(before, row, place) for place in seen]
    return "random, as before training" if name in walk.PARAMETERS else "given", []


def slope_of(found: walk.OneStep, cell: walk.Entry) -> tuple[str, list[walk.Entry], list[walk.Entry]]:
    """Return how a slope was computed, from which numbers, and from which slopes."""
    name, row, column = cell
    if name == "probabilities":
        if column != walk.TARGETS[row]:
            return "the loss does not read it: it is no target", [], []
        return f"of the mean of 3 losses −log p: −1 ÷ (3 × {at(found.values, cell, 2)})", [cell], []
    if after := walk.SOFTMAXES.get(name):
        if column not in (seen := open_row(name, row)):
            return "the mask blocks this score, so nothing depends on it", [], []
        cells = [(after, row, place) for place in seen]
        own, mean = (after, row, column), [(at(found.values, one, 2), at(found.slopes, one)) for one in cells]
        said = f"{at(found.values, own, 2)} × ({at(found.slopes, own)} − ({products(mean)}))"
        return said, cells, cells
    terms = walk.passed_on(found.values, cell)
    said = products([(at(found.slopes, out), at(found.values, other, 2)) for out, other in terms])
    return scaled(said, name in walk.PRODUCTS["scores"]), [other for _, other in terms], [out for out, _ in terms]


def at(numbers: dict[str, Array], cell: walk.Entry, digits: int = 3) -> str:
    return number(float(numbers[cell[0]][cell[1:]]), digits)


def products(terms: list[tuple[str, str]]) -> str:
    return " + ".join(f"{one} × {other}" for one, other in terms)


def scaled(said: str, by_width: bool) -> str:
    return f"({said}) ÷ √2" if by_width else said


def open_row(name: str, row: int) -> list[int]:
    """Return the places of a row that softmax reads: of the scores, those that the mask leaves."""
    return [int(place) for place in np.flatnonzero(walk.MASK[row] == 0)] if name == "scores" else [*range(len(TEXT))]


def steepest(found: walk.OneStep, variant: int) -> walk.Entry:
    """Return a parameter with a large slope: of another matrix with each variant."""
    name = [*walk.PARAMETERS][variant % len(walk.PARAMETERS)]
    row, column = divmod(ordered(found.slopes[name].ravel() ** 2, 4)[0], found.slopes[name].shape[1])
    return name, row, column


def direction_question(found: walk.OneStep, variant: int) -> Choice:
    """Ask which way a parameter moves, by the sign of its slope."""
    cell = steepest(found, variant)
    value, slope = (float(numbers[cell[0]][cell[1:]]) for numbers in (found.values, found.slopes))
    wrong = {
        "up": UPHILL.format("up") if slope else FLAT,
        "down": UPHILL.format("down") if slope else FLAT,
        "towards 0, whatever its slope": "You used weight decay, a part of AdamW. Plain gradient descent has none.",
        "not at all": "You left it in place, but its slope is not 0.",
    }
    right = "down" if slope > 0 else "up" if slope < 0 else "not at all"
    shown = {"value": number(value), "slope": number(slope, 3)}
    return Choice.of(
        "direction", prose(ASKED.format(name=TITLES[cell[0]], **shown)), right, WHY.format(**shown), wrong, variant
    )
