"""A text falls into bytes and grows together again while the number of merges is dragged.

The browser cuts the text by the numbers of `attention_core`: which merge joins each byte to the next.
"""

from collections.abc import Sequence
from typing import NamedTuple

from attention_core.arrays import Array
from attention_core.experiments.language.each_merge import MergedText
from attention_core.text.byte_pairs import ALPHABET
from pages.motion.sliders import Slider, component, draw_moving
from pages.page.page import Page

PIECES = component("pieces")


class Line(NamedTuple):
    """A length by the size of the vocabulary: its name, and the pieces per 100 bytes after each merge."""

    name: str
    values: Array


class Row(NamedTuple):
    """One merge of the list: both pieces and the new one, as they are shown, and how often the pair occurred."""

    left: str
    right: str
    piece: str
    times: int


def moving_pieces(
    page: Page,
    characters: Sequence[tuple[str, Sequence[str]]],
    found: MergedText,
    merges: Sequence[Row],
    lines: Sequence[Line],
    slider: Slider,
) -> None:
    """Draw a text in pieces with their ids, the merges about the slider, and the length by the size of the vocabulary.

    `characters` are those of the text, as they are shown, each with its bytes. The slider is "merges".
    """
    picture = {
        "characters": list(characters),
        "ids": found.ids.tolist(),
        "joined": found.joined.tolist(),
        "first": len(ALPHABET),
        "merges": list(merges),
        "lines": [{"name": line.name, "values": line.values.round(2).tolist()} for line in lines],
    }
    draw_moving(PIECES, page, "pieces", picture, [slider])
