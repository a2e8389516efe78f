"""Why not plain numbers or one-hot vectors: what each code does to the words, and which positions it makes similar."""

from functools import partial

import numpy as np

from attention_core.arrays import Array
from attention_core.equations.positions import sinusoidal_positions
from attention_core.experiments.positions.position_similarity import (
    counted_positions,
    one_hot_positions,
    similarity_to,
    word_left,
)
from attention_core.text.word_vectors import word_vectors
from pages.charts.chart import Chart
from pages.charts.lines import line_chart
from pages.look.colours import ATTENTION, INK, NEGATIVE
from pages.look.facts import as_shown
from pages.look.html import number, prose
from pages.page.page import Page
from pages.page.steps import Step
from pages.positional_encoding.common import show_asked
from pages.positional_encoding.scene import PositionScene
from pages.questions.kinds import Choice

STEP = Step(
    "0, 1, 2",
    "Large numbers dominate the word",
    "A **position encoding** can add to each word x a vector p for its position. Positions are counted from 0, as in "
    "code. The simplest one adds the number of the position to each entry of the word.",
    asks="Why not add 0, 1, 2?",
    then="A one-hot vector, with a single 1, hardly changes the word, but then no position is similar to another. "
    "Waves are the next step.",
    experiment="from_place",
)

COUNTED, ONE_HOT, WAVES = "0, 1, 2 …", "one-hot", "waves"
COLOURS = {WAVES: ATTENTION, COUNTED: NEGATIVE, ONE_HOT: INK}
UPRIGHT = "The upright line is at the chosen position."
ZERO = " Numbers give position 0 a zero vector, whose cosine is undefined. It is shown as 0."
CLOSE, HALF, FAR = "above 0.6", "0.2 to 0.6", "below 0.2"
LOW = -0.25  # where an axis begins; at a few columns a cosine is lower


def draw(page: Page, scene: PositionScene) -> bool:
    """Compare three codes: how much of a word is left in the sum, and which positions they make similar."""
    run, length = page.recipe.run, scene.length
    page.recipe.given("words", scene.words)
    x = run("x", word_vectors, scene.words, scene.d_model, scene.seed)
    counted = run("counted", counted_positions, length, scene.d_model)
    kept = {COUNTED: run("left_with_numbers", word_left, x, counted)}
    variant = page.variant("drown")
    asked = asked_position(length, variant)
    question = page.question("drown", partial(drown_question, kept[COUNTED], scene.d_model))

    def beginning() -> None:
        shown = {COUNTED: np.where(np.arange(length) < min(asked, 2), kept[COUNTED], np.nan)}
        told = "The line goes on; the upright one is at the position of the question."
        page.head("How much of the word is left")
        page.show(chart("left of the word", shown, "cosine of x and x + p", told, asked))

    columns = page.ask_beside(question, beginning, lambda: show_asked(page, variant, from_place=asked), 2)
    if not columns:
        return False
    with page.fields:
        place = min(page.controls.integer("from_place", "Position", 0, 255, 9, width=150), length - 1)
    codes = {
        WAVES: run("waves", sinusoidal_positions, length, scene.d_model, scene.base),
        COUNTED: counted,
        ONE_HOT: run("one_hot", one_hot_positions, length, scene.d_model),
    }
    kept[WAVES] = run("left_with_waves", word_left, x, codes[WAVES])
    kept[ONE_HOT] = run("left_with_one_hot", word_left, x, codes[ONE_HOT])
    names = {WAVES: "near_with_waves", COUNTED: "near_with_numbers", ONE_HOT: "near_with_one_hot"}
    near = {code: run(names[code], similarity_to, rows, place) for code, rows in codes.items()}
    page.prints(f"mean cosine at {place}", kept[COUNTED], place)
    with columns[0]:
        page.head("How much of the word is left")
        page.show(chart("left of the word", kept, "mean cosine of x and x + p", UPRIGHT, place))
    with columns[1]:
        page.head(f"How similar position {place} is to the others")
        page.show(chart("similar positions", near, f"cosine with position {place}", UPRIGHT + ZERO, place))
    if length > scene.d_model:
        page.write("From position d_model on, one-hot has no column, so p is 0 there.", "note")
    return True


def chart(name: str, series: dict[str, Array], what: str, sentence: str, here: float) -> Chart:
    """Return one number of each code against the position."""
    shown = {code: series[code] for code in COLOURS if code in series}
    least = min(np.nanmin(line, initial=1.0) for line in shown.values())
    return line_chart(
        np.arange(len(series[COUNTED])),
        shown,
        x_title="position",
        y_title=what,
        y_domain=(LOW if least > LOW else -1.0, 1.0),
        colours=tuple(COLOURS[code] for code in shown),
        here=here,
        name=name,
        sentence=sentence,
        number="",
    )


def asked_position(length: int, variant: int) -> int:
    """Return the position that a variant of the question asks about: a late one, 1 or 2."""
    return (length - 1 - variant % max(1, length // 4), 1, 2)[variant % 3]


def range_of(cosine: float, digits: int = 2) -> str:
    shown = float(as_shown(cosine, digits))
    return CLOSE if shown > 0.6 else HALF if shown >= 0.2 else FAR


def drown_question(kept: Array, d_model: int, variant: int) -> Choice | None:
    """Ask how much of a word is left after the number of its position was added to each of its entries."""
    place = asked_position(len(kept), variant)
    cosine = float(kept[place])
    right = range_of(cosine)
    about = 1 / np.sqrt(1 + place**2)  # of entries around 0; the mean of a few entries can be far from it
    if right != range_of(about, 3):  # 0.196 of position 5 is below 0.2
        return None
    reasons = {
        CLOSE: "The entries of a word do not grow with the position, but the number that you add does.",
        HALF: "Compare the number with the entries, whose size is about 1. Equal sizes give a cosine of about 0.7.",
        FAR: "At this position the number is not much larger than the entries of the word.",
    }
    text = prose(
        f"A word has {d_model} entries, nearly all between −2 and 2. At position {place}, {place} is added to each. "
        "What is the cosine of the word and the sum? (It is 1 if they point in one direction.)"
    )
    large = "The larger the number, the more the sum points towards (1, 1, 1, …), whatever the word."
    why = f"It is {number(cosine)}. {reasons[FAR] if right == CLOSE else large}"
    return Choice.of("drown", text, right, why, reasons)
