"""A claim as a row: what it says, what the pretrained model shows of it, and what the model of the course shows."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.experiments.inside.real_claims import Finding, verdict
from attention_core.model.parameters import Parts
from pages.look.html import inline
from pages.look.thumbnails import bars, thumbnail
from pages.page.page import Page

WIDE, LARGEST_CELL = 150, 11  # pixels of a picture, and of a cell in it
MARKS = {"holds": "right", "holds in part": "part", "does not hold": "wrong"}


class Side(NamedTuple):
    """What one model shows of a claim; no finding where it cannot be measured."""

    finding: Finding | None
    written: Callable[[float], str]
    more: str
    picture: Markup
    name: str  # of the model of the course

    @property
    def verdict(self) -> str:
        """Return whether the claim holds."""
        return verdict(self.finding) if self.finding else "not measured"


class Row(NamedTuple):
    """A claim of a lesson."""

    claim: str
    lesson: int | None  # in which it is made
    measure: str
    real: Side
    toy: Side
    note: str = ""
    baseline: str = ""  # what has the value without a pattern


def draw_rows(page: Page, name: str, rows: list[Row]) -> None:
    """Draw all rows under each other."""
    row = Markup('<div class="claim"><div><b>{}</b><p>{} <span class="soft">{}{}</span></p></div>{}{}</div>')
    lines = [
        row.format(
            inline(one.claim),
            inline(one.measure),
            f"{one.note} " if one.note else "",
            f"Lesson {one.lesson}." if one.lesson else "",
            side(one.real, name[0].upper() + name[1:], one.baseline),
            side(one.toy, one.toy.name, one.baseline),
        )
        for one in rows
    ]
    page.write(Markup('<div class="claims">{}</div>').format(Markup("").join(lines)))


def side(one: Side, name: str, baseline: str = "") -> Markup:
    """Return what one model shows: its picture, its number, and whether the claim holds."""
    if one.finding is None:
        return Markup('<div><span class="soft">{}</span><p class="soft">{}</p></div>').format(name, one.more)
    bound = "up to" if one.finding.holds < one.finding.part else "from"
    limits = f"Holds {bound} {one.written(one.finding.holds)}, in part {bound} {one.written(one.finding.part)}."
    if one.finding.baseline is not None:
        limits = f"{baseline}: {one.written(one.finding.baseline)}. {limits}"
    limits = limits.replace(" %", "\N{NO-BREAK SPACE}%")
    return Markup(
        '<div><span class="soft">{}</span> <b class="{}">{}</b>{}<p><b>{}</b> {}</p><p class="soft">{}</p></div>'
    ).format(name, MARKS[one.verdict], one.verdict, one.picture, one.written(one.finding.value), one.more, limits)


def head_picture(numbers: Array) -> Markup:
    """Return a number for each head (L, H) as a small map: a column for each layer, a row for each head."""
    size = min(WIDE, LARGEST_CELL * max(numbers.shape))
    return described(thumbnail(numbers.T, None, size, most=64), "A column for each layer, a row for each head.")


def layer_picture(numbers: Array) -> Markup:
    """Return a number for each layer (L + 1,) as small bars."""
    size = min(WIDE, LARGEST_CELL * max(len(numbers), 5))
    return described(thumbnail(bars(np.clip(numbers, 0, 1).tolist()), None, size, most=64), "A bar for each layer.")


def part_picture(parts: Parts) -> Markup:
    """Return the parameters of a model as a bar that is cut into its parts."""
    total = sum(parts)
    cut = Markup('<i class="{}" style="width:{}%"></i>')
    cuts = Markup("").join(
        cut.format(part, f"{100 * count / total:.2f}") for part, count in parts._asdict().items() if count
    )
    words = "Grey: embedding. Violet: attention. Dark: MLPs."
    return described(Markup('<div class="stack"><div class="cuts">{}</div></div>').format(cuts), words)


def described(picture: Markup, words: str) -> Markup:
    """Return a picture with words for those who do not see it."""
    return Markup('<div role="img" aria-label="{0}" title="{0}">{1}</div>').format(words, picture)
