"""A text as training examples: each with its context, its target and its loss."""

from collections.abc import Sequence
from functools import partial

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from attention_core.experiments.language.text_loss import Examples
from pages.charts.loss_rows import example_bars
from pages.look import cards
from pages.look.facts import largest, ordered, several
from pages.look.html import number, power_of_ten, quoted
from pages.page.page import Page
from pages.tiny_lm.common import SORTED, likeliest_bars
from pages.tiny_lm.model_in_view import Subject

N_ROWS = 3
BEFORE, AFTER = 12, 3  # tokens of the context, and after the target, that are written
SETTLED = 8  # pieces: in training, a context of fewer is rare, so their losses are exceptions
MOST, ALL = 10, 16  # examples with the largest losses, and of a text that are all shown
LARGEST = "Shown: the largest losses, and what was asked. "
LEGEND = "Left: the length of the context, its last token, and the target. Dashed: the loss of a uniform prediction."
GREY = " Grey: not included in the loss in training."


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
    return Markup("").join(Markup('<span class="{}">{}</span>').format(*look) for look in looks)


def draw_examples(
    page: Page, subject: Subject, cases: Examples, counted: NDArray[np.bool_], row: int, asked: Sequence[str]
) -> None:
    """Draw a bar for the chosen example, those asked about and those of large losses; for all, once they are opened."""
    words, options = [subject.token(int(token)) for token in subject.tokens], example_names(subject)
    uniform = float(np.log(len(subject.vocabulary)))
    told = {"tokens": several(len(words), subject.noun), "examples": several(len(options), "example")}
    every, most = [*range(len(options))], {row, *ordered(cases.losses)[:MOST]}
    few = [place for place in every if place in most or words[place + 1] in asked] if len(every) > ALL else every

    def draw(places: list[int], name: str, says: str) -> None:
        chart = example_bars(
            [f"{place + 1} · {words[place]}" for place in places],
            [words[place + 1] for place in places],
            cases.target_bets[places],
            cases.losses[places],
            counted[places],
            chosen=places.index(row),
            limit=float(np.ceil(max(1.5 * uniform, cases.losses.max()))),
            line=uniform,
            name=name,
            sentence=says.format(**told),
        )
        note = LARGEST * (len(places) < len(every)) + LEGEND + GREY * (not counted.all())
        page.show(chart, lambda i, _: page.controls.put(example=options[places[i]]), note)

    draw(few, "examples", "{tokens} make {examples}.")
    if few != every:
        page.look_closer(f"All {told['examples']}", partial(draw, every, "all examples", "All {examples}."))


def draw_example(page: Page, subject: Subject, cases: Examples, row: int) -> None:
    """Draw one example: its context and target, the prediction, and how the loss comes about."""
    words = [subject.token(int(token)) for token in subject.tokens]
    target, unseen = words[row + 1], len(words) - row - 2
    looks = [*(("", word) for word in words[: row + 1][-BEFORE:]), ("lit", target)]
    page.write(chips([*looks, *[("dark", "?")] * min(unseen, AFTER)]), "chips")
    bets, goal = cases.bets[row], int(cases.targets[row])
    shown = ordered(bets, SORTED)[:N_ROWS]
    shown += [] if goal in shown else [goal]
    names = [subject.token(token) + " · target" * (token == goal) for token in shown]
    said = "The prediction for the chosen example."
    likeliest_bars(page, names, bets[shown], "prediction of the example", said, subject.noun, shown.index(goal))
    probability, loss = float(cases.target_bets[row]), float(cases.losses[row])
    is_tiny = largest([probability], 3).kind == "none"
    log = Markup("= −log {}").format(power_of_ten(probability) if is_tiny else number(probability, 4))
    total = Markup("log of the sum of e<sup>logit</sup>"), f"over all {len(bets):,} {subject.noun}s"
    lines = cards.chain(
        (*total, float(cases.log_sums[row])),
        (f"−logit of {quoted(target)}", "", -float(cases.target_logits[row])),
        ("loss", log, loss),
    )
    page.write(cards.card(Markup("Loss of <b>{}</b>: {}").format(target, number(loss)), lines))
