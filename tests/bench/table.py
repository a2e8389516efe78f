"""Rows of the table, and how they are written in Markdown."""

from collections.abc import Callable
from dataclasses import astuple, dataclass
from statistics import median

from tests.bench.timing import Times


@dataclass(frozen=True)
class Row:
    """One line of the table; a figure that nothing is set beside has neither another side nor a ratio."""

    what: str
    ours: str
    other: str = ""
    ratio: str = ""

    def __str__(self) -> str:
        return "| " + " | ".join(astuple(self)) + " |"


HEADING = f"{Row('what', 'ours', 'the other side', 'ratio')}\n|---|---|---|---|"


def milliseconds(seconds: float) -> str:
    """Write a time with three significant digits."""
    return f"{seconds * 1e3:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def compare(
    what: str, times: Times, ours: list[str], others: list[str], show: Callable[[float], str] = milliseconds
) -> Row:
    """Return the row that sets the fastest of our sides beside the fastest of the others."""
    mine, theirs = (
        min((label for label in labels if label in times), key=lambda label: median(times[label]), default=None)
        for labels in (ours, others)
    )
    our_cell = f"{show(median(times[mine]))} ({mine})"
    if theirs is None:
        return Row(what, our_cell, "not installed")
    ratio = median(our / their for our, their in zip(times[mine], times[theirs], strict=True))
    other_cell = f"{show(median(times[theirs]))} ({theirs})"
    return Row(what, our_cell, other_cell, f"{ratio:.2f}" if ratio > 0.2 else f"1/{1 / ratio:.3g}")
