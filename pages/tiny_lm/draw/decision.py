"""The decision on one token: where the random number fell, the model’s prediction, and the table of it all."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.experiments.language.next_token import Decisions, DecisionTable
from attention_core.model.generate import choose
from pages.charts.cumulative_bar import cumulative_bar
from pages.look.facts import as_shown, nearest, of_several
from pages.look.html import number, quoted
from pages.page.page import Page
from pages.questions.kinds import Choice
from pages.tiny_lm.model_in_view import Subject
from pages.tiny_lm.sampling import Decision, Sampling

N_ROWS = 6  # rows of the table, the likeliest
NEXT = "the next one"
LISTED = 6  # probabilities in a question
HEATS = (1.0, 2.0, 4.0)  # for a question about a prediction that is too certain
SURE = 0.85


def chosen_decision(page: Page, subject: Subject, found: Decisions, n_new: int) -> int:
    """Draw the list of the generated tokens, and return which of the decisions is in view."""
    names = [f"{place + 1} · {subject.token(int(found.tokens[place]))}" for place in range(n_new)]
    options = [NEXT, *names[::-1]]
    chosen = page.controls.select("decision", f"Chosen {subject.noun}", options, NEXT, width=170)
    return n_new if chosen == NEXT else names.index(chosen)


def draw_line(page: Page, subject: Subject, decision: Decision) -> None:
    """Draw the kept probabilities end to end, where the random number fell, and where the one asked for would."""
    table, sampling = decision.table, decision.sampling
    asked = asked_number(table, sampling, page.variant("pick"))
    token = subject.token(int(table.tokens[table.rank]))
    n_kept = int(table.kept.sum())
    greedy = np.isnan(table.drawn)
    if greedy:
        says = f"Greedy decoding takes the likeliest, {quoted(token)}, with probability 1."
    else:
        end, share = table.sums[table.rank], table.shares[table.rank]
        ends = [float(at) for at in (end - share, table.drawn, end)]
        digits = next((few for few in range(2, 6) if len(set(as_shown(ends, few).tolist())) == len(ends)), 6)
        low, drawn, high = (number(at, digits) for at in ends)
        says = (
            f"{quoted(token)} is picked: the number of this seed, {drawn}, is between {low} and {high}. Kept: "
            f"{of_several(n_kept, len(table.kept), subject.noun)}."
        )
    chart = cumulative_bar(
        [subject.token(int(token)) for token in table.tokens[:n_kept]],
        table.shares[:n_kept],
        chosen=table.rank,
        drawn=None if greedy else table.drawn,
        asked=asked.drawn if asked.way == sampling[:3] else None,
        name="cumulative probability",
        sentence=says,
    )
    page.show(chart)


def ask_line(page: Page, subject: Subject, decision: Decision) -> None:
    """Draw the probabilities of which a question asks end to end, without the number."""
    asked = asked_number(decision.table, decision.sampling, page.variant("pick"))
    labels = [subject.token(int(token)) for token in decision.table.tokens[: len(asked.shares)]]
    said = (
        f"At T = {asked.way[0]:g}, the probabilities end to end from 0 to 1, likeliest first. That of "
        f"{quoted(labels[0])} ends at {asked.shares[0]:.{asked.digits}f}."
    )
    page.show(cumulative_bar(labels, asked.shares, chosen=-1, drawn=None, name="probabilities", sentence=said))


def decision_rows(subject: Subject, decision: Decision) -> Markup:
    table, sampling = decision.table, decision.sampling
    greedy = np.isnan(table.drawn)
    over = "÷ T" if greedy else f"÷ {sampling.temperature:g}"
    names = (subject.noun, "logit", over, "kept", "probability", "sum", "")
    lines = [Markup("<tr>{}</tr>").format(cells_of("th", names))]
    rest = Markup('<tr class="out"><td colspan="7">{}</td></tr>')
    n_shown = min(N_ROWS, len(table.tokens))
    rows = [*range(n_shown), *([table.rank] if table.rank >= n_shown else [])]  # the likeliest, and the sampled one
    for place, rank in enumerate(rows):
        if place == N_ROWS:
            lines.append(rest.format("…"))
        kept = bool(table.kept[rank])
        why = "✓" if kept else "greedy" if greedy else "top-p" if table.kept_by_k[rank] else "top-k"
        texts = (
            subject.token(int(table.tokens[rank])),
            number(float(table.logits[rank])),
            "–" if greedy else number(float(table.scaled[rank])),
            why,
            number(float(table.shares[rank])) if kept else "0",
            number(float(table.sums[rank])) if kept else "",
            "" if rank != table.rank else "←" if greedy else f"← {number(table.drawn)}",
        )
        look = "taken" if rank == table.rank else "" if kept else "out"
        lines.append(Markup('<tr class="{}">{}</tr>').format(look, cells_of("td", texts)))
    if n_others := len(table.tokens) - len(rows):
        before, after = (number(max(0.0, 1 - float(one[rows].sum()))) for one in (table.bets, table.shares))
        lines.append(rest.format(f"{n_others:,} others: {before} predicted, {after} when sampling"))
    return Markup('<div class="decision" tabindex="0"><table>{}</table></div>').format(Markup("").join(lines))


def cells_of(tag: str, texts: Sequence[str]) -> Markup:
    cell = Markup("<{0}>{1}</{0}>")
    return Markup("").join(cell.format(tag, text) for text in texts)


class Asked(NamedTuple):
    """What a question about one decision asks: at which settings, of which probabilities, and for which number."""

    way: tuple[float, int | None, float | None]
    shares: Array  # of the kept tokens, likeliest first
    n_asked: int
    drawn: float
    digits: int


def asked_number(table: DecisionTable, sampling: Sampling, variant: int) -> Asked:
    """Return a random number to ask for, at the settings if the prediction is not too certain there."""
    ways = [sampling[:3]] if sampling.temperature else []
    for way in (*ways, *((heat, None, None) for heat in HEATS)):
        whole = choose(table.logits, *way, 0.0, 1)
        if whole.probabilities[0] <= SURE:  # else nearly every number would pick the same
            break
    shares = whole.probabilities[: whole.n_kept]
    sums, rng = shares.cumsum(), np.random.default_rng([variant, 1])
    n_asked = min(LISTED - 1, len(shares))
    wide = [rank for rank in range(n_asked) if shares[rank] >= 0.03] or list(range(n_asked))
    rank = wide[int(rng.integers(len(wide)))] if variant else wide[min(1, len(wide) - 1)]
    spot = float(sums[rank] - shares[rank] * rng.uniform(0.3, 0.7))
    digits = 2 if shares[rank] >= 0.03 else 6
    return Asked(way, shares, n_asked, round(spot, digits), digits)


def pick_question(subject: Subject, table: DecisionTable, sampling: Sampling, variant: int) -> Choice:
    way, shares, n_asked, drawn, digits = asked_number(table, sampling, variant)
    temperature, sums = way[0], shares.cumsum()
    right = choose(table.logits, *way, drawn, 1).token
    names = [subject.token(int(token)) for token in table.tokens[:n_asked]]
    shown = number(drawn, digits)
    close = nearest(shares[:n_asked], drawn, digits).first
    mistakes = []
    for place in range(n_asked):
        if place == right:
            mistakes.append("")
        elif place == 0:
            mistakes.append(
                f"This is the likeliest. It is sampled where the number is below {number(float(shares[0]), digits)}."
            )
        elif place == close:
            mistakes.append(
                "Its probability is nearest to the number. Add up the probabilities instead, likeliest first."
            )
        else:
            side = "still below the number" if place < right else "but an earlier sum is above the number already"
            mistakes.append(f"Up to it the sum is {number(float(sums[place]), digits)}, {side}.")
    before = float(sums[right] - shares[right])
    text = f"Suppose that at T = {temperature:g} the random number is {shown}. Which {subject.noun} is sampled?"
    why = (
        f"The cumulative probability is {number(before, digits)} before {quoted(names[right])} and "
        f"{number(float(sums[right]), digits)} with it, the first sum above {shown}."
    )
    return Choice("pick", text, tuple(names), (right,), why, tuple(mistakes))
