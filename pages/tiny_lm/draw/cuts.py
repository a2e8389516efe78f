"""What top-k and top-p drop, and how the rest is rescaled to sum to 1."""

import numpy as np
import streamlit as st

from attention_core.experiments.language.next_token import (
    DecisionTable,
    decision_table,
)
from attention_core.model.generate import choose
from pages.charts.lines import line_chart
from pages.look import html
from pages.look.html import number, quoted
from pages.motion.sliders import draw_moving, over_numbers
from pages.page.page import Page
from pages.page.questions.kinds import Mistake, Number
from pages.tiny_lm.draw.decision import LISTED, Decision, with_probabilities
from pages.tiny_lm.draw.nucleus import mean_note, nucleus_chart, nucleus_question
from pages.tiny_lm.draw.temperature import HEATS
from pages.tiny_lm.model_in_view import Subject

FOLLOWED = 10  # tokens whose bars move
TOP_PS = tuple(round(0.05 * step, 2) for step in range(1, 21))  # those of the slider in the sidebar
RANKS = 24  # on the axis of the cumulative probability
CUTS = (0.9, 0.8, 0.7, 0.95, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05, 0.02)


def draw_cuts(page: Page, subject: Subject, decision: Decision) -> None:
    """Show what top-k and top-p drop, and how the rest is rescaled to sum to 1."""
    table = decision.table
    if not page.ask(survivors_question(subject, table, page.variant("top_p"))):
        return
    if not page.ask(nucleus_question(subject, table, page.variant("nucleus"))):
        return
    heat = decision.temperature
    whole = page.recipe.run("uncut", decision_table, decision.found, decision.place, heat)
    cut_under_hand(page, subject, decision)
    chart_of_sums(page, subject, decision, whole)
    nucleus_chart(page, subject, decision)
    page.write(mean_note(page, subject, decision), "note")
    page.heading("The rest is rescaled", small=True)
    if page.ask(renormal_question(subject, table, page.variant("top_k"))):
        draw_rescaled(page, subject, table, whole)


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
        Mistake(right - 1, f"Those sum to only {number(before, 3)}. Keep the token that reaches {top_p}, too."),
        Mistake(right + 1, f"You kept one too many: one token fewer already reaches {top_p}."),
    ]
    if abs(share - right) > 1:
        mistakes.append(
            Mistake(share, f"You took {top_p} of the {len(bets):,} tokens. Top-p adds up probabilities instead.")
        )
    return Number(
        "top_p",
        with_probabilities(
            f"Below are the model’s probabilities at T = 1. Top-p = {top_p} keeps the fewest tokens, likeliest first, "
            f"whose probabilities sum to at least {top_p}. How many tokens does it keep?",
            subject,
            table,
            bets,
            LISTED + 1,
        ),
        right,
        0.49,
        f"The first {right} sum to {number(float(sums[right - 1]), 3)}.",
        tuple(mistakes),
        "Add the probabilities from the left until the sum reaches the limit, and count them.",
        digits=0,
    )


def renormal_question(subject: Subject, table: DecisionTable, variant: int) -> Number:
    """Ask with which probability the likeliest is sampled once top-k has dropped the others."""
    top_k = min((3, 2, 4)[variant % 3], len(table.logits))
    bets = choose(table.logits, 1.0, None, None, 0.0, 1).probabilities
    right = float(choose(table.logits, 1.0, top_k, None, 0.0, 1).probabilities[0])
    best, together = round(float(bets[0]), 4), round(float(bets[:top_k].sum()), 4)  # as they are shown
    name = quoted(subject.token(int(table.tokens[0])))
    mistakes = [
        Mistake(
            best, f"This is its probability before top-k. Now divide by the sum of the kept, {number(together, 4)}."
        ),
        Mistake(1 / top_k, f"You gave all {top_k} the same probability. Rescaling keeps their ratios."),
        Mistake(
            best + (1 - together) / top_k, "You gave each the same part of the rest. Divide each by the sum instead."
        ),
    ]
    tolerance = 0.01
    return Number(
        "top_k",
        with_probabilities(
            f"Top-k = {top_k} keeps the {top_k} likeliest of these tokens. What is the probability of {name} then?",
            subject,
            table,
            bets,
        ),
        right,
        tolerance,
        f"{number(best, 4)} ÷ {number(together, 4)} = {number(best / together, 3)}. Now the kept ones sum to 1.",
        tuple(mistake for mistake in mistakes if abs(mistake.value - right) > tolerance),
        "Divide its probability by the sum of the kept ones.",
    )
