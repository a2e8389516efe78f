"""A text as training examples: each row with its context, its target and what it cost."""

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from attention_core.experiments.text_loss import Examples, cut_loss
from pages.charts.bars import share_bars
from pages.charts.loss_rows import example_bars
from pages.look import cards
from pages.look.html import number, power_of_ten, quoted, typed
from pages.page.page import Page
from pages.tiny_lm.common import loss_ceiling
from pages.tiny_lm.model_in_view import Subject

SHOWN = 6


def chosen_example(page: Page, subject: Subject, cases: Examples, counted: NDArray[np.bool_]) -> int:
    """Draw the list of the examples and return which is chosen; at first the costliest of those that count."""
    options = example_names(subject)
    usual = int(np.where(counted | (not counted.any()), cases.losses, -1.0).argmax())
    return options.index(page.controls.select("example", "Example", options, options[usual], width=220))


def example_names(subject: Subject) -> list[str]:
    """Return the examples as a list names them: how many tokens are seen, and the target."""
    return [f"{place} → {subject.token(int(token))}" for place, token in enumerate(subject.tokens[1:], start=1)]


def draw_examples(page: Page, subject: Subject, cases: Examples, counted: NDArray[np.bool_], row: int) -> None:
    """Draw a row for each example; a click chooses it."""
    words = [subject.token(int(token)) for token in subject.tokens]
    worst = int(cases.losses.argmax())
    share = float(cases.target_bets[worst])
    given = f"{share:.2f}" if share >= 0.005 else "less than 0.01"
    options = example_names(subject)
    chart = example_bars(
        [f"{place} · {word}" for place, word in enumerate(words[:-1], start=1)],
        words[1:],
        cases.target_bets,
        cases.losses,
        counted,
        chosen=row,
        limit=loss_ceiling(subject),
        line=float(np.log(len(subject.vocabulary))),
        name="examples",
        sentence=f"{len(words)} {subject.unit}s make {len(words) - 1} example{'s' * (len(words) > 2)}. The costliest "
        f"is {quoted(words[worst + 1])} after {worst + 1}: the model gave it {given}, and it cost "
        f"{cases.losses[worst]:.2f} nats.",
    )
    note = (
        "Before each row stands how many are seen. A nat is the unit of the natural logarithm; the dashed line is the "
        "loss of a model that knows nothing."
    )
    grey = " Grey rows do not count in this model’s training." if not counted.all() else ""
    page.show(chart, lambda i, _: page.controls.put(example=options[i]), f"{note}{grey} {subject.origin}")


def draw_example(page: Page, subject: Subject, cases: Examples, row: int) -> None:
    """Draw the context, the bet and the loss of one example."""
    words = [subject.token(int(token)) for token in subject.tokens]
    target = words[row + 1]
    seen, unseen = words[: row + 1], len(words) - row - 2
    looks = [*(("", word) for word in seen), ("lit", target), *[("dark", "?")] * unseen]
    chip = Markup('<span class="{}">{}</span>')
    page.write(Markup("").join(chip.format(*look) for look in looks), "chips")
    bets = cases.bets[row]
    order = [int(token) for token in np.argsort(-bets, kind="stable")[:SHOWN]]
    goal = int(cases.targets[row])
    shown = order if goal in order else [*order, goal]
    chart = share_bars(
        [subject.token(token) + (" · target" if token == goal else "") for token in shown],
        bets[shown],
        name="one bet",
        sentence=f"The bet of the chosen example: its {len(order)} likeliest, and the target.",
        highlight=shown.index(goal),
        title="share",
        of=subject.unit,
    )
    page.show(chart)
    share = float(cases.target_bets[row])
    shown_share = number(share, 4) if share >= 0.001 else power_of_ten(share)
    lines = cards.chain(
        (
            Markup("log of the sum of e<sup>logit</sup>"),
            f"over all {len(bets)} {subject.unit}s",
            float(cases.log_sums[row]),
        ),
        (Markup("− logit of {}").format(typed(target)), "", float(cases.target_logits[row])),
        ("loss", Markup("= −log {}").format(shown_share), float(cases.losses[row])),
    )
    title = Markup("How <b>{}</b> came to cost {}").format(target, number(float(cases.losses[row])))
    page.write(cards.card(title, lines))
    alone = page.recipe.run("alone", cut_loss, subject.model, subject.tokens, row)
    apart = abs(alone - float(cases.losses[row]))
    if subject.model.config.causal:
        said = (
            f"Nothing after the target was seen: with the text cut off behind it, the loss is {number(alone, 4)} "
            f"again, {'to the last digit' if apart < 1e-5 else f'{number(apart, 4)} away'}. That is the causal mask at "
            "work, and why all rows can be computed at once."
        )
    else:
        said = (
            f"This model has no mask: it reads the target before it bets. With the text cut off, the loss would be "
            f"{number(alone, 4)}, {number(apart, 4)} away."
        )
    page.write(said, "note")
