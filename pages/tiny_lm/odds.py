"""What decides a draw, looked at closer: the temperature, the cuts, many draws, and greedy beside drawn."""

from html import escape
from typing import NamedTuple

import numpy as np
import streamlit as st

from attention_core.experiments.next_token import (
    DecisionTable,
    TemperatureSweep,
    decision_table,
    draw_counts,
    measure_surprisal,
    sweep_temperatures,
)
from attention_core.model.as_text import pack, unpack
from attention_core.model.generate import Decisions, decisions
from attention_core.model.parameters import Model
from attention_core.shipped.models import MODELS, model_at
from pages.charts.bars import share_bars
from pages.charts.chart import rung
from pages.charts.lines import line_chart
from pages.look.colours import ATTENTION, INK
from pages.look.html import number, quoted
from pages.page.buttons import put_button
from pages.page.page import Page
from pages.tiny_lm.betting import written
from pages.tiny_lm.drawing_questions import hotter_question, renormal_question, surprise_question, survivors_question
from pages.tiny_lm.sampling import Sampling
from pages.tiny_lm.subject import Subject

TIMES = {"10": 10, "100": 100, "1,000": 1000, "10,000": 10_000}
LENGTHS = ("20", "40", "60")
MOST_AGAIN = 999
HEATS = tuple(round(0.1 + 0.05 * step, 2) for step in range(39))  # those of the slider, 0.1 to 2
NAMED_HEATS = (0.25, 0.5, 1.0, 2.0)
PLACES = ("likeliest", "second", "third", "fourth", "fifth")  # lines of the chart
RANKS = 24  # on the axis of the running sum


class Decision(NamedTuple):
    """The decision in view: which of those found, and its table."""

    found: Decisions
    place: int
    table: DecisionTable
    sampling: Sampling

    @property
    def temperature(self) -> float:
        """The temperature, or 1 where nothing is left to chance."""
        return self.sampling.temperature or 1.0


def hotter(page: Page, subject: Subject, decision: Decision) -> None:
    """Show the same bet at every temperature."""
    if not page.ask(hotter_question(subject, decision.table, page.variant("hotter"))):
        return
    found, place, table = decision.found, decision.place, decision.table
    lines = page.recipe.run("heats", sweep_temperatures, found, place, HEATS)
    few = page.recipe.run("few_heats", sweep_temperatures, found, place, NAMED_HEATS)
    names = PLACES[: len(table.tokens)]
    tokens = [subject.token(int(token)) for token in table.tokens[: len(names)]]
    sampling = decision.sampling
    left, right = st.columns([1.18, 1], gap="medium")
    with left:
        best = quoted(tokens[0])
        chart = line_chart(
            np.array(HEATS),
            {name: lines.shares[:, int(token)] for name, token in zip(names, table.tokens, strict=False)},
            x_title="temperature T",
            y_title="share",
            x_domain=(0.1, 2.0),
            y_domain=(0, 1),
            name="shares by temperature",
            sentence=f"The share of {best} goes from {lines.shares[0].max():.2f} at T = 0.1 to "
            f"{lines.shares[-1].max():.2f} at T = 2; it stays the likeliest.",
            here=sampling.temperature or None,
            called=dict(zip(names, tokens, strict=True)),
            colours=(ATTENTION, *[INK] * (len(names) - 1)),
        )
        page.show(chart)
    with right:
        page.write(heat_table(page, subject, decision, few))
        page.write(
            "Entropy says how far the shares are spread, in nats, the unit of the natural logarithm. e to that power: "
            f"among so many {subject.unit}s, all as likely, one would hesitate as much. T towards 0 is greedy, T "
            f"without end a blind draw among all {len(table.tokens)}.",
            "note",
        )


def heat_table(page: Page, subject: Subject, decision: Decision, few: TemperatureSweep) -> str:
    """Return how sure the shares are at a few temperatures, and those of the same model before its training."""
    lines = [
        "<tr><th>T</th><th style='text-align:right'>likeliest</th><th style='text-align:right'>entropy</th>"
        "<th style='text-align:right'>hesitates among</th></tr>"
    ]
    lines += [heat_row(f"{heat:g}", few, row) for row, heat in enumerate(few.temperatures)]
    if (raw := untrained(subject)) is not None:
        page.recipe.made("untrained", raw, unpack, lambda: pack(raw))
        context = np.concatenate([subject.tokens, decision.found.tokens[: decision.place]])
        page.recipe.given("so_far", context)
        bets = page.recipe.run("untrained_bet", decisions, raw, context, 1, cache=False)
        lines.append(
            heat_row("1, untrained", page.recipe.run("untrained_heat", sweep_temperatures, bets, 0, (1.0,)), 0)
        )
    return f"<table>{''.join(lines)}</table>"


def heat_row(name: str, found: TemperatureSweep, row: int) -> str:
    """Return one line of that table."""
    cells = (
        number(float(found.shares[row].max())),
        number(float(found.entropies[row])),
        number(float(found.hesitation[row]), 1),
    )
    return f"<tr><td>{name}</td>" + "".join(f'<td style="text-align:right">{cell}</td>' for cell in cells) + "</tr>"


def untrained(subject: Subject) -> Model | None:
    """Return the model in view as it was before its training, unless that is it already, or is not known."""
    if subject.step == 0 or 0 not in subject.steps:
        return None
    if subject.name in MODELS:
        return model_at(subject.name, 0)
    return subject.own[subject.steps.index(0)]


