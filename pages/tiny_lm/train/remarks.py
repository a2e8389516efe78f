"""What happened in a run, in words: each remark is made only where its numbers show it."""

from collections.abc import Iterator, Sequence

import numpy as np

from attention_core.arrays import Array
from attention_core.experiments.inside.compare_models import assess
from attention_core.model.parameters import Model
from attention_core.shipped.runs import Plan, Record
from attention_core.text.corpora import Source
from pages.look.facts import largest, smallest
from pages.look.html import number, percent
from pages.tiny_lm.train.findings import Measured

JUMP = 1.0  # nats above the least loss so far, in training and in validation: the steps are too large
OVERLAP = 0.5  # of the validation text that also stands in the training text
APART = 0.3  # nats between validation and training loss, and between validation loss and its minimum
SLOW, FLAT = 0.6, 4  # a plateau: at least so many records between this part of ln 10 and all of it
COPIED = 0.2  # of ln 10: below it the model copies
CHEATED = 0.15  # of accuracy that is lost when the answer is not in view
FEW = 8  # rows that are cut before each target


def remarks(
    plan: Plan, source: Source, records: Sequence[Record], found: Measured, model: Model, again: float
) -> Iterator[str]:
    """Yield what a student should notice about a run so far; `again`: how much of the held-out text is learned too."""
    if not records:
        return
    steps = [record.step for record in records]
    learned = np.array([record.learned for record in records])
    tested = np.array([record.tested for record in records])
    yield from learning_rate(plan, steps, learned, tested)
    yield from reads_ahead(plan, source, found, model)
    yield from memorised(again, steps, learned, tested)
    yield from plateau(source, steps, tested) if plan.config.causal else ()


def learning_rate(plan: Plan, steps: Sequence[int], learned: Array, tested: Array) -> Iterator[str]:
    """Say of losses that jump up again, in training and in validation, that the steps are too large."""
    jumps = [losses - np.minimum.accumulate(losses) for losses in (learned, tested)]
    if min(jump.max() for jump in jumps) > JUMP:
        worst = largest(jumps[1]).first
        least = float(tested[: worst + 1].min())
        yield (
            f"The losses jump: by step {steps[worst]:,} the validation loss had risen from {number(least)} to "
            f"{number(float(tested[worst]))}, and the training loss jumps too. With a learning rate of "
            f"{plan.learning_rate:g} the steps are too large here."
        )


def reads_ahead(plan: Plan, source: Source, found: Measured, model: Model) -> Iterator[str]:
    """Say of a model without a mask that it is right only while the answer is in view."""
    if plan.config.causal:
        return
    rows, counted = source.held_out(plan.config.max_len)
    alone = assess(model, rows[:FEW], None if counted is None else counted[:FEW]).cut_accuracy
    if found.value - alone > CHEATED:
        yield (
            f"Without a mask, each position sees its answer, so the accuracy is {number(found.value)}. In writing, the "
            f"answer is not there yet: {number(alone)}."
        )


def memorised(again: float, steps: Sequence[int], learned: Array, tested: Array) -> Iterator[str]:
    """Say where the model knows the training text by heart, and where the validation text cannot tell."""
    least = smallest(tested).first
    if tested[-1] - tested[least] > APART and tested[-1] - learned[-1] > APART:
        yield (
            f"The model memorises: its validation loss was lowest at step {steps[least]:,}, "
            f"{number(float(tested[least]))}, and is now {number(float(tested[-1]))}. The training loss fell to "
            f"{number(float(learned[-1]))}."
        )
    if again > OVERLAP:
        yield (
            f"{percent(again)} of the validation text also stands in the training text, eight tokens in a row. So a "
            "low validation loss here shows memory, not that the model predicts new text."
        )


def plateau(source: Source, steps: Sequence[int], tested: Array) -> Iterator[str]:
    """Say of the copy task how long the model hardly knew more than that a digit comes, and when it began to copy."""
    if source.name != "recall":
        return
    level = float(np.log(10))
    slow = np.flatnonzero((tested < level) & (tested > SLOW * level))
    copied = np.flatnonzero(tested < COPIED * level)
    if len(slow) < FLAT:
        return
    first, last = int(slow[0]), int(slow[-1])
    low, high = (float(end(tested[first : last + 1])) for end in (np.min, np.max))
    knew = f"the model knew that a digit comes (ln 10 = {number(level)}), but was not sure which digit"
    if len(copied) and copied[0] > last:
        yield (
            f"From step {steps[first]:,} to {steps[last]:,} the loss was between {number(low)} and {number(high)}: "
            f"{knew}. Then it learned to copy: {number(float(tested[copied[0]]))} at step {steps[int(copied[0])]:,}."
        )
    elif not len(copied) and last == len(tested) - 1:
        yield (
            f"Since step {steps[first]:,} the loss has been between {number(low)} and {number(high)}: {knew}. "
            "It does not copy well yet."
        )
