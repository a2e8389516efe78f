"""Exercise of the lesson on positions."""

import numpy as np

from attention_core import rotate, sinusoidal_positions
from attention_core.arrays import Array
from attention_core.experiments.qkv.wrong_on_purpose import rotate_halves
from attention_core.text.word_vectors import position_labels, word_vectors
from pages.exercises.exercise import Case, Exercise, Variant
from pages.exercises.lessons.parts import OWN, normal
from pages.exercises.tasks import Lines, fill_in, predict
from pages.exercises.texts import TEXTS
from pages.look.html import inline, prose
from pages.questions.kinds import Mistake


def matrices(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return queries of different numbers and even widths."""
    sizes = ((4, 6), (7, 8), (int(rng.integers(6, 12)), 2 * int(rng.integers(4, 7))), (1, 4))
    return tuple(
        Case(f"{rows} position{'s' * (rows > 1)}, width {width}", (normal(rng, rows, width),)) for rows, width in sizes
    )


def rope(
    x: Array,
    *,
    first: int = 0,
    base: float = 10000.0,
    power: float = 2.0,
    sign: float = -1.0,
    unit: float = 1.0,
    columns: bool = False,
    signs: tuple[int, int] = (-1, 1),
    swapped: bool = False,
    overwritten: bool = False,
) -> Array:
    """Return x with each pair rotated by its position, a part of which can be exchanged."""
    length, width = x.shape
    counted = np.arange(width) if columns else np.arange(width) // 2
    angles = (first + np.arange(length))[:, None] * base ** (sign * power * counted / width) * unit
    cosines, sines = (np.sin(angles), np.cos(angles)) if swapped else (np.cos(angles), np.sin(angles))
    out = np.array(x, dtype=float)
    out[:, 0::2] = x[:, 0::2] * cosines[:, 0::2] + signs[0] * x[:, 1::2] * sines[:, 0::2]
    left = out if overwritten else x
    out[:, 1::2] = x[:, 1::2] * cosines[:, 1::2] + signs[1] * left[:, 0::2] * sines[:, 1::2]
    return out


def own_vectors(words: list[str], d_model: int, n_heads: int) -> Case:
    """Return the test on the vectors of a student's words."""
    return Case(OWN, (word_vectors(words, 8).round(3),), rows=tuple(position_labels(words)))


ROPE = Exercise(
    **TEXTS["rope"],
    reference=rotate,
    cases=matrices,
    variants=(
        Variant(("halves",), rotate_halves),
        Variant(("rope_backwards",), lambda x: rope(x, signs=(1, -1))),
        Variant(("rope_signs",), lambda x: rope(x, signs=(1, 1))),
        Variant(("rope_signs",), lambda x: rope(x, signs=(-1, -1))),
        Variant(("rope_overwritten",), lambda x: rope(x, overwritten=True)),
        Variant(("rope_added",), lambda x: x + sinusoidal_positions(*x.shape)),
        Variant(("rope_one_speed",), lambda x: rope(x, power=0.0)),
        Variant(("sin_cos_swapped",), lambda x: rope(x, swapped=True)),
        Variant(("raw_exponent",), lambda x: rope(x, columns=True)),
        Variant(("no_two",), lambda x: rope(x, power=1.0)),
        Variant(("doubled",), lambda x: rope(x, power=4.0)),
        Variant(("width_outside",), lambda x: rope(x, power=2.0 * x.shape[1], unit=x.shape[1])),
        Variant(("width_outside",), lambda x: rope(x, power=2.0 * x.shape[1], unit=1 / x.shape[1])),
        Variant(("one_based",), lambda x: rope(x, first=1)),
        Variant(("times_speed",), lambda x: rope(x, sign=1.0)),
        Variant(("base_1000",), lambda x: rope(x, base=1000.0)),
        Variant(("degrees",), lambda x: rope(x, unit=np.pi / 180)),
        Variant(("out_transposed",), lambda x: rotate(x).T),
        Variant(("rope_backwards", "no_two"), lambda x: rope(x, signs=(1, -1), power=1.0)),
    ),
    own=own_vectors,
)
EXERCISES = (ROPE,)

ENCODING = sinusoidal_positions(4, 6)

TASKS = (
    predict(
        "rope",
        "exercise_wave",
        "Counting from 0, what is the number in row 1, column 0 of the sinusoidal positions?",
        float(ENCODING[1, 0]),
        "The first pair rotates by one radian per position, and sin(1) = 0.84.",
        (
            Mistake(0.0, "That is row 0. Row 1 is the second position."),
            Mistake(float(ENCODING[1, 1]), "That is the cosine, which is in column 1. Column 0 is the sine."),
            Mistake(float(np.sin(np.pi / 180)), "That is the sine of one degree. The angle is one radian."),
        ),
        "Pair 0 has the exponent 0, so its angle is the position itself, in radians.",
        step="waves",
    ),
    fill_in(
        ROPE,
        "exercise_exponent",
        "Which exponent of 10,000 gives each pair its angles, in sinusoids and in RoPE?",
        "2 * pairs / width",
        "Pair i starts at column 2i, so its exponent is 2i ÷ width.",
        {
            "pairs / width": "This is half of the exponent, so the last pairs would rotate too fast.",
            "2 * width / (pairs + 1)": "This falls from pair to pair, so the first pair would rotate most slowly.",
            "2 * pairs": inline("Without the division by the width, the second pair hardly rotates at all."),
        },
    ),
    Lines(
        "rope",
        "exercise_rope_order",
        prose("RoPE can rotate a pair as one complex number. Put the lines in order."),
        (
            "def rope(x):",
            "    speeds = 10000.0 ** (-np.arange(0, x.shape[1], 2) / x.shape[1])",
            "    angles = np.outer(np.arange(len(x)), speeds)",
            "    rotated = (x[:, 0::2] + 1j * x[:, 1::2]) * np.exp(1j * angles)",
            "    return np.stack([rotated.real, rotated.imag], axis=-1).reshape(x.shape)",
        ),
        prose("Speeds, angles, the rotation, and then both parts of each number side by side again."),
    ),
)
