"""Facts: what may be said, asked, drawn or outlined of numbers, decided once, on the numbers as they are shown.

Each number counts with the digits of its place, and where that leaves a tie, position decides which comes first. So no
sentence calls one of two equal numbers the largest, and no processor's last bit chooses a word.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention_core.arrays import Array
from pages.look.html import UP, number, quoted

ROUNDING = 1e-9  # of the numbers compared: less is the rounding of the computer, and no change
NAMED = 3  # of several that are equal, so many are named

Kind = Literal["none", "one", "several", "all"]
Change = Literal["falls", "stays", "rises"]


def as_shown(values: ArrayLike, digits: int = 2) -> Array:
    """Return numbers as `number` writes them, so that two are equal if they look equal."""
    exact = np.asarray(values, float)
    return np.round(np.where(np.abs(exact) < 10.0 ** (11 - digits), exact * UP, exact), digits) + 0.0


class Which(NamedTuple):
    """Which of some numbers are the largest, or smallest, or furthest from zero, as they are shown."""

    kind: Kind  # none: there is no number, or all are shown as 0
    places: tuple[int, ...]  # in the flat array
    value: float
    digits: int
    shape: tuple[int, ...]

    @property
    def first(self) -> int:
        return self.places[0]

    @property
    def cell(self) -> tuple[int, ...]:
        """The first one, as a place in the array."""
        return tuple(map(int, np.unravel_index(self.first, self.shape)))

    @property
    def is_one(self) -> bool:
        return self.kind == "one"

    @property
    def shown(self) -> str:
        return number(self.value, self.digits)

    def names(self, labels: Sequence[str]) -> str:
        """Return the words of the places: all, or the first few and how many more."""
        return listed([quoted(labels[place]) for place in self.places])

    def tell(self, labels: Sequence[str] = (), /, *, none: str, one: str, several: str, all: str, **words: str) -> str:
        """Return the sentence of this kind; it may name {names}, {value}, {count}, {total} and further words."""
        text = {"none": none, "one": one, "several": several, "all": all}[self.kind]
        names = self.names(labels) if labels and self.places else ""
        counts = {"count": number(len(self.places), 0), "total": number(int(np.prod(self.shape)), 0)}
        return text.format(names=names, value=self.shown if self.places else "", **counts, **words)


def largest(values: ArrayLike, digits: int = 2) -> Which:
    """Return which numbers are the largest; a NaN is none of them."""
    shown = as_shown(values, digits)
    known = ~np.isnan(shown)
    if not known.any():
        return Which("none", (), 0.0, digits, shown.shape)
    best = shown[known].max()
    places = tuple(np.flatnonzero(shown == best).tolist())
    alone: Kind = "one" if len(places) == 1 else "all" if len(places) == shown.size else "several"
    return Which(alone if shown[known].any() else "none", places, float(best), digits, shown.shape)


def smallest(values: ArrayLike, digits: int = 2) -> Which:
    found = largest(-as_shown(values, digits), digits)
    return found._replace(value=-found.value + 0.0)


def furthest(values: ArrayLike, digits: int = 2) -> Which:
    """Return which numbers are furthest from zero, with their distance."""
    return largest(np.abs(as_shown(values, digits)), digits)


def nearest(values: ArrayLike, to: float, digits: int = 2) -> Which:
    """Return which numbers are nearest to another one, with their distance."""
    return smallest(np.abs(as_shown(values, digits) - as_shown(to, digits)), digits)


def ordered(values: ArrayLike, digits: int = 2) -> list[int]:
    """Return the places from the largest number to the smallest."""
    return np.argsort(-as_shown(values, digits), axis=None, kind="stable").tolist()


def looks_same(one: float, other: float, digits: int = 2) -> bool:
    return bool(as_shown(one, digits) == as_shown(other, digits))


def change(before: float, after: float, digits: int = 2) -> Change:
    """Return how a number goes on, as it is shown."""
    one, other = as_shown(before, digits), as_shown(after, digits)
    return "stays" if one == other else "falls" if other < one else "rises"


def tell_change(
    before: float, after: float, digits: int = 2, *, falls: str, stays: str, rises: str, **words: str
) -> str:
    """Return the sentence of a change; it may name {before}, {after} and further words."""
    text = {"falls": falls, "stays": stays, "rises": rises}[change(before, after, digits)]
    return text.format(before=number(before, digits), after=number(after, digits), **words)


def differs(before: ArrayLike, after: ArrayLike) -> NDArray[np.bool_]:
    """Return which numbers have changed at all: by more than rounding, as two ways to the same number differ by it."""
    return ~np.isclose(before, after, rtol=ROUNDING, atol=ROUNDING, equal_nan=True)


def listed(names: Sequence[str], joint: str = "and") -> str:
    """Return names as they are read aloud: a, b and c; of many the first few, and how many more."""
    kept = list(names) if len(names) <= NAMED + 1 else [*names[:NAMED], f"{len(names) - NAMED} more"]
    return f" {joint} ".join(filter(None, (", ".join(kept[:-1]), *kept[-1:])))


def several(count: int, one: str, many: str = "") -> str:
    """Return a count with its noun: 1 row, 2 rows, 1,000 rows."""
    return f"{number(count, 0)} {one if count == 1 else many or f'{one}s'}"


def of_several(count: int, total: int, one: str, many: str = "") -> str:
    """Return a count of a total with its noun: no row, the only row, both rows, none of 5 rows, 2 of 5, all 5 rows."""
    if total <= 1:
        return f"the only {one}" if count else f"no {one}"
    if count == total == 2:
        return f"both {many or f'{one}s'}"
    some = "all" if count == total else "none of" if not count else f"{number(count, 0)} of"
    return f"{some} {several(total, one, many)}"
