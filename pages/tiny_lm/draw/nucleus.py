"""The nucleus, the tokens that top-p keeps: how its size changes with the temperature."""

import numpy as np

from attention_core.experiments.language.next_token import DecisionTable, mean_nucleus, nucleus_sizes
from pages.charts.lines import line_chart
from pages.look.html import number
from pages.page.page import Page
from pages.page.questions.kinds import Choice
from pages.tiny_lm.common import several
from pages.tiny_lm.draw.decision import Decision
from pages.tiny_lm.draw.temperature import HEATS
from pages.tiny_lm.model_in_view import Subject
from pages.tiny_lm.sampling import only_answers

EXAMPLE = 0.9  # top-p, where the settings keep all
CHANGES = ((1.0, 2.0), (1.0, 0.5), (0.5, 1.5), (2.0, 1.0))  # of T, to ask for
N_SEEDS, N_NEW = 8, 20  # texts for the mean, and the tokens of each
MEAN_AT = (0.5, 1.0, 2.0)


def nucleus_chart(page: Page, subject: Subject, decision: Decision) -> None:
    """Add the sizes of the nucleus by T to the files of the page; in view they move with the bars."""
    table, sampling = decision.table, decision.sampling
    uncut = not (sampling.top_k or sampling.top_p)
    top_p = EXAMPLE if uncut else sampling.top_p
    sizes = page.recipe.run("nucleus", nucleus_sizes, table.logits, HEATS, top_p, sampling.top_k)
    top = float(len(table.logits))
    kept = "are kept" if top_p is None else f"top-p = {top_p:g} keeps"
    page.shown.append(
        line_chart(
            np.array(HEATS),
            {"kept": sizes.astype(float)},
            x_title="temperature T",
            y_title=f"{subject.unit}s kept (log scale)",
            y_domain=(1.0, max(2.0, top)),
            name="size of the nucleus",
            sentence=f"At T = 0.1, {kept} {several(int(sizes[0]), subject.unit)}, at T = 2 {sizes[-1]:,}.",
            here=sampling.temperature or None,
            log_y=True,
            number=".0f",
        )
    )


def mean_note(page: Page, subject: Subject, decision: Decision) -> str:
    """Return the mean size of the nucleus over many predictions, for this prediction may be an exception."""
    if only_answers(subject):
        return ""
    top_p = decision.sampling.top_p or EXAMPLE
    means = page.recipe.run_once(
        "mean_sizes", mean_nucleus, subject.model, subject.tokens, N_NEW, N_SEEDS, MEAN_AT, top_p
    )
    told = ", ".join(f"{number(float(mean), 1)} at T = {heat:g}" for heat, mean in zip(MEAN_AT, means, strict=True))
    return (
        f"One prediction may be an exception. Over all {N_NEW * N_SEEDS} predictions in {N_SEEDS} texts with other "
        f"seeds, top-p = {top_p:g} keeps on average {told}."
    )


def nucleus_question(subject: Subject, table: DecisionTable, variant: int) -> Choice:
    """Ask whether top-p keeps more or fewer tokens at another temperature."""
    sizes = {change: nucleus_sizes(table.logits, change, EXAMPLE) for change in CHANGES}
    telling = [change for change, (before, after) in sizes.items() if before != after] or list(CHANGES)
    change = telling[variant % len(telling)]
    (before, after), (was, now) = sizes[change], change
    more, fewer, same = "More", "Fewer", "As many as before"
    right = more if after > before else fewer if after < before else same
    flatter = "flatter" if now > was else "more peaked"
    effect = "but not enough to change this" if right == same else f"so {right.lower()} tokens are needed"
    told = f"The prediction becomes {flatter}, {effect}."
    reasons = {
        right: "",
        more: f"You expected more. {told}",
        fewer: f"You expected fewer. {told}",
        same: "You fixed their number. Top-p fixes the sum of their probabilities, and T changes these.",
    }
    text = (
        f"At T = {was:g}, top-p = {EXAMPLE} keeps {several(int(before), subject.unit)} of this prediction. Then T "
        f"{'rises' if now > was else 'falls'} to {now:g}. How many does it keep?"
    )
    why = f"At T = {now:g} it keeps {after:,} of {len(table.logits):,}."
    if right == same:
        why += f" At both temperatures, it takes {several(int(after), subject.unit)} to reach {EXAMPLE}."
    return Choice.shuffled("nucleus", text, [right], why, reasons | {right: ""}, variant)