def cut(page: Page, subject: Subject, decision: Decision) -> None:
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
        lines = ["<tr><th></th><th style='text-align:right'>before</th><th style='text-align:right'>after</th></tr>"]
        for rank in range(min(5, n_all)):
            name = escape(subject.token(int(table.tokens[rank])))
            before, after = (number(float(shares[rank]), 3) for shares in (whole.shares, table.shares))
            lines.append(
                f"<tr><td>{name}</td><td style='text-align:right'>{before}</td>"
                f"<td style='text-align:right'>{after}</td></tr>"
            )
        lines.append(
            f"<tr><td><b>all that is kept: {n_kept}</b></td><td style='text-align:right'>{number(together, 3)}</td>"
            f"<td style='text-align:right'><b>{number(float(table.shares.sum()), 3)}</b></td></tr>"
        )
        page.write(f"<table>{''.join(lines)}</table>")
        page.write(
            f"After the cut each share is divided by what is left, {number(together, 3)}, so that they sum to 1 again. "
            "Top-k keeps as many however sure the model is; top-p keeps few where it is sure and many where it is not.",
            "note",
        )


def many(page: Page, subject: Subject, decision: Decision) -> None:
    """Draw one decision many times, and hold what came against the shares."""
    legal = frozenset(map(str, range(MOST_AGAIN + 1)))
    again = int(page.controls.mark("again", "Drawn again", "0", legal.__contains__))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        times = page.controls.choice("times", "Draw this decision so many times", list(TIMES), "1,000")
        fixed = "again" in page.controls.locked or again == MOST_AGAIN
        put_button(page, "Draw again", {"again": str(again + 1)}, "again", ":material/casino:", disabled=fixed)
    n_draws, table = TIMES[times], decision.table
    seed = decision.sampling.seed + 10_000 * again
    counts = page.recipe.run("counts", draw_counts, decision.found, decision.place, n_draws, seed)
    shares = counts[table.tokens] / n_draws
    rows = list(range(min(10, len(table.tokens))))
    furthest = int(np.abs(shares - table.shares).argmax())
    token = quoted(subject.token(int(table.tokens[furthest])))
    came = int(counts[table.tokens[furthest]])
    chart = share_bars(
        [subject.token(int(table.tokens[rank])) for rank in rows],
        shares[rows],
        kept=table.kept[rows],
        expected=table.shares[rows],
        name="many draws",
        sentence=f"Of {times} draws {came:,} are {token}, where {table.shares[furthest] * n_draws:,.1f} were to be "
        "expected: no other is further off.",
        title="share of the draws",
        of=subject.unit,
    )
    n_came = int(np.count_nonzero(counts))
    some = f"{n_came} different {subject.unit}s" if n_came > 1 else f"A single {subject.unit}"
    page.show(
        chart,
        note=f"Bars: what came. Ticks: the shares. {some} came; the more draws, the nearer the bars come to the ticks.",
    )


def told(page: Page, subject: Subject, sampling: Sampling) -> None:
    """Show a greedy text beside one that was drawn, and how much either surprises the model."""
    length = int(page.controls.choice("length", f"New {subject.unit}s", LENGTHS, LENGTHS[-1]))
    heat = sampling.temperature or 1.0
    drawn_so = Sampling(heat, *sampling[1:]) if sampling.temperature else Sampling(1.0, None, None, sampling.seed)
    greedy = page.recipe.run("greedy", decisions, subject.model, subject.tokens, length, 0.0)
    drawn = page.recipe.run("drawn", decisions, subject.model, subject.tokens, length, *drawn_so)
    tellings = [
        page.recipe.run(f"{name}_told", measure_surprisal, text)
        for name, text in (("greedy", greedy), ("drawn", drawn))
    ]
    question = surprise_question(tellings[0].surprise, tellings[1].surprise, drawn_so.how, page.variant("surprise"))
    if not page.ask(question):
        return
    titles = ("Greedy: always the likeliest", f"Drawn: {drawn_so.how}, seed {sampling.seed}")
    for side, title, text, found in zip(st.columns(2, gap="medium"), titles, (greedy, drawn), tellings, strict=True):
        with side:
            st.subheader(title, anchor=False)
            again = int(found.repeats.sum())
            circle = (
                f"At the end {found.period} go round and round."
                if found.period > 1
                else "At the end one goes on for ever."
                if found.period
                else "At the end nothing goes round."
            )
            page.write(written(subject, text, length, again=found.repeats, ends=False))
            page.write(
                f"A {subject.unit} surprises by <b>{number(found.surprise)} nats</b> on average. {again} of {length} "
                f"{subject.unit}s (underlined) end a run of four that stood there before. {circle}",
                "note",
            )
    most = rung(max(float(found.surprises.max()) for found in tellings))
    names = ("drawn", "greedy")
    chart = line_chart(
        np.arange(1, length + 1),
        {name: found.surprises for name, found in zip(names, tellings[::-1], strict=True)},
        x_title=f"new {subject.unit}",
        y_title="surprise · nats",
        x_domain=(1, length),
        y_domain=(0, most),
        name="surprise",
        sentence=f"The largest surprise of the drawn text is {tellings[1].surprises.max():.2f} nats, of the greedy one "
        f"{tellings[0].surprises.max():.2f}.",
        number="",
    )
    page.show(chart)
    page.write(
        f"The surprise of a {subject.unit} is −log of the share that the model itself gave it: its bar. What is greedy "
        "follows from what the model reads alone: once it reads the same again, so it goes on. A draw may leave the "
        "circle.",
        "note",
    )
