"""Beyond the longest trained position: models trained on short texts read longer ones."""

import numpy as np
import streamlit as st

from attention_core.arrays import Array
from attention_core.experiments.positions.beyond import LONG, READ, RUNS, TRAINED, losses_beyond, window_means
from attention_core.text.small_english import WORDS
from pages.charts.lines import line_chart
from pages.look.colours import ATTENTION, HEADS, INK, KEY, SOFT
from pages.look.facts import largest, smallest
from pages.look.html import number, prose
from pages.page.page import Page
from pages.page.steps import Step
from pages.positional_encoding.scene import PositionScene
from pages.questions.kinds import Choice
from pages.reproduce.recipe import Short

STEP = Step(
    "longer texts",
    "Beyond trained positions, ALiBi fails least",
    f"Models of one size, one for each encoding, were trained on texts of {TRAINED} words and read up to {READ}. A "
    "**learned** table has a vector for each position. **ALiBi** subtracts a penalty from each score that grows with "
    "the distance. *none* has just the causal mask. The **loss** says how badly a model predicts the next word.",
    asks="What happens beyond the longest trained position?",
    then="RoPE still works at a few more positions, then it meets offsets that it never met in training. So models "
    "for long texts are trained further on long texts, with slower rotations.",
    experiment="read",
)

WINDOW = 4  # positions that share a point
ASKED_KINDS = ("ALiBi", "RoPE", "learned", "sinusoidal")
COLOURS = {"sinusoidal": HEADS[1], "learned": KEY, "RoPE": ATTENTION, "none": SOFT, "ALiBi": HEADS[2], LONG: INK}
TOP = 9.0  # of the axis


def draw(page: Page, _: PositionScene) -> bool:
    """Show the loss at each position, and once the best encoding was asked for, beyond the trained ones."""
    run, found = page.recipe.run, losses_beyond()
    lines = {}
    for kind in COLOURS:
        name = kind.lower().replace(", ", "_")
        short = Short(f"losses_beyond()[{kind!r}]", losses_beyond)
        losses = page.recipe.given(f"{name}_losses", found[kind], short)
        lines[kind] = run(name, window_means, losses, WINDOW)
    place, slot = st.container(), st.container()
    answered = page.ask(page.question("beyond", lambda variant: best_question(found, variant)))
    read = TRAINED
    if answered:
        page.tell_on()
        with slot:
            read = page.controls.slider("read", "Positions read", TRAINED, READ, READ, WINDOW, width=320)
    at = np.arange(READ / WINDOW) * WINDOW + (WINDOW - 1) / 2
    seen = at < read
    page.prints("loss with RoPE", f"rope.mean(axis=0)[{int(seen.sum()) - 1}]")
    means = {kind: np.where(seen, losses.mean(axis=0), np.nan) for kind, losses in lines.items()}
    band = {
        kind: (np.where(seen, losses.min(axis=0), np.nan), np.where(seen, losses.max(axis=0), np.nan))
        for kind, losses in lines.items()
    }
    chart = line_chart(
        at,
        means,
        band=band,
        x_title="position",
        y_title="loss",
        x_domain=(0.0, READ - 1.0),
        y_domain=(0.0, TOP),
        colours=tuple(COLOURS.values()),
        here=TRAINED - 0.5,
        height=285,
        name="loss by position",
        sentence="Each point is a mean over some positions.",
        number="",
    )
    note = (
        f"Mean of {len(RUNS)} runs, the band from the lowest to the highest. The upright line is the end of the "
        f"training texts; “{LONG}” had texts of {READ} words. Guessing has a loss of {number(np.log(len(WORDS)))}."
    )
    with place:
        page.show(chart, note=note)
    return answered


def best_question(found: dict[str, Array], variant: int) -> Choice:
    """Ask which encoding is best beyond the trained positions, or which is worst."""
    after = {kind: float(found[kind][:, TRAINED:].mean()) for kind in ASKED_KINDS}
    worst = variant % 2
    right = ASKED_KINDS[(largest if worst else smallest)(list(after.values())).first]
    why = {
        "learned": "Rows of its table beyond position 15 are as random as before training",
        "sinusoidal": "Its vectors exist at each position, but the model never met those beyond 15",
        "RoPE": "It reads the first positions beyond well, but not the offsets that it never met",
        "ALiBi": "Scores of distant words fall further, and near words are read as in training",
    }
    said = {kind: f"{why[kind]}: its mean loss there is {number(after[kind])}." for kind in ASKED_KINDS}
    text = prose(
        f"Of these four models, all trained on positions 0 to {TRAINED - 1}, which predicts "
        f"**{'worst' if worst else 'best'}** at positions {TRAINED} to {READ - 1}?"
    )
    return Choice.of("beyond", text, right, said[right], said, [variant, 37])
