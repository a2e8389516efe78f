"""The rows of the step: each claim, how it is measured, and what both models say."""

from collections.abc import Callable

import numpy as np
from markupsafe import Markup

from attention_core.experiments.inside.real_claims import (
    LENS_READ,
    SENTENCE,
    SHIFT,
    Copying,
    Finding,
    PartSizes,
    RealFindings,
    Reference,
    beyond_chance,
)
from pages.look.html import number, percent
from pages.tiny_lm.common import several
from pages.tiny_lm.real.measured import PRONOUN_WORDS
from pages.tiny_lm.real.rows import Row, Side, head_picture, layer_picture, part_picture

STORIES, COPY, PRONOUNS = "Small Stories", "Copy task", "Pronouns"
UNIFORM = "Uniform attention"
Written = Callable[[float], str]


def claims(found: RealFindings, course: RealFindings) -> list[Row]:
    """Return all rows, in the order of the lessons."""
    text, toy = found.text, course.text
    return [
        Row(
            "Scores have a standard deviation near 1",
            2,
            "Heads whose scores q · k / √d_k have a standard deviation between 0.5 and 2.",
            heads(text.scores, f"of heads; not divided: {percent(text.undivided.value)}", percent, largest=4),
            heads(toy.scores, f"of heads; not divided: {percent(toy.undivided.value)}", percent, largest=4),
        ),
        Row(
            "A head attends to the token before",
            5,
            "The largest mean weight of a head on the previous token.",
            heads(text.previous, most(text.previous)),
            heads(toy.previous, most(toy.previous)),
            baseline=UNIFORM,
        ),
        Row(
            "The first token is an attention sink",
            None,
            "The mean weight of all heads on the first token.",
            heads(text.first, f"on average; largest: {number(float(text.first.picture.max()))}"),
            heads(toy.first, f"on average; largest: {number(float(toy.first.picture.max()))}"),
            baseline=UNIFORM,
        ),
        Row(
            "“it” attends to the animal",
            6,
            f"{SENTENCE} tired. Heads with a clear weight from “it” to animal or street: those with more on animal.",
            reference(found.reference),
            reference(course.reference, name=PRONOUNS),
            f"Pronouns reads: {' '.join(PRONOUN_WORDS)}. Animal and street are cat and ball. "
            f"{unchanged(found, course)}",
            "Guessing",
        ),
        Row(
            "Heads copy what followed earlier",
            6,
            "A random sequence, twice. The largest mean weight of a head on the token after the earlier occurrence.",
            copied(found.copying),
            copied(course.copying, COPY),
            baseline=UNIFORM,
        ),
        Row(
            "The residual stream grows",
            6,
            "Layers after which the mean length of the vectors is larger, the first token excepted.",
            layers(text.growth, grown(text.growth), of_largest=True),
            layers(toy.growth, grown(toy.growth), of_largest=True),
        ),
        Row(
            "The prediction forms well before the last layer",
            6,
            f"Logit lens, last {LENS_READ} positions: after how many layers it reads the final prediction and keeps "
            "it. The median position.",
            layers(text.lens, formed(text.lens)),
            layers(toy.lens, formed(toy.lens)),
        ),
        Row(
            "MLPs have most of the parameters",
            6,
            "The fraction of all parameters that is in the MLPs.",
            sizes(found.parts),
            sizes(course.parts),
        ),
        Row(
            "With RoPE only offsets count",
            5,
            f"The largest change of an attention weight if queries and keys rotate as {SHIFT} positions later. The "
            "equation says 0, so what is left is rounding.",
            heads(text.shift, f"in {several(text.shift.picture.size, 'head')}", small),
            Side(None, small, "it has no RoPE", Markup(), STORIES),
        ),
    ]


def heads(finding: Finding, more: str, written: Written = number, name: str = STORIES, largest: float = 1) -> Side:
    """Return a finding with a number for each head."""
    return Side(finding, written, more, head_picture(finding.picture / largest), name)


def layers(finding: Finding, more: str, of_largest: bool = False) -> Side:
    """Return a finding with a number for each layer, the embedding first."""
    ceiling = float(finding.picture.max()) if of_largest else 1.0
    return Side(finding, percent, more, layer_picture(finding.picture / max(ceiling, 1e-30)), STORIES)


def most(finding: Finding) -> str:
    """Return the head with the largest number."""
    layer, head = np.unravel_index(finding.picture.argmax(), finding.picture.shape)
    return f"in head {int(layer) + 1}.{int(head) + 1}, of {several(finding.picture.size, 'head')}"


def reference(found: Reference | None, name: str = STORIES) -> Side:
    """Return how many heads attend from the pronoun to the animal."""
    if found is None:
        return Side(None, number, "its tokens are not whole words", Markup(), name)
    few = "; too few to rule out guessing" if beyond_chance(found.n_clear) == 1 else ""
    more = f"of {several(found.n_clear, 'head')}{few}"
    return Side(found.heads, percent, more, head_picture(found.animal), name)


def unchanged(*found: RealFindings) -> str:
    """Return that the causal mask blocks what could tell a pronoun which of two words it stands for."""
    changed = max(one.reference.changed for one in found if one.reference)
    return (
        "The causal mask blocks the words after “it”. So if they are others, such as “too wide”, its weights change "
        f"by {small(changed)}."
    )


def copied(found: Copying, name: str = STORIES) -> Side:
    """Return what heads do in a repeated sequence."""
    more = f"{most(found.head)}; {percent(found.accuracy)} of the copies are predicted"
    return Side(found.head, number, more, head_picture(found.head.picture), name)


def grown(finding: Finding) -> str:
    """Return the length of the stream before the first layer and after the last."""
    return f"of layers; mean length {number(float(finding.picture[0]), 1)} to {number(float(finding.picture[-1]), 1)}"


def formed(finding: Finding) -> str:
    """Return after how many layers the prediction is the final one, and how many positions have it halfway."""
    n_layers = len(finding.picture) - 1
    half = percent(float(finding.picture[n_layers // 2]))
    return (
        f"of the layers: {finding.value * n_layers:g} of {n_layers}; after {several(n_layers // 2, 'layer')}, "
        f"{half} of positions have it"
    )


def sizes(found: PartSizes) -> Side:
    """Return where the parameters of a model are."""
    total = sum(found.parts)
    more = f"of {total:,}; the token embedding has {percent(found.parts.token_embedding / total)}"
    return Side(found.mlp, percent, more, part_picture(found.parts), STORIES)


def small(value: float) -> str:
    """Return a change, or a bound where it is below what is shown."""
    return number(value, 3) if value >= 0.001 else "less than 0.001" if value else "0"
