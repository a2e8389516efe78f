"""The columns of the table as waves along the positions, each pair with its wavelength."""

import numpy as np

from attention_core.arrays import Array
from attention_core.equations.positions import sinusoidal_positions, wavelengths
from attention_core.experiments.positions.position_kinds import positions_between
from pages.charts.stacked_waves import waves
from pages.look.html import number, prose
from pages.page.page import Page
from pages.page.questions.kinds import Choice
from pages.page.steps import Step
from pages.positional_encoding.scene import Scene

STEP = Step(
    "waves",
    "Each pair has its own wavelength",
    "Each column is a wave along the positions. Two columns make a pair, the sine and the cosine of one angle. "
    "Each pair rotates at its own speed, like the hand of a clock.",
    asks="Which column oscillates fastest?",
    then="Columns further left are faster. Drag the base: which waves change?",
    words="waves_base",
)

LANES = 6
PARTS = 4  # of the way from one position to the next, so that the shortest wave is drawn with 25 points


def draw(page: Page, scene: Scene) -> bool:
    """Draw some columns as waves, each with its wavelength."""
    long = page.recipe.run("wavelengths_of_pairs", wavelengths, scene.d_model, scene.base)
    pairs = np.unique(np.geomspace(1, len(long), LANES).round().astype(int)) - 1  # more of the fast ones
    if not page.ask(wavelength_question(long, pairs, page.variant("wavelength"))):
        return False
    encoding = page.recipe.run("encoding", sinusoidal_positions, scene.length, scene.d_model, scene.base)
    lanes = [f"columns {2 * i + 1} and {2 * i + 2}: wavelength {number(long[i], 1)} positions" for i in pairs]
    finished = int((long <= scene.length - 1).sum())
    sentence = (
        f"{len(pairs)} of {len(long)} pairs: the sine filled, the cosine dashed. Wavelengths run from "
        f"{number(long[0], 1)} to "
        f"{number(long[-1], 1)} positions. In {scene.length} positions, {finished} of {len(long)} pairs complete "
        "a wave."
    )
    page.prints("longest wavelength, in positions", "wavelengths_of_pairs[-1]")
    fractional, between = positions_between(encoding, PARTS, scene.base)
    drawn = waves(
        np.arange(scene.length),
        encoding[:, 2 * pairs],
        lanes,
        name="waves",
        sentence=sentence,
        between=(fractional, between[:, 2 * pairs]),
        dashed=(encoding[:, 2 * pairs + 1], between[:, 2 * pairs + 1]),
    )
    page.show(drawn)
    return True


def wavelength_question(long: Array, drawn: Array, variant: int) -> Choice:
    """Ask which of four columns oscillates fastest, all of pairs that are drawn."""
    rng = np.random.default_rng([variant, 32])
    pairs = rng.choice(drawn, min(4, len(drawn)), replace=False)
    columns = [int(2 * pair + rng.integers(2)) for pair in pairs]
    best = int(np.argmin(long[pairs]))
    shown = [f"column {column + 1}" for column in columns]
    mistakes = [
        f"Its wavelength is {number(long[pair], 1)} positions. Columns further left are faster." for pair in pairs
    ]
    why = (
        f"Column {columns[best] + 1} has a wavelength of {number(long[pairs[best]], 1)} positions, the shortest of "
        "these. Pairs get slower from left to right."
    )
    text = prose(f"The table has {2 * len(long)} columns. Which of these oscillates fastest along the positions?")
    return Choice("wavelength", text, tuple(shown), (best,), why, tuple(mistakes))
