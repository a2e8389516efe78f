"""Exceptions as facts: what the words of Python and NumPy say of shapes, and the sentence that explains it."""

import re
from collections.abc import Callable
from typing import NamedTuple

from pages.exercises.runner.protocol import Raised
from pages.look.facts import several

Shape = tuple[int, ...]
SHAPES = re.compile(r"\(([\d, ]*)\)")
SIZE = re.compile(r"\d+")
CLASHES = {
    "broadcast": re.compile(r"could not be broadcast together with shapes (.+)$"),
    "product": re.compile(r"size (?P<right>\d+) is different from (?P<left>\d+)"),  # of @ and np.matmul
    "dot": re.compile(r"not aligned: (?P<left>\d+) \(dim \d+\) != (?P<right>\d+) \(dim \d+\)"),
    "reshape": re.compile(r"cannot reshape array of size (?P<size>\d+) into shape (?P<shape>\([^()]*\))"),
    "index": re.compile(r"index (?P<index>-?\d+) is out of bounds for axis (?P<axis>\d+) with size (?P<size>\d+)"),
    "axis": re.compile(r"axis (?P<axis>-?\d+) is out of bounds for array of dimension (?P<axes>\d+)"),
}
FLOAT = re.compile(r"float\d*' object cannot be interpreted as an integer|slice indices must be integers|only integers")
UNKNOWN = re.compile(r"name '(?P<name>\w+)' is not defined")


class Clash(NamedTuple):
    """Sizes that do not go together: in which operation, and which they are."""

    kind: str
    sizes: tuple[int | Shape, ...]


def clash(words: str) -> Clash | None:
    """Return the sizes that an exception complains of; np.dot and @ say the same in other words."""
    for kind, pattern in CLASHES.items():
        found = pattern.search(words)
        if found is None:
            continue
        if kind == "broadcast":
            return Clash(kind, shapes(found[1]))
        if kind in ("product", "dot"):
            return Clash("product", (int(found["left"]), int(found["right"])))
        if kind == "reshape":
            return Clash(kind, (int(found["size"]), *shapes(found["shape"])))
        return Clash(kind, tuple(int(size) for size in found.groups()))
    return None


def shapes(words: str) -> tuple[Shape, ...]:
    return tuple(tuple(map(int, SIZE.findall(inside))) for inside in SHAPES.findall(words))


def lost_axis(raised: Raised) -> bool:
    """Tell whether two shapes differ in the last axis alone, which one of them has lost."""
    found = clash(raised.words)
    if found is None or found.kind != "broadcast" or len(found.sizes) != 2:
        return False
    longer, shorter = sorted(found.sizes, key=lambda shape: -len(shape) if isinstance(shape, tuple) else 0)
    return isinstance(longer, tuple) and len(longer) > 1 and longer[:-1] == shorter


def explain(raised: Raised) -> str:
    """Return what an exception means and what to look at, or nothing where its own words are all that is known."""
    if found := clash(raised.words):
        return EXPLAINED[found.kind](*found.sizes) if found.sizes else ""
    if unknown := UNKNOWN.search(raised.words):
        return f"There is no `{unknown['name']}` here. Names are case-sensitive, and a name is there once it was set."
    return next((sentence for words, sentence in SENTENCES.items() if words in raised.words), "")


def of_product(left: int, right: int) -> str:
    return (
        f"The left matrix of a product has {several(left, 'column')}, but the right one {several(right, 'row')}. "
        "The two must be equal. Is a transpose missing, or are the factors exchanged?"
    )


def of_broadcast(*given: Shape) -> str:
    factors = len(given) == 2 and all(len(shape) == 2 for shape in given) and given[0][1] in given[1]
    return (
        f"The shapes {' and '.join(map(by, given))} do not fit. NumPy compares them from the last axis on, and two "
        f"sizes fit if they are equal or one is 1.{' The matrix product is @, not the star.' if factors else ''}"
    )


def of_reshape(size: int, *shape: Shape) -> str:
    asked = by(shape[0]) if shape else "that was asked for"
    filled = several(size, "number")
    return f"An array of {filled} does not fill the shape {asked}. The product of its sizes must be {size}."


def of_index(index: int, axis: int, size: int) -> str:
    last = f" Counting from 0, the last is {size - 1}." if size else ""
    return f"Index {index} was asked of axis {axis}, which has {several(size, 'entry', 'entries')}.{last}"


def of_axis(axis: int, n_axes: int) -> str:
    last = f" Counting from 0, the last is {n_axes - 1}, or −1." if n_axes else " It is a single number."
    return f"Axis {axis} was asked of an array that has {several(n_axes, 'axis', 'axes')}.{last}"


def by(shape: Shape) -> str:
    """Return a shape in words; one axis as a row of numbers."""
    return " × ".join(map(str, shape)) if len(shape) > 1 else f"({', '.join(map(str, shape))})"


EXPLAINED: dict[str, Callable[..., str]] = {
    "product": of_product,
    "broadcast": of_broadcast,
    "reshape": of_reshape,
    "index": of_index,
    "axis": of_axis,
}
SENTENCES = {
    "does not have enough dimensions": "One factor of a matrix product is None or a single number. Look at the line "
    "that made it.",
    "NoneType": "One of your values is None. A function without return gives None, and so do some methods of lists.",
    "positional argument": "A function was called with more or fewer arguments than it takes. Compare its `def` with "
    "the call.",
    "truth value of an array": "An array is neither true nor false as a whole. Use `np.where`, or ask for .any() or "
    ".all().",
}
