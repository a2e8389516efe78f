"""The claims of the step: each with its measure, its null, and what both models say, in numbers and small pictures."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.data_files import read_table
from attention_core.experiments.inside.real_claims import LENS_READ, OTHER_DISTANCES, Finding, RealFindings, verdict
from pages.look.facts import largest
from pages.look.html import number, percent
from pages.look.thumbnails import bars, thumbnail

STORIES, COPY, ENGLISH = "Small Stories", "Copy task", "Toy English"
WIDE, LARGEST_CELL = 220, 16  # pixels of a picture, and of a cell in it
SAID = "{value} {more}. Bound: {bound}."
IN_HEAD = "in head {layer}.{head}, of {count} heads{more}"
NO_NOUNS = "In its tokens, the nouns are not whole words."
TOO_SHALLOW = "It has too few layers to rule out chance."
UNSURE = "No final token becomes so probable."
TEXTS = read_table(__file__)
Written = Callable[[float], str]


class Side(NamedTuple):
    """What one model shows of a claim; no finding where it cannot be measured."""

    finding: Finding | None
    said: str  # its number in words, or why there is none
    picture: Markup = Markup()
    name: str = STORIES  # of the model of the course

    @property
    def verdict(self) -> str:
        return verdict(self.finding) if self.finding else "not measured"


class RealClaim(NamedTuple):
    """A claim of a lesson, how it is measured, and what would be measured without a pattern."""

    name: str
    real: Side
    toy: Side
    claim: str
    measure: str
    null: str  # what the bound is
    lesson: str = ""  # another in which it is made
    note: str = ""


def claims(found: RealFindings, course: RealFindings) -> list[RealClaim]:
    """Return the claims, each with what both models show of it."""
    distances = {"near": OTHER_DISTANCES.start, "far": OTHER_DISTANCES.stop - 1}
    weight = number(max(one.at_pronoun for one in (found.reference, course.reference) if one))
    values = distances | {"last": LENS_READ, "weight": weight}
    made = []
    for name, texts in TEXTS.items():
        side, toy = SIDES[name]
        said = {field: str(text).format(**values) for field, text in texts.items()}
        made.append(RealClaim(name, side(found), side(course)._replace(name=toy), **said))
    return made


def scores(found: RealFindings) -> Side:
    more = f"of heads; not divided: {percent(found.text.undivided.value)}"
    return of_heads(found.text.scores, more, percent, 4)


def previous(found: RealFindings) -> Side:
    return of_heads(found.text.previous, in_head(found.text.previous))


def sink(found: RealFindings) -> Side:
    return of_heads(found.text.first, f"on average; up to {number(float(found.text.first.picture.max()))}")


def reference(found: RealFindings) -> Side:
    """Return how far the right noun leads in the best head, and in how many pairs."""
    if found.reference is None:
        return Side(None, NO_NOUNS)
    head, leads = found.reference.head, found.reference.leads
    return of_heads(head, in_head(head, f"; it leads in {int((leads > 0).sum())} of {len(leads)} pairs"))


def copied(found: RealFindings) -> Side:
    """Return what heads do in a repeated sequence."""
    right = f"; {percent(found.copying.accuracy)} of the copies are predicted"
    return of_heads(found.copying.head, in_head(found.copying.head, right))


def growth(found: RealFindings) -> Side:
    return of_layers(found.text.growth, "of layers", TOO_SHALLOW)


def lens(found: RealFindings) -> Side:
    return of_layers(found.text.lens, "of the layers", UNSURE)


def of_heads(finding: Finding, more: str, written: Written = number, top: float = 1) -> Side:
    """Return a side with a small map: a column for each layer, a row for each head."""
    said = SAID.format(value=written(finding.value), more=more, bound=written(finding.bound))
    size = min(WIDE, LARGEST_CELL * max(finding.picture.shape))
    picture = thumbnail(finding.picture.T / top, None, size, most=64)
    return Side(finding, said, described(picture, "A column for each layer, a row for each head."))


def of_layers(finding: Finding | None, more: str, missing: str) -> Side:
    if finding is None:
        return Side(None, missing)
    said = SAID.format(value=percent(finding.value), more=more, bound=percent(finding.bound))
    heights: Array = np.clip(finding.picture / max(1.0, float(finding.picture.max())), 0, 1)
    picture = thumbnail(bars(heights.tolist()), None, min(WIDE, LARGEST_CELL * max(len(heights), 5)), most=64)
    return Side(finding, said, described(picture, "A bar for each layer."))


def of_parts(found: RealFindings) -> Side:
    """Return a side with the parameters of a model as a bar that is cut into its parts."""
    parts, mlp = found.parts.parts, found.parts.mlp
    more = f"of {sum(parts):,}; the token embedding has {percent(parts.token_embedding / sum(parts))}"
    said = SAID.format(value=percent(mlp.value), more=more, bound=percent(mlp.bound))
    cut = Markup('<i class="{}" style="width:{:.2f}%"></i>')
    cuts = Markup("").join(cut.format(part, 100 * n / sum(parts)) for part, n in parts._asdict().items() if n)
    picture = Markup('<div class="stack"><div class="cuts">{}</div></div>').format(cuts)
    return Side(mlp, said, described(picture, "From the left: embeddings, attention, MLPs, LayerNorms."))


def described(picture: Markup, words: str) -> Markup:
    """Return a picture with words for those who do not see it."""
    return Markup('<div role="img" aria-label="{0}" title="{0}">{1}</div>').format(words, picture)


def in_head(finding: Finding, more: str = "") -> str:
    layer, head = largest(finding.picture).cell
    return IN_HEAD.format(layer=layer + 1, head=head + 1, count=finding.picture.size, more=more)


SIDES: dict[str, tuple[Callable[[RealFindings], Side], str]] = {  # and the model of the course that learned about it
    "scores": (scores, STORIES),
    "previous": (previous, STORIES),
    "sink": (sink, STORIES),
    "it": (reference, ENGLISH),
    "copying": (copied, COPY),
    "growth": (growth, STORIES),
    "lens": (lens, STORIES),
    "parts": (of_parts, STORIES),
}
