"""How one token is drawn: where the random number fell, and the table of the whole decision."""

from html import escape

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.experiments.next_token import DecisionTable, decision_table
from attention_core.model.generate import Decisions
from pages.charts.bars import share_bars
from pages.charts.cumulative_bar import running_sum
from pages.look.html import number, quoted
from pages.look.thumbnails import bars
from pages.look.thumbnails import thumbnail as thumbnail_of
from pages.page.page import Page
from pages.page.steps import Step
from pages.tiny_lm.common import generated_text
from pages.tiny_lm.draw.odds import Decision, cut, hotter, many, told
from pages.tiny_lm.draw.questions import (
    pick_question,
)
from pages.tiny_lm.glimpse import likeliest
from pages.tiny_lm.model_in_view import Subject
from pages.tiny_lm.sampling import Sampling, chosen_sampling, decided, n_written, try_buttons, writing_buttons

STEP = Step(
    "draw",
    "One token is drawn from the bet",
    "The model gives each token a number, its *logit*. The logits are divided by the temperature T, unlikely "
    "tokens are cut off, and softmax makes shares of the rest. Then one random number decides.",
)

SHOWN = 9  # rows of the table, the likeliest
WRITTEN = 5  # tokens at first: after them the small English has several good choices
NEXT = "the next one"
LOOKS = ("Temperature", "Top-k and top-p", "Many draws", "Greedy or drawn")


def draw(page: Page, scene: Subject) -> None:
    """Draw the step."""
    drawing(page, scene, chosen_sampling(page))


def thumbnail(scene: Subject) -> Markup:
    """Return the small picture of the step."""
    return thumbnail_of(bars(np.cumsum(likeliest(scene)).tolist()), None)


def drawing(page: Page, subject: Subject, sampling: Sampling) -> None:
    """Show how one token was drawn, then look closer at one of the things that decide it."""
    n_new = n_written(page, "drawn", WRITTEN)
    found = decided(page, subject, sampling, n_new)
    with st.container(border=True):
        text = st.container()
        with st.container(horizontal=True, vertical_alignment="bottom"):
            writing_buttons(page, subject, n_new, "drawn")
            place = chosen_decision(page, subject, found, n_new)
        with text:
            page.write(generated_text(subject, found, n_new, picked=place))
    temperature, top_k, top_p = sampling[:3]
    table = page.recipe.run("decision", decision_table, found, place, temperature, top_k, top_p)
    decision = Decision(found, place, table, sampling)
    if not page.ask(pick_question(subject, table, sampling, page.variant("pick"))):
        return
    laid_out(page, subject, decision)
    try_buttons(page)
    bars, rows = st.columns([1, 1.25], gap="medium")
    with bars:
        model_bets(page, subject, decision)
    with rows:
        page.write(table_of(subject, decision))
    st.header("Look closer", anchor=False)
    look = page.controls.choice("look", "Look closer", LOOKS, LOOKS[0], label_visibility="collapsed")
    if look == LOOKS[0]:
        hotter(page, subject, decision)
    elif look == LOOKS[1]:
        cut(page, subject, decision)
    elif look == LOOKS[2]:
        many(page, subject, decision)
    else:
        told(page, subject, sampling)


def chosen_decision(page: Page, subject: Subject, found: Decisions, n_new: int) -> int:
    """Draw the list of the tokens written, and return which of the decisions is looked at."""
    names = [f"{place + 1} · {subject.token(int(found.tokens[place]))}" for place in range(n_new)]
    options = [NEXT, *names[::-1]]
    chosen = page.controls.select("decision", f"Which {subject.unit}’s decision", options, NEXT, width=170)
    return n_new if chosen == NEXT else names.index(chosen)


def laid_out(page: Page, subject: Subject, decision: Decision) -> None:
    """Draw the shares that are kept end to end, and where the random number fell."""
    table = decision.table
    token = subject.token(int(table.tokens[table.rank]))
    when = "comes next" if decision.place == len(decision.found.tokens) - 1 else "was drawn"
    n_kept = int(table.kept.sum())
    greedy = np.isnan(table.drawn)
    if greedy:
        says = f"Nothing is left to chance: the likeliest, {quoted(token)}, has all of it."
    else:
        before = table.sums[table.rank] - table.shares[table.rank]
        says = (
            f"{quoted(token)} {when}: the random number {table.drawn:.2f} lies between {before:.2f} and "
            f"{table.sums[table.rank]:.2f}. {n_kept} of {len(table.kept)} {subject.unit}s share the line."
        )
    chart = running_sum(
        [subject.token(int(token)) for token in table.tokens[:n_kept]],
        table.shares[:n_kept],
        chosen=table.rank,
        drawn=None if greedy else table.drawn,
        name="running sum",
        sentence=says,
    )
    page.show(chart)


def rows_shown(table: DecisionTable) -> list[int]:
    """Return the ranks that the table shows: the likeliest, and the one that was drawn."""
    n_shown = min(SHOWN, len(table.tokens))
    return [*range(n_shown), *([table.rank] if table.rank >= n_shown else [])]


def model_bets(page: Page, subject: Subject, decision: Decision) -> None:
    """Draw the model's own bet on the tokens of the table."""
    table = decision.table
    rows = rows_shown(table)
    best = subject.token(int(table.tokens[0]))
    chart = share_bars(
        [subject.token(int(table.tokens[rank])) for rank in rows],
        table.bets[rows],
        kept=table.kept[rows],
        highlight=rows.index(table.rank),
        name="the model’s bet",
        sentence=f"The model bets {table.bets[0]:.2f} on {quoted(best)}.",
        title="the model’s bet",
        of=subject.unit,
    )
    page.show(
        chart,
        note="Whatever temperature, top-k and top-p you choose, no bar changes its length: they begin where the bet "
        f"ends. {escape(subject.origin)}",
    )


def table_of(subject: Subject, decision: Decision) -> str:
    """Return the decision as a table, likeliest first."""
    table, sampling = decision.table, decision.sampling
    greedy = np.isnan(table.drawn)
    over = "÷ T" if greedy else f"÷ {sampling.temperature:g}"
    names = (subject.unit, "logit", over, "kept", "share", "sum", "")
    lines = ["<tr>" + "".join(f"<th>{name}</th>" for name in names) + "</tr>"]
    rows = rows_shown(table)
    for place, rank in enumerate(rows):
        if place == SHOWN:
            lines.append('<tr class="out"><td colspan="7">…</td></tr>')
        kept = bool(table.kept[rank])
        why = "✓" if kept else "greedy" if greedy else "top-p" if table.kept_by_k[rank] else "top-k"
        arrow = "" if rank != table.rank else "←" if greedy else f"← {number(table.drawn)}"
        cells = (
            escape(subject.token(int(table.tokens[rank]))),
            number(float(table.logits[rank])),
            "–" if greedy else number(float(table.scaled[rank])),
            why,
            number(float(table.shares[rank])) if kept else "0",
            number(float(table.sums[rank])) if kept else "",
            arrow,
        )
        look = "taken" if rank == table.rank else "" if kept else "out"
        lines.append(f'<tr class="{look}">' + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    n_others = len(table.tokens) - len(rows)
    if n_others:
        left = (max(0.0, 1 - float(shares[rows].sum())) for shares in (table.bets, table.shares))
        bet, share = (number(part) for part in left)
        text = f"{n_others} others: {bet} of the bet, {share} of the draw"
        lines.append(f'<tr class="out"><td colspan="7">{text}</td></tr>')
    return f'<div class="decision" tabindex="0"><table>{"".join(lines)}</table></div>'
