"""The likely mistake, found by computing: which known-wrong variant gives exactly what the student's function gave?

No match means no diagnosis: nothing is guessed. Only failed runs are asked about.
"""

from collections.abc import Sequence

import numpy as np

from attention_core.arrays import Array
from pages.exercises.exercise import Exercise, Variant
from pages.exercises.grading.exceptions import FLOAT, Clash, clash, lost_axis
from pages.exercises.grading.report import Outcome
from pages.exercises.runner.protocol import NOTHING, Large, Other, Raised, Value

SHIFTS = {"shift_all", "shift_axis0"}  # a maximum is subtracted, but not that of the row
ROUNDED = 0.02  # nearer than this, something was rounded


def diagnose(exercise: Exercise, played: Sequence[Outcome], repeated: list[Outcome]) -> tuple[str, ...]:
    """Return the ids of the mistakes, the simplest explanation first; nothing where none fits.

    `repeated` are the same tests once more, where an exercise runs them twice.
    """
    ordinary = [test for test in played if not test.case.large]
    wrong = [test for test in ordinary if not same(test.value, test.want)]
    found: tuple[str, ...] = ()
    with np.errstate(all="ignore"):
        if wrong:
            found = (
                find_swap(ordinary)
                or find_random(played, repeated)
                or first_fitting(exercise.variants, ordinary)
                or plain_fact(ordinary, wrong)
            )
        if not unstable(played, ordinary):
            return found
        ids = first_fitting(exercise.variants, played)  # a wrong maximum may tell all that went wrong
        return ids if ids and set(ids) <= SHIFTS else (*found, "unstable")


def find_swap(ordinary: list[Outcome]) -> tuple[str, ...]:
    """Return whether the right answer came second each time."""
    right = all(test.second is not None and same(test.second, test.want) for test in ordinary)
    return ("pair_swapped",) if right else ()


def find_random(played: Sequence[Outcome], repeated: list[Outcome]) -> tuple[str, ...]:
    values = [(first.value, again.value) for first, again in zip(played, repeated, strict=False)]
    differ = any(isinstance(again, np.ndarray) and not same(first, again) for first, again in values)
    return ("own_random",) if differ else ()


def first_fitting(variants: tuple[Variant, ...], ordinary: Sequence[Outcome]) -> tuple[str, ...]:
    """Return the mistakes of the first variant that reproduces every ordinary test."""
    clashes = [clash(test.value.words) if isinstance(test.value, Raised) else None for test in ordinary]
    for variant in variants:  # up to a thousand, so what a student's exceptions say is read before
        if fits(variant, ordinary, clashes):
            return variant.ids
    return ()


def fits(variant: Variant, ordinary: Sequence[Outcome], clashes: list[Clash | None]) -> bool:
    """Tell whether a variant gives what the student's function gave, and something wrong at least once.

    Where it fails because sizes do not go together, the student's function did too, over the same sizes.
    """
    telling = over_sizes = otherwise = False
    for test, theirs in zip(ordinary, clashes, strict=True):
        try:
            output = np.asarray(variant.function(*test.case.arguments))
        except (ValueError, IndexError) as error:
            if not isinstance(test.value, Raised):
                return False
            ours = clash(str(error))
            if ours and theirs and ours.kind == theirs.kind:  # another operation may complain of other sizes
                if ours != theirs:
                    return False
                over_sizes = True
            else:
                otherwise = True
            continue
        if not same(test.value, output):
            return False
        telling = telling or (not same(output, test.want) and not np.isnan(output).all())
    return telling or (over_sizes and not otherwise and len(variant.ids) == 1)


def same(value: Value, other: Array) -> bool:
    """Tell whether two outputs are the same, NaNs included."""
    if (
        not isinstance(value, np.ndarray)
        or value.shape != other.shape
        or (value.dtype == bool) != (other.dtype == bool)
    ):
        return False
    if value.dtype == bool:
        return bool((value == other).all())
    return bool(np.allclose(value, other, rtol=1e-5, atol=1e-6, equal_nan=True))


def plain_fact(ordinary: list[Outcome], wrong: list[Outcome]) -> tuple[str, ...]:
    """Return what is plain to see without comparing with variants."""
    if all(isinstance(test.value, Other) and test.value == NOTHING for test in ordinary):
        return ("none",)
    raised = [test.value for test in wrong if isinstance(test.value, Raised)]
    if raised and lost_axis(raised[0]):
        return ("no_keepdims",)
    if raised and FLOAT.search(raised[0].words):
        return ("float_size",)
    arrays = [(test.value, test.want) for test in wrong if isinstance(test.value, np.ndarray | Large)]
    if len(arrays) < len(wrong):
        return ()
    if any(isinstance(value, Large) or value.shape != want.shape for value, want in arrays):
        return ("shape",)
    if any(np.isnan(value).any() for value, _ in arrays):
        return ("nan",)
    if all(want.dtype.kind == "f" and np.abs(value - want).max() <= ROUNDED for value, want in arrays):
        return ("close",)
    return ()


def unstable(played: Sequence[Outcome], ordinary: list[Outcome]) -> bool:
    """Return whether large numbers alone bring NaN or infinity; that goes with any other mistake."""
    large = [test.value for test in played if test.case.large and isinstance(test.value, np.ndarray)]
    others = [test.value for test in ordinary if isinstance(test.value, np.ndarray)]
    bad = any(not np.isfinite(value).all() for value in large)
    if large and all(test.want.ndim == 0 and same(test.value, test.want) for test in ordinary):
        bad = True  # the id of a token shows no NaN
    return bad and all(np.isfinite(value).all() for value in others)
