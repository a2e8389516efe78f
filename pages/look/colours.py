"""The colours of the course, each as a pair: on light paper and on dark.

Violet is attention and nothing else. Blue is a query, orange a key, green a value; a letter or a place says so too,
so that no meaning hangs on the colour alone.
"""

from typing import NamedTuple


class Pair(NamedTuple):
    light: str
    dark: str

    @property
    def css(self) -> str:
        return f"light-dark({self.light},{self.dark})"


PAPER = Pair("#fdfcfa", "#131419")
CARD = Pair("#f7f5f1", "#1d1f26")
RULE = Pair("#e2dfd8", "#353843")
MASKED = Pair(RULE.light, "#050608")  # in the dark below a weight of 0: a lighter grey would look like some weight
INK = Pair("#22242a", "#e9e7e2")
SOFT = Pair("#5c606a", "#a7aab3")
ATTENTION = Pair("#5b3fc0", "#b3a4ff")
NEGATIVE = Pair("#96610f", "#d9a449")
QUERY = Pair("#1769c2", "#5aa9f0")
KEY = Pair("#b84500", "#ff9a57")
VALUE = Pair("#00604c", "#8be8c4")
RIGHT = VALUE
WRONG = Pair("#b3261e", "#ff9a8f")

WEIGHTS = [  # from 0 to 1; on either paper, more is further from the page
    Pair("#f4f1fb", "#1f1e2b"),
    Pair("#d5caf1", "#3a3066"),
    Pair("#b09ae4", "#57439c"),
    Pair("#8a6bd4", "#775bc6"),
    Pair("#6845ba", "#9b82e2"),
    Pair("#482a94", "#c4b4f5"),
    Pair("#2b1463", "#f1ecff"),
]
SCORES = [  # from -limit to limit; positive is violet, because a high score becomes a high weight
    Pair("#6b4300", "#ffd894"),
    Pair("#a06a14", "#d9a449"),
    Pair("#cfa25a", "#9c712a"),
    Pair("#ecd8b4", "#574021"),
    Pair("#f6f3ee", "#26262c"),
    Pair("#d6cbf0", "#403570"),
    Pair("#a48be0", "#6850b0"),
    Pair("#6d4bc0", "#9a80e0"),
    Pair("#3a1f80", "#dcd0ff"),
]
HEADS = [Pair("#a3630a", "#f2c14e"), Pair("#2c7a86", "#7fd6dd"), Pair("#6b2a1d", "#c86676"), Pair("#3d2aa0", "#8d7bf0")]


def mix(ramp: list[Pair], share: float) -> Pair:
    """Return the colour at a share of the way along a ramp, interpolated as in the charts."""
    place = min(max(share, 0.0), 1.0) * (len(ramp) - 1)
    start = min(int(place), len(ramp) - 2)
    mixed = []
    for first, second in zip(ramp[start], ramp[start + 1], strict=True):  # #rrggbb for both themes
        channels = [(int(first[i : i + 2], 16), int(second[i : i + 2], 16)) for i in (1, 3, 5)]
        mixed.append("#" + "".join(f"{round(a + (b - a) * (place - start)):02x}" for a, b in channels))
    return Pair(*mixed)
