"""What an exercise is: its texts, its reference, its test inputs, and its known mistakes."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from attention_core.arrays import Array


class Case(NamedTuple):
    """One test: its name, and the arguments of the call."""

    name: str
    arguments: tuple[Any, ...]
    large: bool = False  # numbers that overflow without care; judged apart from the others
    rows: tuple[str, ...] = ()  # the words beside the rows of what is returned, where it is drawn
    columns: tuple[str, ...] = ()
    axes: tuple[str, str, str] | tuple[()] = ()  # what rows, columns and numbers are, where they are no attention
    told: str = ""  # what is returned for a student's own words, as a sentence
    skips: bool = False  # whether a model did not know some of these words


class Variant(NamedTuple):
    """A known-wrong implementation and the ids of its mistakes."""

    ids: tuple[str, ...]
    function: Callable[..., Array]


@dataclass(frozen=True)
class Exercise:
    id: str
    lesson: str
    title: str
    signature: str  # "softmax(x)"
    points: int
    prompt: str
    starter: str
    hints: tuple[str, str, str]
    solution: str
    reference: Callable[..., Array | tuple[Array, Array]]
    cases: Callable[[np.random.Generator], tuple[Case, ...]]
    variants: tuple[Variant, ...] = field(repr=False)  # single faults first, then pairs
    pair: bool = False  # (output, weights) is accepted as well as the output
    weights: bool = False  # its rows sum to 1
    step: str = ""  # of the lesson, at which it stands
    repeats: int = 0  # of the tests, so many are run twice, to see whether the same comes out
    about: tuple[str, str, str] = ("", "", "")  # beside each hint the ids, or their beginnings, that it helps with
    own: Callable[[list[str], int, int], Case] | None = None  # the test on a student's words, a width and n_heads
    own_sizes: bool = False  # students choose that width and n_heads too
    writes: bool = False  # a model writes on with it, once it passes

    @property
    def entry(self) -> str:
        """The name of the function that students write."""
        return self.signature.partition("(")[0]


def with_numpy(text: str) -> str:
    """Return a function as a program, which begins with the import of NumPy."""
    return f"import numpy as np\n\n\n{text}"
