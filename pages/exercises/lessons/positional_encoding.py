"""Exercise at the end of the lesson on positions."""

import numpy as np

from attention_core import sinusoidal_positions
from attention_core.arrays import Array
from attention_core.experiments.qkv.wrong_on_purpose import positions_side_by_side, positions_with_raw_exponent
from attention_core.text.word_vectors import position_labels
from pages.exercises.exercise import Case, Exercise, Variant
from pages.exercises.lessons.parts import OWN
from pages.exercises.tasks import Blank, Lines, Prediction
from pages.look.html import inline, prose
from pages.page.questions.kinds import Choice, Mistake, Number


def sizes(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return lengths and even widths."""
    length, half = int(rng.integers(6, 12)), int(rng.integers(4, 7))
    pairs = ((4, 6), (7, 8), (length, 2 * half), (1, 4))
    return tuple(Case(f"{rows} positions, width {width}", (rows, width)) for rows, width in pairs)


def waves(
    length: int,
    d_model: int,
    *,
    first: int = 0,
    base: float = 10000.0,
    power: float = 2.0,
    sign: float = -1.0,
    even: np.ufunc = np.sin,
    odd: np.ufunc = np.cos,
    unit: float = 1.0,
) -> Array:
    """Return sinusoidal positions, a part of which can be exchanged."""
    pairs = np.arange(d_model) // 2
    angles = (first + np.arange(length))[:, None] * base ** (sign * power * pairs / d_model) * unit
    return np.where(np.arange(d_model) % 2, odd(angles), even(angles))


OWN_WIDTH = 8


def own_table(words: list[str], d_model: int, n_heads: int) -> Case:
    """Return the test on as many positions as a student's words have."""
    return Case(OWN, (len(words), OWN_WIDTH), rows=tuple(position_labels(words)))


POSITIONS = Exercise(
    id="positions",
    lesson="positional_encoding",
    title="Sinusoidal positions",
    signature="sinusoidal_positions(length, d_model)",
    points=15,
    prompt=(
        "Write `sinusoidal_positions(length, d_model)` for an even d_model. Return a row for each position t = 0, 1, … "
        "Counting from 0, column 2i is sin(t / 10000^(2i / d_model)), and column 2i + 1 the cosine of the same angle."
    ),
    starter="""import numpy as np


def sinusoidal_positions(length, d_model):
    positions = np.arange(length)
    pairs = np.arange(d_model // 2)
    # 1. an angle for each position and pair
    # 2. sines in the even columns, cosines in the odd ones
    return None
""",
    hints=(
        "There is one angle for each position and each pair. Make positions the rows and pairs the columns.",
        "To get the angle, divide the position by 10000 to the power of 2i / d_model.",
        "Make an array of zeros. Fill columns 0, 2, 4, … with sines, and columns 1, 3, 5, … with cosines.",
    ),
    about=(
        "one_based out_transposed",
        "raw_exponent no_two doubled width_outside times_speed base_1000 degrees",
        "halves sin_",
    ),
    solution="""import numpy as np


def sinusoidal_positions(length, d_model):
    positions = np.arange(length)
    pairs = np.arange(d_model // 2)
    angles = positions[:, None] / 10000.0 ** (2 * pairs / d_model)
    encoding = np.zeros((length, d_model))
    encoding[:, 0::2] = np.sin(angles)
    encoding[:, 1::2] = np.cos(angles)
    return encoding
""",
    step="table",
    reference=sinusoidal_positions,
    cases=sizes,
    variants=(
        Variant(("raw_exponent",), positions_with_raw_exponent),
        Variant(("halves",), positions_side_by_side),
        Variant(("sin_cos_swapped",), lambda n, d: waves(n, d, even=np.cos, odd=np.sin)),
        Variant(("sin_only",), lambda n, d: waves(n, d, odd=np.sin)),
        Variant(("no_two",), lambda n, d: waves(n, d, power=1.0)),
        Variant(("doubled",), lambda n, d: waves(n, d, power=4.0)),
        Variant(("width_outside",), lambda n, d: waves(n, d, power=2.0 * d, unit=d)),
        Variant(("width_outside",), lambda n, d: waves(n, d, power=2.0 * d, unit=1 / d)),
        Variant(("one_based",), lambda n, d: waves(n, d, first=1)),
        Variant(("times_speed",), lambda n, d: waves(n, d, sign=1.0)),
        Variant(("base_1000",), lambda n, d: waves(n, d, base=1000.0)),
        Variant(("degrees",), lambda n, d: waves(n, d, unit=np.pi / 180)),
        Variant(("out_transposed",), lambda n, d: sinusoidal_positions(n, d).T),
        Variant(("halves", "no_two"), lambda n, d: side_by_side(waves(n, d, power=1.0))),
    ),
    own=own_table,
)
EXERCISES = (POSITIONS,)


def side_by_side(encoding: Array) -> Array:
    """Return the even columns and then the odd ones."""
    return np.concatenate([encoding[:, 0::2], encoding[:, 1::2]], axis=-1)


ENCODING = sinusoidal_positions(4, 6)

TASKS = (
    Prediction(
        "positional_encoding",
        "positions",
        Number(
            "exercise_wave",
            prose("Counting from 0, what is the number in row 1, column 0 of the sinusoidal positions?"),
            float(ENCODING[1, 0]),
            0.01,
            prose("The first pair rotates by one radian per position, and sin(1) = 0.84."),
            (
                Mistake(0.0, "That is row 0. Row 1 is the second position."),
                Mistake(float(ENCODING[1, 1]), "That is the cosine, which is in column 1. Column 0 is the sine."),
                Mistake(float(np.sin(np.pi / 180)), "You took the sine of one degree. The angle is one radian."),
            ),
            "Pair 0 has the exponent 0, so its angle is the position itself, in radians.",
        ),
    ),
    Blank(
        "positional_encoding",
        "positions",
        Choice(
            "exercise_exponent",
            prose("Which exponent of 10,000 gives each pair its angles?"),
            ("2 * pairs / d_model", "pairs / d_model", "2 * d_model / (pairs + 1)", "2 * pairs"),
            (0,),
            prose("Pair i starts at column 2i, so its exponent is 2i / d_model."),
            (
                "",
                "This is half of the exponent, so the last pairs would rotate too fast.",
                "This falls from pair to pair, so the first pair would rotate most slowly.",
                inline("Without the division by d_model, the second pair hardly rotates at all."),
            ),
        ),
        """import numpy as np


def sinusoidal_positions(length, d_model):
    pairs = np.arange(d_model // 2)
    angles = np.arange(length)[:, None] / 10000.0 ** (____)
    encoding = np.zeros((length, d_model))
    encoding[:, 0::2] = np.sin(angles)
    encoding[:, 1::2] = np.cos(angles)
    return encoding
""",
    ),
    Lines(
        "positional_encoding",
        "positions",
        "exercise_wave_order",
        prose("Put the lines of sinusoidal positions in order."),
        (
            "def sinusoidal_positions(length, d_model):",
            "    speeds = 10000.0 ** (-np.arange(0, d_model, 2) / d_model)",
            "    angles = np.outer(np.arange(length), speeds)",
            "    waves = np.stack([np.sin(angles), np.cos(angles)], axis=-1)",
            "    return waves.reshape(length, d_model)",
        ),
        prose("Speeds, angles, then sines and cosines. In the last line they alternate."),
    ),
)
