"""Exercise of the lesson on positions."""

import numpy as np

from attention_core import rotate, sinusoidal_positions
from attention_core.arrays import Array
from attention_core.experiments.qkv.wrong_on_purpose import rotate_halves
from attention_core.text.word_vectors import position_labels, word_vectors
from pages.exercises.exercise import Case, Exercise, Variant
from pages.exercises.lessons.parts import OWN, normal
from pages.exercises.tasks import fill_in, predict, put_in_order
from pages.exercises.texts import TEXTS


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
        "exercise_wave", float(ENCODING[1, 0]), (0.0, float(ENCODING[1, 1]), float(np.sin(np.pi / 180))), step="waves"
    ),
    fill_in("exercise_exponent"),
    put_in_order("exercise_rope_order"),
)
