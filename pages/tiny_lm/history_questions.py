"""What the steps on training and heads ask; every answer is computed from the models as they stand."""

from html import escape

import numpy as np

from attention_core.arrays import Array
from attention_core.experiments.compare_models import Assessment
from attention_core.experiments.head_patterns import Patterns
from pages.look.html import number, quoted
from pages.page.questions import Cell, Choice, Mistake, Number
from pages.tiny_lm.checkpoints import At

SHARES = ((0.15, "hardly any of it"), (0.4, "about a quarter"), (0.65, "about half"), (10.0, "most of it"))
NEAR = 0.1  # of accuracy: so much makes no difference


def way_question(moments: list[At], losses: list[float], variant: int) -> Choice:
    """Ask how much of what the loss falls by has fallen at some moment between."""
    place = 1 + (variant + 1) % (len(moments) - 2)
    step, last = moments[place].step, moments[-1].step
    fallen = (losses[0] - losses[place]) / max(losses[0] - losses[-1], 1e-9)
    right = next(name for limit, name in SHARES if fallen < limit)
    why = (
        f"The loss is {number(losses[0])} before training, {number(losses[place])} after {step:,} steps and "
        f"{number(losses[-1])} at the end: {100 * fallen:.0f} % of the way after {100 * step / last:.0f} % of the "
        f"steps."
    )
    mistakes = {name: "Steps and loss do not go hand in hand." for _, name in SHARES}
    text = (
        f"In {last:,} steps of training the loss falls from its first value to its last. How much of that way has it "
        f"gone after {step:,} steps, {100 * step / last:.0f} % of them?"
    )
    options = tuple(mistakes)
    return Choice("way", text, options, (options.index(right),), why, tuple(mistakes.values()))


def twin_question(part: str, complete: Assessment, twin: Assessment, variant: int) -> Choice:
    """Ask what becomes of the loss and of the writing without a part."""
    better, worse, same, lower = (
        "Its loss is lower, and it writes better",
        "Its loss is higher, and it writes worse",
        "Little changes",
        "Its loss is lower, yet it writes worse",
    )
    falls, suffers = twin.loss < complete.loss / 2, twin.cut_accuracy < complete.cut_accuracy - NEAR
    right = lower if falls and suffers else worse if suffers else better if falls and gains(complete, twin) else same
    why = (
        f"Loss {number(twin.loss)} against {number(complete.loss)} of the complete one; and where nothing stands after "
        f"the text, as when it writes, its first bet is right {share(twin.cut_accuracy)} of the time against "
        f"{share(complete.cut_accuracy)}."
    )
    mistakes = {
        better: "A low loss is worth something only if training asks the question that writing asks."
        if falls
        else "Its loss is not lower.",
        worse: "Only one of the two is so.",
        same: "It changes more than that.",
        lower: "Here the two go together.",
    }
    if right == same:
        mistakes = dict.fromkeys(mistakes, "Neither changes by much.")
    text = f"The same model, the same steps, but with {part}. What do you expect of the twin?"
    return Choice.shuffled("twin", text, [right], why, mistakes, variant)


def gains(complete: Assessment, twin: Assessment) -> bool:
    """Tell whether the twin writes better than the complete model."""
    return twin.cut_accuracy > complete.cut_accuracy + NEAR


def share(value: float) -> str:
    """Return a share in percent."""
    return f"{100 * value:.0f} %"


def copy_question(labels: list[str], asks: int, answers: int) -> Cell:
    """Ask which cell a head must light up so that the answer can be copied."""
    letter, digit = (escape(quoted(labels[place])) for place in (asks, answers))
    return Cell(
        "copy",
        f"The row {escape(''.join(label.rstrip('₀₁₂₃₄₅₆₇₈₉') for label in labels))} ends on a letter that stood "
        "there before. A head shall fetch its digit. In which cell of its map must the weight lie: which row looks, "
        "and at which column?",
        tuple(labels),
        (asks, answers),
        f"The last row asks, {letter}, and what it needs is {digit}, the token <i>after</i> the same letter.",
        "Row and column are swapped: the row is the one that looks.",
        "The same letter earlier is no answer by itself, only the sign that the next token is one.",
    )


def off_question(names: list[str], scores: Array, without: Array, accuracy: float, variant: int) -> Choice:
    """Ask which head is missed most when it is switched off."""
    costs = accuracy - without.ravel()
    order = np.argsort(-costs, kind="stable")
    loud = [int(head) for head in np.argsort(-scores.ravel(), kind="stable")[:2]]
    shown = list(dict.fromkeys([int(order[0]), *loud, int(order[-1]), *map(int, order)]))[:4]
    right = [names[head] for head in shown if costs[head] >= costs.max() - 1e-9]
    best = int(order[0])
    why = (
        f"Without {names[best]} the model is right {share(without.ravel()[best])} of the time in place of "
        f"{share(accuracy)}: more is lost than with any other head. It gives {number(float(scores.ravel()[best]))} of "
        "its look to the answers."
    )
    mistakes = {
        names[head]: f"Without it {share(without.ravel()[head])} are right; {number(float(scores.ravel()[head]))} "
        "of its look goes to the answers."
        for head in sorted(shown)
    }
    text = (
        "Each head is switched off in turn: what it writes is set to zero. Which of these is missed most? One job is "
        "to tell a digit which letter it belongs to, another to fetch the digit for a letter; who does how much of "
        "them stands under “since when”."
    )
    return Choice.shuffled("off", text, right, why, mistakes, variant)


def even_question(length: int, causal: bool, even: float) -> Number:
    """Ask how much of an even look goes to the first token."""
    text = (
        f"A head might look evenly at every token that it may see. In rows of {length} tokens, how much of its look "
        "goes to the <i>first</i> token then, on average over all tokens after it?"
    )
    if causal:
        why = (
            f"The second token sees 2 and gives it 1/2, the last sees {length} and gives it 1/{length}: on average "
            f"{number(even)}. So a share means little until it is held against this one."
        )
        wrong = Mistake(1 / length, f"1/{length} is what the last token gives it; the others see fewer.")
    else:
        why = f"Each sees all {length} tokens: {number(even)}. A share means little until it is held against this one."
        wrong = Mistake((np.log(length) + 0.58 - 1) / max(1, length - 1), "This model looks ahead too.")
    return Number("even", text, even, 0.012 if length > 16 else 0.03, why, (wrong,), "Take the mean of 1/2, 1/3, …")


def grown_question(names: dict[str, str], before: Patterns, after: Patterns, variant: int) -> Choice:
    """Ask which pattern of the strongest head grew most in training."""
    fields = [field for field in names if field != "spread"]
    first = {field: float(getattr(before, field).max()) for field in fields}
    last = {field: float(getattr(after, field).max()) for field in fields}
    gained = {field: last[field] - first[field] for field in fields}
    best = max(fields, key=lambda field: gained[field])
    said = {field: f"from {number(first[field])} to {number(last[field])}" for field in fields}
    why = f"Of the head with the most of it, “{names[best]}” went {said[best]}."
    mistakes = {names[field]: f"“{names[field].capitalize()}” went {said[field]}." for field in fields}
    text = (
        "For every pattern, take the head that has most of it, before training and after. Which pattern has grown most?"
    )
    return Choice.shuffled("grown", text, [names[best]], why, mistakes, variant)
