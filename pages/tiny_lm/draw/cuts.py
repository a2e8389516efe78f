"""What top-k and top-p cut off, and that the rest is made whole again."""

import numpy as np
import streamlit as st

from attention_core.experiments.next_token import (
    DecisionTable,
    decision_table,
)
from attention_core.model.generate import choose
from pages.charts.lines import line_chart
from pages.look import html
from pages.look.html import number, quoted
from pages.page.page import Page
from pages.page.questions import Mistake, Number
from pages.tiny_lm.draw.decision import LISTED, Decision, with_shares
from pages.tiny_lm.model_in_view import Subject

RANKS = 24  # on the axis of the running sum
CUTS = (0.9, 0.8, 0.7, 0.95, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05, 0.02)


def draw_cuts(page: Page, subject: Subject, decision: Decision) -> None:
    """Show what top-k and top-p cut off, and that the rest is made whole again."""
    table, sampling = decision.table, decision.sampling
    if not page.ask(survivors_question(subject, table, page.variant("top_p"))):
        return
    if not page.ask(renormal_question(subject, table, page.variant("top_k"))):
        return
    heat = decision.temperature
    whole = page.recipe.run("uncut", decision_table, decision.found, decision.place, heat)
    n_all, n_kept = len(table.tokens), int(table.kept.sum())
    left, right = st.columns([1.18, 1], gap="medium")
    with left:
        ranks = np.arange(1, min(RANKS, n_all) + 1)
        limits = {"top-p": sampling.top_p} if sampling.top_p and sampling.temperature else {}
        chart = line_chart(
            ranks,
            {"running sum": whole.sums[: len(ranks)]},
            x_title=f"{subject.unit}s, likeliest first",
            y_title="share together",
            x_domain=(1, RANKS),
            y_domain=(0, 1.02),
            name="what is kept",
            sentence=f"At T = {heat:g} the likeliest {subject.unit} has {whole.sums[0]:.2f}; the first "
            f"{len(ranks)} of {n_all} have {whole.sums[len(ranks) - 1]:.2f} together.",
            baselines=limits,
            here=n_kept if n_kept <= RANKS and n_kept < n_all else None,
            dots=True,
            number="",
        )
        page.show(chart, note="The line across is top-p; the upright one stands where the cut falls.")
    with right:
        together = float(whole.shares[:n_kept].sum())
        lines = [
            (
                subject.token(int(table.tokens[rank])),
                number(float(whole.shares[rank]), 3),
                number(float(table.shares[rank]), 3),
            )
            for rank in range(min(5, n_all))
        ]
        lines.append((f"all that is kept: {n_kept}", number(together, 3), number(float(table.shares.sum()), 3)))
        page.write(html.table(("", "before", "after"), lines, bold=len(lines) - 1))
        page.write(
            f"After the cut each share is divided by what is left, {number(together, 3)}, so that they sum to 1 again. "
            "Top-k keeps as many however sure the model is; top-p keeps few where it is sure and many where it is not.",
            "note",
        )


def survivors_question(subject: Subject, table: DecisionTable, variant: int) -> Number:
    """Ask how many tokens survive top-p."""
    bets = choose(table.logits, 1.0, None, None, 0.0, 1).probabilities
    sums = bets.cumsum()
    clear = [
        top_p
        for top_p in CUTS
        if np.abs(sums - top_p).min() > 0.006 and 2 <= choose(table.logits, 1.0, None, top_p, 0.0, 1).n_kept <= LISTED
    ] or [0.9]
    top_p = clear[variant % len(clear)]
    right = choose(table.logits, 1.0, None, top_p, 0.0, 1).n_kept
    before = float(sums[right - 2]) if right > 1 else 0.0
    share = int(top_p * len(bets))
    mistakes = [
        Mistake(right - 1, f"Together they reach only {number(before)}; the one that crosses {top_p} is kept as well."),
        Mistake(right + 1, f"One fewer reaches {top_p} already."),
    ]
    if abs(share - right) > 1:
        mistakes.append(Mistake(share, f"That is {top_p} of the {len(bets)} tokens. Top-p adds up shares."))
    return Number(
        "top_p",
        with_shares(
            f"The model bets as below, at T = 1. Top-p = {top_p} keeps the fewest tokens, likeliest first, that "
            f"together reach {top_p}. How many survive?",
            subject,
            table,
            bets,
            LISTED + 1,
        ),
        right,
        0.5,
        f"The first {right} together: {number(float(sums[right - 1]), 3)}.",
        tuple(mistakes),
        "Add the shares from the left until the sum reaches the limit, and count.",
        digits=0,
    )


def renormal_question(subject: Subject, table: DecisionTable, variant: int) -> Number:
    """Ask from which share the likeliest is drawn once top-k has cut the others."""
    top_k = min((3, 2, 4)[variant % 3], len(table.logits))
    bets = choose(table.logits, 1.0, None, None, 0.0, 1).probabilities
    right = float(choose(table.logits, 1.0, top_k, None, 0.0, 1).probabilities[0])
    best, together = float(bets[0]), float(bets[:top_k].sum())
    name = quoted(subject.token(int(table.tokens[0])))
    mistakes = [
        Mistake(best, f"Then the {top_k} would sum to {number(together)}, and a number above it would draw nothing."),
        Mistake(1 / top_k, "That would make them all alike; what is kept keeps its proportions."),
        Mistake(best + (1 - together) / top_k, "What was cut is not handed out in equal parts: all are divided alike."),
    ]
    tolerance = 0.01
    return Number(
        "top_k",
        with_shares(
            f"Top-k = {top_k} keeps the {top_k} likeliest of this bet. With which share is {name} drawn then?",
            subject,
            table,
            bets,
        ),
        right,
        tolerance,
        f"{number(best, 3)} ÷ {number(together, 3)} = {number(right, 3)}: what is left is divided by its sum.",
        tuple(mistake for mistake in mistakes if abs(mistake.value - right) > tolerance),
        "Divide its share by the sum of those that are kept.",
    )
