"""Which earlier head does a later head need? The question of the bench."""

import numpy as np

from attention_core.arrays import Array, Tokens
from attention_core.experiments.inside.patching import Dependence, run_with_heads
from attention_core.model.activations import Insides
from pages.look.html import number, quoted
from pages.questions.kinds import Choice
from pages.server.model_cache import cached
from pages.tiny_lm.common import MAX_OPTIONS
from pages.tiny_lm.model_in_view import Subject


def bench_question(
    subject: Subject, inside: Insides, without: Array, link: Dependence, instead: Array | None, other: Tokens | None
) -> Choice:
    """Ask without which head of an earlier layer a later head's weight on a key falls most."""
    later, key = link.later, link.key
    earlier = [(layer, head) for layer in range(later[0]) for head in range(without.shape[1])]
    left = {head: float(without[head][later][key]) for head in earlier}
    looks = {head: float(inside.weights[head][-1, key]) for head in earlier}
    by_drop = sorted(earlier, key=lambda head: left[head])
    looking = max(earlier, key=lambda head: looks[head])
    offered = sorted(list(dict.fromkeys([by_drop[0], looking, by_drop[-1], *by_drop[1:]]))[:MAX_OPTIONS])
    least = number(min(left[head] for head in offered))  # as it is shown: equal numbers are both right
    last, what = quoted(subject.labels[-1]), quoted(subject.labels[key])
    how = "its mean output"
    if other is not None:
        differs = subject.tokens != other
        there = ", ".join(quoted(subject.token(token)) for token in dict.fromkeys(other[differs].tolist()))
        here = ", ".join(quoted(subject.labels[place]) for place in np.flatnonzero(differs))
        how = f"its output from a prompt with {there} in place of {here}"
    mistakes = []
    for head in offered:
        text = f"With head {name(head)} changed, the weight is {number(left[head])}."
        if head == looking:
            text += f" Of all earlier heads, this one gives {what} the largest weight, {number(looks[head])}."
        mistakes.append("" if number(left[head]) == least else text)
    best = offered[int(np.argmin([left[head] for head in offered]))]
    changed = best[0] * without.shape[1] + best[1]
    last_only = cached(run_with_heads, subject.model, subject.tokens, (changed,), instead, len(subject.tokens) - 1)
    return Choice(
        "bench",
        f"From {last}, head {name(later)} gives {what} the weight {number(link.weight)}. Now one of "
        f"these heads gets {how}. With which one is that weight smallest?",
        tuple(f"head {name(head)}" for head in offered),
        tuple(place for place, head in enumerate(offered) if number(left[head]) == least),
        f"With head {name(best)} changed, the weight is {number(left[best])}. If it is changed at {last} only, the "
        f"weight is {number(float(last_only.weights[later][-1, key]))}. Its own weight from {last} on {what} is "
        f"{number(looks[best])}.",
        tuple(mistakes),
    )


def name(head: tuple[int, int]) -> str:
    return f"{head[0] + 1}.{head[1] + 1}"
