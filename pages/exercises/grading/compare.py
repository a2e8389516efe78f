"""Compare an output with the expected one: shape, first cell that differs, row sums."""

import numpy as np

from attention_core.arrays import Array
from pages.exercises.exercise import Case, Exercise
from pages.exercises.grading.report import Outcome
from pages.exercises.runner.protocol import NOTHING, Large, Other, Raised, Value

MOST_SIZES = 6
NEAR = 1e-6  # what rounding in single precision may cost, for numbers around one


def judge(exercise: Exercise, case: Case, value: Value) -> Outcome:
    """Return what one test came to."""
    want = expected(exercise, case)
    first, second = part_to_grade(exercise, value, want)
    return Outcome(case, first, second, want, *compare(exercise, first, want))


def expected(exercise: Exercise, case: Case) -> Array:
    right = exercise.reference(
        *(np.copy(given) if isinstance(given, np.ndarray) else given for given in case.arguments)
    )
    return np.asarray(right[0] if isinstance(right, tuple) else right)


def part_to_grade(exercise: Exercise, value: Value, want: Array) -> tuple[Value, Array | None]:
    """Return the array to grade, and the weights if they came with it."""
    if isinstance(value, list):
        arrays = [part for part in value if isinstance(part, np.ndarray)]
        if exercise.pair and len(value) == 2 and arrays:
            return value[0], value[1] if isinstance(value[1], np.ndarray) else None
        if arrays and len(arrays) == len(value) and {part.shape for part in arrays} == {want.shape[1:]}:
            return np.stack(arrays), None
    if exercise.pair and isinstance(value, np.ndarray) and value.shape == (2, *want.shape):
        return value[0], value[1]
    return value, None


def compare(exercise: Exercise, value: Value, want: Array) -> tuple[str, bool]:
    """Return what is wrong with a value, and whether its numbers alone are."""
    if not isinstance(value, np.ndarray):
        return without_numbers(value, want), False
    if value.shape != want.shape:
        return wrong_shape(value.shape, want), False
    if want.dtype == bool and value.dtype != bool:
        return "Return an array of True and False.", False
    wrong = find_differing(value, want)
    return (about(value, want, wrong, exercise.weights), True) if wrong.any() else ("", False)


def find_differing(value: Array, want: Array) -> Array:
    """Return the mask of cells outside the tolerance."""
    if want.dtype.kind in "bi":
        return value != want
    with np.errstate(all="ignore"):
        return ~(np.abs(value - want) <= NEAR + NEAR * np.abs(want))


def about(value: Array, want: Array, wrong: Array, are_weights: bool) -> str:
    """Return what is right, the first cell that differs, and the sums of rows that should be 1."""
    index = tuple(int(i) for i in np.argwhere(wrong)[0])
    got, right = number(value[index]), number(want[index])
    if want.ndim == 0:
        return f"Your function returned {got}, but {right} was expected."
    good, sums = "The shape is right", ""
    if are_weights:
        with np.errstate(all="ignore"):
            totals = value.sum(axis=-1)
            are_one = np.allclose(totals, 1, atol=NEAR)
        good += " and the rows sum to 1" if are_one else ", but the rows do not sum to 1"
        sums = "" if are_one else f" Your rows sum to {', '.join(map(number, np.ravel(totals)[:MOST_SIZES]))}."
    count = int(wrong.sum())
    differing = f"{count} of {want.size} {'cell differs' if count == 1 else 'cells differ'}"
    return f"{good}. {differing}. {axes(index)} (counted from 0): yours {got}, expected {right}.{sums}"


def axes(index: tuple[int, ...]) -> str:
    words = {1: ("position",), 2: ("row", "column"), 3: ("head", "row", "column")}.get(
        len(index), ("index",) * len(index)
    )
    return ", ".join(f"{word} {i}" for word, i in zip(words, index, strict=True)).capitalize()


def without_numbers(value: Value, want: Array) -> str:
    """Return what is wrong with a value that is no array to compare."""
    if isinstance(value, Raised):
        at = f" on line {value.line}" if value.line else ""
        return f"{value.type}{at}: {value.words}" if value.words else f"{value.type}{at}"
    if isinstance(value, Large):
        return wrong_shape(value.shape, want)
    if value == NOTHING:
        return "Your function returned None: did you forget `return`?"
    if isinstance(value, Other):
        meant = " Did you mean return instead of yield?" if value.type == "generator" else ""
        a = "an" if value.type[:1] in "aeio" else "a"
        return f"Your function returned {a} {value.type}, but should return an array.{meant}"
    return f"Your function returned {len(value)} thing{'s' * (len(value) != 1)}, but should return one array."


def wrong_shape(shape: tuple[int, ...], want: Array) -> str:
    return f"The shape is {shown(shape)}, but should be {shown(want.shape)}."


def shown(shape: tuple[int, ...]) -> str:
    return sizes(shape) if shape else "a single number"


def sizes(shape: tuple[int, ...]) -> str:
    """Return the sizes of a shape, the first few of very many."""
    if len(shape) > MOST_SIZES:
        return f"{sizes(shape[:MOST_SIZES])} × … (of {len(shape)} axes)"
    return " × ".join(map(str, shape))


def number(value: np.generic | Array) -> str:
    found = value.item()
    return (f"{found:.4g}" if isinstance(found, float) else str(found)).replace("-", "−")
