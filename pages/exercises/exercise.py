"""What an exercise is: its texts, its reference, its test inputs, and its known mistakes."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from attention_core.arrays import Array


class Case(NamedTuple):
    """One test: its name, and the arguments of the call."""

    name: str
    arguments: tuple[Any, ...]
    large: bool = False  # whether its numbers overflow without care, which is judged apart from the others
    rows: tuple[str, ...] = ()  # the words beside the rows of what is returned, where it is drawn
    columns: tuple[str, ...] = ()
    axes: tuple[str, str, str] | tuple[()] = ()  # what rows, columns and numbers are, where they are no attention
    told: str = ""  # a sentence on what is returned for a student's own words
    skips: bool = False  # whether the trained model does not know some of these words


class Variant(NamedTuple):
    """A known-wrong implementation and the ids of its mistakes."""

    ids: tuple[str, ...]
    function: Callable[..., Array]


def one_each(function: Callable[..., Array], faults: Iterable[str]) -> tuple[Variant, ...]:
    """Return the variants of a function with one fault each; after a slash a name tells ways of one mistake apart."""
    return tuple(Variant((fault.partition("/")[0],), partial(function, fault=fault)) for fault in faults)


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
    pair: bool = False  # whether (output, weights) is accepted as well as the output
    weights: bool = False  # whether the rows of the answer sum to 1
    step: str = ""  # the step of the lesson at which it is offered
    repeats: int = 0  # how many of the tests run twice, to see whether the answer changes by itself
    about: tuple[str, str, str] = ("", "", "")  # for each hint the mistakes that it helps with, or how their ids begin
    own: Callable[[list[str], int, int], Case] | None = None  # the test on a student's words, d_model, n_heads
    own_sizes: bool = False  # whether students choose d_model and n_heads too
    writes: bool = False  # whether a model continues a text with the function, once it passes

    @property
    def entry(self) -> str:
        """The name of the function that students write."""
        return self.signature.partition("(")[0]

    def call(self, case: Case) -> str:
        """Return the call of a test as a program, so that it can be tried elsewhere."""
        names = self.signature.partition("(")[2].rstrip(")").split(", ")
        lines = [f"{name} = {written(given)}" for name, given in zip(names, case.arguments, strict=True)]
        return "\n".join([*lines, f"print({self.signature})"])


def written(given: object) -> str:
    if not isinstance(given, np.ndarray):
        return repr(given)
    rows = np.array2string(given, separator=", ", max_line_width=110, threshold=10**6, floatmode="unique")
    return "np.array(" + rows.replace("\n", "\n" + " " * 9) + ")"
