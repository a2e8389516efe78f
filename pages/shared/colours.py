"""The colours of the course, each as a pair: on light paper and on dark.

Violet is attention and nothing else. Blue is a query, orange a key, green a value; a letter or a place says so too,
so that no meaning hangs on the colour alone.
"""

from typing import NamedTuple


class Pair(NamedTuple):
    """One colour on light paper and its counterpart on dark."""

    light: str
    dark: str


PAPER = Pair("#fdfcfa", "#131419")
RULE = Pair("#e2dfd8", "#353843")
INK = Pair("#22242a", "#e9e7e2")
SOFT = Pair("#5c606a", "#a7aab3")
ATTENTION = Pair("#5b3fc0", "#b3a4ff")
QUERY = Pair("#1769c2", "#5aa9f0")
KEY = Pair("#c44a00", "#ff9a57")
VALUE = Pair("#00604c", "#8be8c4")

WEIGHTS = [  # from 0 to 1; on either paper, more is further from the page
    Pair("#f4f1fb", "#1f1e2b"),
    Pair("#d5caf1", "#3a3066"),
    Pair("#b09ae4", "#57439c"),
    Pair("#8a6bd4", "#775bc6"),
    Pair("#6845ba", "#9b82e2"),
    Pair("#482a94", "#c4b4f5"),
    Pair("#2b1463", "#f1ecff"),
]
