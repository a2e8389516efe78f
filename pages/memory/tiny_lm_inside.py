"""What one can do after looking inside models."""

import numpy as np

from attention_core.experiments.inside.induction import accuracy_by_ablated_head, copy_scores, recall_rows
from attention_core.experiments.inside.real_claims import shipped_claims
from attention_core.shipped.models import model_at
from attention_core.text.corpora import HELD_OUT
from pages.look.html import number, percent
from pages.questions.kinds import Choice

ROWS, LENGTH = 64, 32  # the sequences over which heads are measured


def ablations(seed: int) -> tuple[tuple[tuple[str, float, float], ...], float]:
    """Return each head with its weight on the answer and the accuracy without it, and the accuracy with all."""
    model, rows = model_at("recall"), recall_rows(ROWS, LENGTH, HELD_OUT + seed)
    scores, without = copy_scores(model, rows), accuracy_by_ablated_head(model, rows)
    heads = tuple(
        (f"head {layer + 1}.{head + 1}", float(scores.answer[layer, head]), float(without[layer, head]))
        for layer, head in np.ndindex(without.shape)
    )
    return heads, scores.accuracy


def needed_question(variant: int) -> Choice:
    """Ask whether a head with a large weight on the answer is the one that the prediction needs."""
    heads, accuracy = ablations(variant % 4)
    looks = sorted(heads, key=lambda head: -head[1])[:2]
    needed = min(heads, key=lambda head: head[2])
    shown = list(dict.fromkeys([*looks, needed]))
    weights = ", ".join(f"{name}: {number(weight)}" for name, weight, _ in shown)
    lowest, without = min(left for *_, left in shown), ", ".join(f"{name}: {percent(left)}" for name, _, left in shown)
    return Choice.of(
        "now_needed",
        f"In the Copy task, mean weights on the answer are {weights}. Accuracy without {without}. Which "
        "of these does the prediction need?",
        [name for name, _, left in shown if left == lowest],
        f"Without it the accuracy goes from {percent(accuracy)} to {percent(lowest)}. A weight says what a head "
        "attends to. Only a change of the model shows what the prediction needs.",
        {name: f"Without it the accuracy is {percent(left)}." for name, _, left in shown},
        variant,
    )


def null_question(variant: int) -> Choice:
    """Ask beside which number a measured one is evidence."""
    found = shipped_claims()["found"]
    cases = {
        "a head attends to the token before": ("a weight on the token before", found.text.previous),
        "the first token is a sink": ("a mean weight on the first token", found.text.first),
        "a head copies": ("a weight on what followed earlier in a repeated sequence", found.copying.head),
    }
    another = "That is the null of another claim: it leaves out something else."
    wrong = {
        "The largest weight at another distance": another,
        "The largest mean weight on another token": another,
        "The same weight if nothing is repeated": another,
        "The largest weight that is possible": "That is 1 for every head. It does not say what to expect without the "
        "pattern.",
    }
    place = variant % len(cases)
    claim, (what, finding) = list(cases.items())[place]
    return Choice.of(
        "now_null",
        f"In SmolLM2 we measured {what} of {number(finding.value)}. The claim is that {claim}. Which number is its "
        "null, what the measure gives without this pattern?",
        list(wrong)[place],
        f"That null is {number(finding.bound)}. It is what the measure gives without the pattern.",
        wrong,
    )


QUESTIONS = (("now_needed", needed_question), ("now_null", null_question))
