"""The columns of the table as waves along the positions, each pair with its length."""

import numpy as np
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.equations.positions import sinusoidal_positions, wavelengths
from pages.charts.stacked_waves import waves
from pages.look import thumbnails
from pages.look.html import number, prose
from pages.page.page import Page
from pages.page.questions import Choice
from pages.page.steps import Step
from pages.positional_encoding.common import SMALL, SMALL_BASE
from pages.positional_encoding.scene import Scene

STEP = Step(
    "waves",
    "Each pair has its own wavelength",
    "Down each column runs a wave. Two columns make a pair, the sine and the cosine of one angle, and every pair "
    "turns at its own speed, like a hand of a clock. Drag the base: where does it act, and where not?",
)

LANES = 6


def draw(page: Page, scene: Scene) -> bool:
    """Draw some columns as waves, each with its length in positions."""
    long = page.recipe.run("lengths_of_waves", wavelengths, scene.d_model, scene.base)
    if not page.ask(wavelength_question(long, page.variant("wavelength"))):
        return False
    encoding = page.recipe.run("encoding", sinusoidal_positions, scene.length, scene.d_model, scene.base)
    pairs = np.unique(np.geomspace(1, len(long), LANES).round().astype(int)) - 1  # more of the fast ones
    lanes = [f"columns {2 * i + 1} and {2 * i + 2}: round after {number(long[i], 1)} positions" for i in pairs]
    finished = int((long <= scene.length - 1).sum())
    sentence = (
        f"The sines of {len(pairs)} of {len(long)} pairs. The first comes round after {number(long[0], 1)} positions, "
        f"the last after {number(long[-1], 1)}; {finished} pairs do within these {scene.length} positions."
    )
    page.show(waves(np.arange(scene.length), encoding[:, 2 * pairs], lanes, name="waves", sentence=sentence))
    return True


def thumbnail(scene: Scene) -> Markup:
    """Return the small picture of the step."""
    return thumbnails.thumbnail(sinusoidal_positions(SMALL, SMALL, SMALL_BASE)[:, [0, 4, 8]].T, 1.0)


def wavelength_question(long: Array, variant: int) -> Choice:
    """Ask which of four columns swings fastest."""
    rng = np.random.default_rng([variant, 32])
    pairs = rng.choice(len(long), min(4, len(long)), replace=False)
    columns = [int(2 * pair + rng.integers(2)) for pair in pairs]
    best = int(np.argmin(long[pairs]))
    shown = [f"column {column + 1}" for column in columns]
    mistakes = [
        "" if i == best else f"It comes round after {number(long[pair], 1)} positions." for i, pair in enumerate(pairs)
    ]
    why = (
        f"Column {columns[best] + 1} comes round after {number(long[pairs[best]], 1)} positions, sooner than the "
        "others: the first columns are the fast ones, and each later pair is slower."
    )
    text = prose(f"The table has {2 * len(long)} columns. Which of these swings fastest along the positions?")
    return Choice("wavelength", text, tuple(shown), (best,), why, tuple(mistakes))
