"""The claims of the step: each with its measure, its null, and what both models say."""

from collections.abc import Callable
from typing import NamedTuple

from markupsafe import Markup

from attention_core.experiments.inside.real_claims import (
    LENS_READ,
    OTHER_DISTANCES,
    Copying,
    Finding,
    PartSizes,
    RealFindings,
    Reference,
    verdict,
)
from pages.look.facts import largest, several
from pages.look.html import number, percent
from pages.tiny_lm.real.pictures import head_picture, layer_picture, part_picture

STORIES, COPY, ENGLISH = "Small Stories", "Copy task", "Toy English"
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


class Claim(NamedTuple):
    """A claim of a lesson, how it is measured, and what would be measured without a pattern."""

    name: str
    claim: str
    lesson: int | None  # another in which it is made
    measure: str
    null: str  # what the bound is
    real: Side
    toy: Side
    note: str = ""


def claims(found: RealFindings, course: RealFindings) -> list[Claim]:
    text, toy = found.text, course.text
    distances = f"{OTHER_DISTANCES.start} to {OTHER_DISTANCES.stop - 1}"
    return [
        Claim(
            "scores",
            "Most scores have a standard deviation near 1",
            2,
            "Heads whose scores q · k / √d_k have a standard deviation between 0.5 and 2.",
            "“Most” is more than half",
            of_heads(text.scores, f"of heads; not divided: {percent(text.undivided.value)}", percent, 4),
            of_heads(toy.scores, f"of heads; not divided: {percent(toy.undivided.value)}", percent, 4),
            "In lesson 2, random queries and keys have a standard deviation of 1. Training is free to change it.",
        ),
        Claim(
            "previous",
            "A head attends to the token before",
            5,
            "The largest mean weight of a head on the previous token.",
            f"The highest at any distance from {distances}",
            of_heads(text.previous, most(text.previous)),
            of_heads(toy.previous, most(toy.previous)),
            "Small Stories has heads with a penalty on distance (ALiBi), which prefer near tokens even untrained.",
        ),
        Claim(
            "sink",
            "The first token is an attention sink",
            None,
            "The mean weight of all heads on the first token, from all later ones.",
            "The largest on another token of the first half",
            of_heads(text.first, f"on average; up to {number(float(text.first.picture.max()))}"),
            of_heads(toy.first, f"on average; up to {number(float(toy.first.picture.max()))}"),
            "An attention sink is a token with much weight from many heads.",
        ),
        Claim(
            "it",
            "A head finds out what “it” refers to",
            1,
            "Eight pairs such as “… the street because it was too tired” and “… too wide”. The mean lead of the right "
            "noun in weight from the last word, in the best head.",
            "What 95 % of all exchanges of endings stay below",
            reference(found.reference),
            reference(course.reference, ENGLISH),
            at_pronoun(found.reference, course.reference),
        ),
        Claim(
            "copying",
            "A head copies what followed earlier",
            None,
            "A random sequence, twice. The largest mean weight of a head on the token after the earlier occurrence.",
            "The same measure if the second half is another random sequence",
            copied(found.copying),
            copied(course.copying, COPY),
        ),
        Claim(
            "growth",
            "The residual stream grows",
            None,
            "Layers after which the mean length of the vectors is larger, the first token excepted.",
            "What coin tosses exceed in 1 of 20 cases",
            of_layers(text.growth, "of layers", "It has too few layers to rule out chance."),
            of_layers(toy.growth, "of layers", "It has too few layers to rule out chance."),
        ),
        Claim(
            "lens",
            "The prediction forms early",
            None,
            f"Logit lens, last {LENS_READ} positions whose final token ends above 0.5: the layer after which its "
            "probability stays above 0.5. The median.",
            "Where a probability that grows by the same amount in each layer passes 0.5",
            of_layers(text.lens, "of the layers", "No final token has a probability above 0.5."),
            of_layers(toy.lens, "of the layers", "No final token has a probability above 0.5."),
        ),
        Claim(
            "parts",
            "MLPs have most of the parameters",
            None,
            "The fraction of all parameters that is in the MLPs.",
            "“Most” is more than half",
            sizes(found.parts),
            sizes(course.parts),
        ),
    ]


def of_heads(finding: Finding, more: str, written: Written = number, largest: float = 1, name: str = STORIES) -> Side:
    said = f"{written(finding.value)} {more}. Bound: {written(finding.bound)}."
    return Side(finding, said, head_picture(finding.picture / largest), name)


def of_layers(finding: Finding | None, more: str, missing: str) -> Side:
    if finding is None:
        return Side(None, missing)
    said = f"{percent(finding.value)} {more}. Bound: {percent(finding.bound)}."
    return Side(finding, said, layer_picture(finding.picture / max(1.0, float(finding.picture.max()))))


def most(finding: Finding) -> str:
    layer, head = largest(finding.picture).cell
    return f"in head {layer + 1}.{head + 1}, of {several(finding.picture.size, 'head')}"


def reference(found: Reference | None, name: str = STORIES) -> Side:
    """Return how far the right noun leads in the best head, and in how many pairs."""
    if found is None:
        return Side(None, "In its tokens, the nouns are not whole words.", name=name)
    pairs = f"it leads in {int((found.leads > 0).sum())} of {len(found.leads)} pairs"
    return of_heads(found.head, f"{most(found.head)}; {pairs}", name=name)


def at_pronoun(*found: Reference | None) -> str:
    """Return what a head gives from the pronoun itself, which cannot depend on the words after it."""
    top = max(one.at_pronoun for one in found if one)
    return (
        f"From “it”, a head gives “animal” up to {number(top)}. The causal mask blocks the ending there, so this "
        "weight does not depend on whether the animal is tired or the street wide."
    )


def copied(found: Copying, name: str = STORIES) -> Side:
    """Return what heads do in a repeated sequence."""
    return of_heads(found.head, f"{most(found.head)}; {percent(found.accuracy)} of the copies are predicted", name=name)


def sizes(found: PartSizes) -> Side:
    total = sum(found.parts)
    more = f"of {total:,}; the token embedding has {percent(found.parts.token_embedding / total)}"
    said = f"{percent(found.mlp.value)} {more}. Bound: {percent(found.mlp.bound)}."
    return Side(found.mlp, said, part_picture(found.parts))
