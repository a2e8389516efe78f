"""What top-k and top-p drop, how the rest is rescaled to sum to 1, and how many tokens top-p keeps at a temperature."""

from functools import partial

import numpy as np
import streamlit as st

from attention_core.experiments.language.next_token import DecisionTable, decision_table, mean_nucleus, nucleus_sizes
from pages.charts.lines import line_chart
from pages.look import html
from pages.look.html import number
from pages.motion.sliders import draw_moving, over_numbers
from pages.page.page import Page
from pages.page.questions.kinds import Choice
from pages.page.steps import Step
from pages.tiny_lm.common import several
from pages.tiny_lm.model_in_view import Subject
from pages.tiny_lm.sampling import HEATS, Decision, chosen_sampling, decided, decision_at, n_before, only_answers

STEP = Step(
    "top-k and top-p",
    "Top-k keeps a number of tokens, top-p a sum of probabilities",
    "**Top-k** keeps the k likeliest tokens. **Top-p** (nucleus sampling) keeps the fewest tokens, likeliest first, "
    "whose probabilities sum to at least p. Then the kept probabilities are rescaled to sum to 1.",
)

FOLLOWED = 10  # tokens whose bars move
TOP_PS = tuple(round(0.05 * step, 2) for step in range(1, 21))  # those of the slider in the sidebar
RANKS = 24  # on the axis of the cumulative probability
EXAMPLE = 0.9  # top-p, where the settings keep all
CHANGES = ((1.0, 2.0), (1.0, 0.5), (0.5, 1.5), (2.0, 1.0))  # of T, to ask for
N_SEEDS, N_NEW = 8, 20  # texts for the mean, and the tokens of each
MEAN_AT = (0.5, 1.0, 2.0)


def draw(page: Page, subject: Subject) -> bool:
    """Ask how many tokens top-p keeps at another temperature; then show what the cuts drop, under sliders."""
    sampling, n_new = chosen_sampling(page), n_before(subject)
    decision = decision_at(page, decided(page, subject, sampling, n_new), n_new, sampling)
    table, found = decision.table, decision.found
    if not page.ask(page.question("nucleus", partial(nucleus_question, subject, table))):
        return False
    whole = page.recipe.run("uncut", decision_table, found, n_new, decision.temperature)
    page.prints(f"probability of {subject.token(int(table.tokens[0]))}, after the cuts", table.shares, 0)
    cut_under_hand(page, subject, decision)
    chart_of_sums(page, subject, decision, whole)
    nucleus_chart(page, subject, decision)
    page.write(mean_note(page, subject, decision), "note")
    page.look_closer("The rest is rescaled", partial(draw_rescaled, page, subject, table, whole))
    return True


def chart_of_sums(page: Page, subject: Subject, decision: Decision, whole: DecisionTable) -> None:
    """Add the cumulative probability to the files of the page; in view, the bars show the cut."""
    sampling, heat = decision.sampling, decision.temperature
    n_all, n_kept = len(whole.tokens), int(decision.table.kept.sum())
    ranks = np.arange(1, min(RANKS, n_all) + 1)
    limits = {"top-p": sampling.top_p} if sampling.top_p and sampling.temperature else {}
    page.shown.append(
        line_chart(
            ranks,
            {"cumulative": whole.sums[: len(ranks)]},
            x_title=f"{subject.unit}s, likeliest first",
            y_title="cumulative probability",
            y_domain=(0, 1.02),
            name="cumulative probability",
            sentence=f"At T = {heat:g} the likeliest {subject.unit} has probability {whole.sums[0]:.2f}; the "
            f"first {len(ranks)} of {n_all:,} sum to {whole.sums[len(ranks) - 1]:.2f}.",
            baselines=limits,
            here=n_kept if n_kept <= RANKS and n_kept < n_all else None,
            dots=True,
            number="",
        )
    )


def draw_rescaled(page: Page, subject: Subject, table: DecisionTable, whole: DecisionTable) -> None:
    """Write the probabilities before the cuts and after them, and how they were rescaled."""
    n_kept = int(table.kept.sum())
    together = float(whole.shares[:n_kept].sum())
    lines = [
        (
            subject.token(int(table.tokens[rank])),
            number(float(whole.shares[rank]), 3),
            number(float(table.shares[rank]), 3),
        )
        for rank in range(min(5, len(table.tokens)))
    ]
    lines.append((f"all kept tokens: {n_kept:,}", number(together, 3), number(float(table.shares.sum()), 3)))
    left, right = st.columns(2, gap="large", vertical_alignment="center")
    with left:
        page.write(html.table(("", "before", "after"), lines, bold=len(lines) - 1))
    with right:
        page.write(
            f"Each kept probability is divided by their sum, {number(together, 3)}, so that they sum to 1 again. Top-k "
            "always keeps the same number of tokens. Top-p keeps few if the model is certain, and many if it is not.",
            "note",
        )


def cut_under_hand(page: Page, subject: Subject, decision: Decision) -> None:
    """Draw the likeliest tokens as bars that move while top-p, top-k or T is dragged."""
    table, controls = decision.table, page.controls
    greedy = not decision.sampling.temperature
    labels = [subject.token(int(token)) for token in table.tokens[:FOLLOWED]]
    top_p, top_k, heat = (controls.last(name, 1.0) for name in ("top_p", "top_k", "temperature"))
    sliders = (
        over_numbers("top_p", "Top-p (1 keeps all)", TOP_PS, top_p, greedy),
        over_numbers("top_k", "Top-k (0 keeps all)", range(21), top_k, greedy),
        over_numbers("temperature", "Temperature T", HEATS, heat, greedy),
    )
    page.head("Drag top-p, then T.", "Bars show probabilities after the cuts. Marks show them before.")
    picture = {"labels": labels, "logits": table.logits.astype(float).tolist(), "unit": subject.unit}
    draw_moving("cut", page, "cut", picture, sliders)


def nucleus_chart(page: Page, subject: Subject, decision: Decision) -> None:
    """Add the sizes of the nucleus by T to the files of the page; in view they move with the bars."""
    table, sampling = decision.table, decision.sampling
    uncut = not (sampling.top_k or sampling.top_p)
    top_p = EXAMPLE if uncut else sampling.top_p
    sizes = page.recipe.run("nucleus", nucleus_sizes, table.logits, HEATS, top_p, sampling.top_k)
    top = float(len(table.logits))
    kept = f"top-k = {sampling.top_k} keeps" if top_p is None else f"top-p = {top_p:g} keeps"
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
