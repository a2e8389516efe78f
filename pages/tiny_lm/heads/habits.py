"""The clearest pattern of each head above uniform attention, and the head that has most of a pattern."""

import numpy as np

from attention_core.experiments.inside.head_patterns import CLEAR, NOTHING, Patterns, habits_above, patterns
from attention_core.model.activations import insides
from pages.charts.heatmap import NO_LEGEND, SMALL, attention_heatmap
from pages.look.html import number, percent, prose, table
from pages.look.sentences import brightest_cell
from pages.page.page import Page
from pages.page.questions.kinds import Mistake, Number
from pages.tiny_lm.common import head_name
from pages.tiny_lm.heads_view import LONG, SHORT
from pages.tiny_lm.model_in_view import Subject

ENLARGED = 24  # last tokens of an enlarged map
NEARLY = 0.05  # a weight that was at most this much smaller was there before training


def name_table(page: Page, before: Patterns | None, after: Patterns, even: Patterns, names: list[str]) -> None:
    """Write the clearest pattern of each head, with its weight and that of uniform attention; `before`: untrained."""
    habits = page.recipe.run("clearest", habits_above, after, even)
    page.say(
        f"Name a head by the pattern that is furthest **above uniform attention**. If no pattern is {CLEAR} above it, "
        "these measures cannot name the head. It may still do something that they do not measure.",
        "",
    )
    lines, unlearned = [], []
    for place, (pattern, above) in enumerate(zip(habits.pattern.ravel(), habits.above.ravel(), strict=True)):
        if pattern == NOTHING:
            lines.append([names[place], "none of these patterns", "", "", "", number(above)])
            continue
        field = list(LONG)[int(pattern)]
        now, was = ("–" if found is None else number(getattr(found, field).ravel()[place]) for found in (after, before))
        base = number(getattr(even, field)[0, 0])
        more = number(float(now) - float(base))  # of the numbers as they are shown, so that it can be checked
        lines.append([names[place], LONG[field], now, was, base, more])
        if before is not None and float(was) > float(now) - NEARLY:
            unlearned.append(names[place])
    head = ["head", "attends most clearly to", "weight", "untrained", "uniform", "above uniform"]
    page.write(table(head, lines, left=2, folds=True))
    if unlearned:
        few = f"Head {unlearned[0]}" if len(unlearned) == 1 else f"Heads {', '.join(unlearned)}"
        page.write(f"{few}: the untrained weight is as large, or nearly. It was there before training.", "note")


def enlarged(page: Page, subject: Subject, after: Patterns, even: Patterns, names: list[str]) -> None:
    """Draw the head that has most of a pattern, on the prompt."""
    page.heading("The head with most of a pattern", small=True)
    chosen = page.controls.choice("pattern", "Pattern", list(SHORT.values()), SHORT["previous"])
    field = next(field for field, word in SHORT.items() if word == chosen)
    values = getattr(after, field)
    place = int(values.argmax())
    inside = page.recipe.run_once("inside", insides, subject.model, subject.tokens)
    first = max(0, len(subject.labels) - ENLARGED)
    labels = subject.labels[first:]
    shown = inside.weights.reshape(len(names), *inside.weights.shape[2:])[place, first:, first:]
    layer, head = divmod(place, inside.weights.shape[1])
    what = f"largest weight of the last token in {names[place]}"
    page.prints(what, f"inside.weights[{layer}, {head}, -1].max()")
    here = page.recipe.run_once("here", patterns, subject.model, subject.tokens[None])
    layers = SMALL, NO_LEGEND
    sentence = f"{head_name(names[place]).capitalize()} on the prompt: {brightest_cell(shown, labels, len(labels) - 1)}"
    page.show(
        attention_heatmap(shown, labels, *layers, name="one head", sentence=sentence),
        note=over_many(field, float(values.max()), float(getattr(even, field)[0, 0]))
        + f"; on this prompt {number(float(getattr(here, field).ravel()[place]))}."
        + (f" The map shows the last {ENLARGED} tokens." if first else ""),
    )


def over_many(field: str, value: float, even: float) -> str:
    """Return what one measure of a head says over many texts."""
    if field == "spread":
        return f"Over many texts its entropy is {percent(value)} of the maximum"
    return f"Over many texts its mean weight on {LONG[field]} is {number(value)}, uniform attention {number(even)}"


def even_question(length: int, causal: bool, even: float) -> Number:
    """Ask for the weight of uniform attention on the first token."""
    asking = f"tokens 2 to {length}" if length > 2 else "second tokens"
    text = prose(
        f"A head attends *uniformly* to all tokens {'up to itself' if causal else 'of the sequence'}. In sequences of "
        f"{length} tokens, what weight do {asking} give to the first token, on average?"
    )
    if causal:
        why = (
            f"Token 2 gives it 1/2, and so on down to 1/{length} from the last. The mean is {number(even, 3)}. "
            "Compare every weight with this baseline."
        )
        wrong = Mistake(1 / length, f"You took the last token, which gives it 1/{length}. Earlier tokens give it more.")
    else:
        why = f"Each token sees all {length} and gives it 1/{length} = {number(even, 3)}. Compare weights with this."
        counted = (np.log(length) + 0.58 - 1) / max(1, length - 1)
        wrong = Mistake(counted, "You counted only earlier tokens. Without a mask each token also sees later ones.")
    hint = "Take the mean of 1/2, 1/3, …" if causal else f"Each token has {length} equal weights that sum to 1."
    return Number("even", text, even, 0.012 if length > 16 else 0.03, why, (wrong,), hint, 3)
