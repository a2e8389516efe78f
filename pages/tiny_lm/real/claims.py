"""The rows of the step: each claim, how it is measured, and what both models say."""

from collections.abc import Callable, Sequence

import numpy as np
from markupsafe import Markup

from attention_core.experiments.real_claims import LENS_READ, SHIFT, Copying, Finding, PartSizes, Reference
from pages.look.html import number, percent
from pages.tiny_lm.common import head_names, several
from pages.tiny_lm.real.measured import PRONOUN_WORDS, SENTENCE, Measured
from pages.tiny_lm.real.rows import Row, Side, head_picture, layer_picture, part_picture

STORIES, COPY, PRONOUNS = "Small Stories", "Copy task", "Pronouns"
Written = Callable[[float], str]


def claims(found: Measured) -> list[Row]:
    """Return all rows, in the order of the lessons."""
    text, toy = found.text, found.toy_text
    return [
        Row(
            "Scores have a standard deviation near 1",
            2,
            "Heads whose scores q · k / √d_k have a standard deviation between 0.5 and 2.",
            heads(text.scores, f"of heads; undivided: {percent(text.undivided.value)}", percent, largest=4),
            heads(toy.scores, f"of heads; undivided: {percent(toy.undivided.value)}", percent, largest=4),
        ),
        Row(
            "A head attends to the token before",
            4,
            "The largest mean weight of a head on the previous token.",
            heads(text.previous, most(text.previous)),
            heads(toy.previous, most(toy.previous)),
        ),
        Row(
            "The first token is an attention sink",
            6,
            "The mean weight of all heads on the first token.",
            heads(text.first, f"on average; largest: {number(float(text.first.picture.max()))}"),
            heads(toy.first, f"on average; largest: {number(float(toy.first.picture.max()))}"),
        ),
        Row(
            "“it” attends to the animal",
            6,
            f"{SENTENCE} tired. Heads with a clear weight from “it” to animal or street: those with more on animal.",
            reference(found.reference, "with “wide”"),
            reference(found.toy_reference, "with another verb", name=PRONOUNS),
            f"Pronouns reads: {' '.join(PRONOUN_WORDS)}. Animal and street are cat and ball.",
        ),
        Row(
            "Heads copy what followed earlier",
            6,
            "A random sequence, twice. The largest mean weight of a head on the token after the earlier occurrence.",
            copied(found.copying),
            copied(found.toy_copying, COPY),
        ),
        Row(
            "The residual stream grows",
            6,
            "Layers after which the mean length of the vectors is larger, the first token excepted.",
            layers(text.growth, grown(text.growth), of_largest=True),
            layers(toy.growth, grown(toy.growth), of_largest=True),
        ),
        Row(
            "The prediction forms layer by layer",
            6,
            f"Logit lens, last {LENS_READ} positions: layers after which as many, or more, have the final prediction.",
            layers(text.lens, early(text.lens)),
            layers(toy.lens, early(toy.lens)),
        ),
        Row(
            "MLPs have most of the parameters",
            6,
            "The fraction of all parameters that is in the MLPs.",
            sizes(found.parts),
            sizes(found.toy_parts),
        ),
        Row(
            "With RoPE only distances count",
            5,
            f"The largest change of an attention weight if queries and keys rotate as {SHIFT} positions later.",
            heads(text.shift, f"in {several(text.shift.picture.size, 'head')}", small),
            heads(toy.shift, f"in {several(toy.shift.picture.size, 'head')}", small),
            "Small Stories has no RoPE, so its queries and keys are rotated here.",
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
    names = head_names(2, finding.picture.shape[1])[: finding.picture.shape[1]]
    layer, head = np.unravel_index(finding.picture.argmax(), finding.picture.shape)
    return f"in head {int(layer) + 1}.{names[int(head)].partition('.')[2]}"


def reference(found: Reference | None, other: str, name: str = STORIES) -> Side:
    """Return how many heads attend from the pronoun to the animal."""
    if found is None:
        return Side(None, number, "its tokens are not whole words", Markup(), name)
    more = f"of {several(found.n_clear, 'head')}; {other} a weight changes by at most {small(found.changed)}"
    return Side(found.heads, percent, more, head_picture(found.animal), name)


def copied(found: Copying, name: str = STORIES) -> Side:
    """Return what heads do in a repeated sequence."""
    more = f"{most(found.head)}; {percent(found.accuracy)} of the copies are predicted"
    return Side(found.head, number, more, head_picture(found.head.picture), name)


def grown(finding: Finding) -> str:
    """Return the length of the stream before the first layer and after the last."""
    return f"of layers; mean length {number(float(finding.picture[0]), 1)} to {number(float(finding.picture[-1]), 1)}"


def early(finding: Finding) -> str:
    """Return how many positions have the final prediction before the last layer."""
    half = len(finding.picture) // 2
    return f"of layers; {percent(float(finding.picture[half]))} of positions after {several(half, 'layer')}"


def sizes(found: PartSizes) -> Side:
    """Return where the parameters of a model are."""
    total = sum(found.parts)
    more = f"of {total:,}; the token embedding has {percent(found.parts.token_embedding / total)}"
    return Side(found.mlp, percent, more, part_picture(found.parts), STORIES)


def small(value: float) -> str:
    """Return a change, or a bound where it is below what is shown."""
    return number(value, 3) if value >= 0.001 else "less than 0.001" if value else "0"


def verdicts(rows: Sequence[Row]) -> list[tuple[str, str]]:
    """Return what each row says of both models."""
    return [(row.real.verdict, row.toy.verdict) for row in rows]
