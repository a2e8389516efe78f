"""A text as training examples: each with its context, its target and its loss."""

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from attention_core.experiments.language.text_loss import Examples, cut_loss
from pages.charts.bars import fraction_bars
from pages.charts.loss_rows import example_bars
from pages.look import cards
from pages.look.facts import largest, ordered, several
from pages.look.html import number, power_of_ten, quoted
from pages.page.page import Page
from pages.tiny_lm.common import SORTED
from pages.tiny_lm.model_in_view import Subject

N_ROWS = 3
BEFORE, AFTER = 12, 3  # tokens of the context, and after the target, that are written
SETTLED = 8  # pieces: in training, a context of fewer is rare, so their losses are exceptions


def chosen_example(page: Page, subject: Subject, cases: Examples, counted: NDArray[np.bool_]) -> int:
    """Draw the list of the examples and return which is chosen; at first the included one with the largest loss."""
    options = example_names(subject)
    settled = np.arange(len(counted)) >= min(SETTLED, len(counted) - 1) * (subject.unit == "piece")
    usual = largest(np.where((counted | (not counted.any())) & settled, cases.losses, -1.0)).first
    return options.index(page.controls.select("example", "Example", options, options[usual], width=220))


def example_names(subject: Subject) -> list[str]:
    """Return the examples as a list names them: how many tokens are seen, and the target."""
    return [f"{place} → {subject.token(int(token))}" for place, token in enumerate(subject.tokens[1:], start=1)]


def chips(looks: Sequence[tuple[str, str]]) -> Markup:
    """Return tokens as chips, each with how it looks."""
    return Markup("").join(Markup('<span class="{}">{}</span>').format(*look) for look in looks)


def draw_examples(page: Page, subject: Subject, cases: Examples, counted: NDArray[np.bool_], row: int) -> None:
    """Draw a bar for each example; a click chooses it."""
    words = [subject.token(int(token)) for token in subject.tokens]
    options = example_names(subject)
    chart = example_bars(
        [f"{place} · {word}" for place, word in enumerate(words[:-1], start=1)],
        words[1:],
        cases.target_bets,
        cases.losses,
        counted,
        chosen=row,
        limit=float(np.ceil(1.5 * np.log(len(subject.vocabulary)))),  # two thirds: a uniform prediction’s
        line=float(np.log(len(subject.vocabulary))),
        name="examples",
        sentence=f"{len(words)} {subject.noun}s make {several(len(words) - 1, 'example')}.",
    )
    note = (
        f"Left: how many {subject.noun}s the context has, the last of them, and the target. Bars: the loss in nats. "
        "Dashed: that of a uniform prediction."
    )
    grey = " Grey: not included in the loss in training." if not counted.all() else ""
    page.show(chart, lambda i, _: page.controls.put(example=options[i]), f"{note}{grey}")


def draw_example(page: Page, subject: Subject, cases: Examples, row: int) -> None:
    words = [subject.token(int(token)) for token in subject.tokens]
    target = words[row + 1]
    seen, unseen = words[: row + 1], len(words) - row - 2
    looks = [*(("", word) for word in seen[-BEFORE:]), ("lit", target), *[("dark", "?")] * min(unseen, AFTER)]
    page.write(chips(looks), "chips")
    bets = cases.bets[row]
    order = ordered(bets, SORTED)[:N_ROWS]
    goal = int(cases.targets[row])
    shown = order if goal in order else [*order, goal]
    chart = fraction_bars(
        [subject.token(token) + (" · target" if token == goal else "") for token in shown],
        bets[shown],
        name="prediction of the example",
        sentence=f"The prediction for the chosen example: the {len(order)} likeliest {subject.noun}s, and the target.",
        highlight=shown.index(goal),
        of=subject.noun,
    )
    page.show(chart)
    probability = float(cases.target_bets[row])
    shown_probability = (
        power_of_ten(probability) if largest([probability], 3).kind == "none" else number(probability, 4)
    )
    lines = cards.chain(
        (
            Markup("log of the sum of e<sup>logit</sup>"),
            f"over all {len(bets):,} {subject.noun}s",
            float(cases.log_sums[row]),
        ),
        (Markup("− logit of {}").format(quoted(target)), "", float(cases.target_logits[row])),
        ("loss", Markup("= −log {}").format(shown_probability), float(cases.losses[row])),
    )
    title = Markup("Loss of <b>{}</b>: {}").format(target, number(float(cases.losses[row])))
    page.write(cards.card(title, lines))


def draw_alone(page: Page, subject: Subject, cases: Examples, row: int) -> None:
    """Write the loss of an example if the text ends with its target."""
    unseen = len(subject.tokens) - row - 2
    alone = page.recipe.run_once("alone", cut_loss, subject.model, subject.tokens, row)
    apart = abs(alone - float(cases.losses[row]))
    if subject.model.config.causal:
        said = f"If the text ends with the target, the loss is still {number(alone)}. The mask blocks everything later."
    elif unseen:
        said = (
            "This model has no mask, so it reads the target before it predicts it. "
            f"If the text ended with the target, the loss would be {number(alone, 4)}, {number(apart, 4)} away."
        )
    else:
        said = "This model has no mask, so it reads the target of every example except this last one."
    page.write(said, "note")
