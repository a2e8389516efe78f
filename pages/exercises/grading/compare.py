"""Compare an output with the expected one: shape, first cell that differs, row sums."""

import numpy as np

from attention_core.arrays import Array
from pages.exercises.exercise import Case, Exercise
from pages.exercises.grading.report import Nested, Scalar, TestOutcome
from pages.exercises.runner.protocol import Large, Nothing, Other, Raised, Value

MOST_SIZES = 6
NEAR = 1e-6  # what rounding in single precision may cost, for numbers around one


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


def compare(exercise: Exercise, case: Case, value: Value, want: Array) -> TestOutcome:
    if not isinstance(value, np.ndarray):
        return without_numbers(case, value, want)
    if value.shape != want.shape:
        problem = f"The shape is {shown(value.shape)}, but should be {shown(want.shape)}."
        return TestOutcome(case.name, False, problem)
    if want.dtype == bool and value.dtype != bool:
        return TestOutcome(case.name, False, "Return an array of True and False.")
    wrong = find_differing(value, want)
    if not wrong.any():
        return TestOutcome(case.name, True)
    index = tuple(int(i) for i in np.argwhere(wrong)[0])
    first = (index, plain(value[index]), plain(want[index]))
    sums = row_sums(value) if exercise.weights else None
    problem = about(first, int(wrong.sum()), want, sums, exercise.weights)
    return TestOutcome(case.name, False, problem, first, sums)


def find_differing(value: Array, want: Array) -> Array:
    """Return the mask of cells outside the tolerance."""
    if want.dtype.kind in "bi":
        return value != want
    with np.errstate(all="ignore"):
        return ~(np.abs(value - want) <= NEAR + NEAR * np.abs(want))


def row_sums(value: Array) -> tuple[Scalar, ...] | None:
    """Return the row sums, or None if all are 1."""
    with np.errstate(all="ignore"):
        sums = value.sum(axis=-1)
    return None if np.allclose(sums, 1, atol=1e-6) else tuple(plain(total) for total in np.ravel(sums))


def about(
    first: tuple[tuple[int, ...], Scalar, Scalar],
    count: int,
    want: Array,
    sums: tuple[Scalar, ...] | None,
    weights: bool,
) -> str:
    """Return what is right, and the first cell that differs."""
    index, got, right = first
    if want.ndim == 0:
        return f"Your function returned {number(got)}, but {number(right)} was expected."
    good = "The shape is right"
    if weights:
        good += " and the rows sum to 1" if sums is None else ", but the rows do not sum to 1"
    differing = f"{count} of {want.size} {'cell differs' if count == 1 else 'cells differ'}"
    cell = f"{axes(index)} (counted from 0): yours {number(got)}, expected {number(right)}."
    found = f"{good}. {differing}. {cell}"
    return found if sums is None else f"{found} Your rows sum to {', '.join(map(number, sums[:MOST_SIZES]))}."


def axes(index: tuple[int, ...]) -> str:
    """Return where a cell is, in words."""
    words = {1: ("position",), 2: ("row", "column"), 3: ("head", "row", "column")}.get(
        len(index), ("index",) * len(index)
    )
    return ", ".join(f"{word} {i}" for word, i in zip(words, index, strict=True)).capitalize()


def without_numbers(case: Case, value: Value, want: Array) -> TestOutcome:
    """Return the outcome of a test whose value has no array to compare."""
    if isinstance(value, Raised):
        at = f" on line {value.line}" if value.line else ""
        problem = f"{value.type}{at}: {value.words}" if value.words else f"{value.type}{at}"
    elif isinstance(value, Nothing):
        problem = "Your function returned None: did you forget `return`?"
    elif isinstance(value, Large):
        problem = f"The shape is {shown(value.shape)}, but should be {shown(want.shape)}."
    elif isinstance(value, Other):
        meant = " Did you mean return instead of yield?" if value.type == "generator" else ""
        a = "an" if value.type[:1] in "aeio" else "a"
        problem = f"Your function returned {a} {value.type}, but should return an array.{meant}"
    else:
        problem = f"Your function returned {len(value)} thing{'s' * (len(value) != 1)}, but should return one array."
    return TestOutcome(case.name, False, problem)


def shown(shape: tuple[int, ...]) -> str:
    """Return a shape in words."""
    return sizes(shape) if shape else "a single number"


def sizes(shape: tuple[int, ...]) -> str:
    """Return the sizes of a shape, the first few of very many."""
    if len(shape) > MOST_SIZES:
        return f"{sizes(shape[:MOST_SIZES])} × … ({len(shape)} axes)"
    return " × ".join(map(str, shape))


def plain(value: np.generic | Array) -> Scalar:
    """Return a NumPy scalar as one of Python; a complex number as text."""
    found = value.item()
    return str(found) if isinstance(found, complex) else found


def number(value: Scalar) -> str:
    return (f"{value:.4g}" if isinstance(value, float) else str(value)).replace("-", "−")


def nested(array: Array) -> Nested | Scalar:
    return tuple(nested(part) for part in array) if array.ndim else plain(array[()])
