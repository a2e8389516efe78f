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
from pages.tiny_lm.sampling import Sampling

N_ROWS = 6  # rows of the table, the likeliest
NEXT = "the next one"
LISTED = 6  # probabilities in a question
HEATS = (1.0, 2.0, 4.0)  # for a question about a prediction that is too certain
SURE = 0.85
WIDE = 0.03  # of the bar: probabilities that can be told apart in it
GREEDY = "Greedy decoding takes the likeliest, {token}, with probability 1."
PICKED = "{token} is picked: the number of this seed, {number}, is between {low} and {high}. Kept: {kept}."
END_TO_END = (
    "At T = {heat:g}, the probabilities end to end from 0 to 1, likeliest first. That of {token} ends at {end}."
)
ASKED = "Suppose that at T = {heat:g} the random number is {number}. Which {noun} is sampled?"
WHY = "The cumulative probability is {before} before {token} and {after} with it, the first sum above {number}."
LIKELIEST = "This is the likeliest. It is sampled where the number is below {sum}."
NEAREST = "Its probability is nearest to the number. Add up the probabilities instead, likeliest first."
BELOW = "Up to it the sum is {sum}, still below the number."
ABOVE = "Up to it the sum is {sum}, but an earlier sum is above the number already."
OTHERS = "{count:,} others: together {total}"


class Decision(NamedTuple):
    """The decision in view: which of those found, and its table."""

    found: Decisions
    place: int
    table: DecisionTable
    sampling: Sampling

    @property
    def token(self) -> int:
        return int(self.table.tokens[self.table.rank])

    @property
    def is_greedy(self) -> bool:
        return bool(np.isnan(self.table.drawn))


def chosen_decision(page: Page, subject: Subject, found: Decisions, n_new: int) -> int:
    """Draw the list of the generated tokens, and return which of the decisions is in view."""
    names = [f"{place + 1} · {subject.token(int(found.tokens[place]))}" for place in range(n_new)]
    options = [NEXT, *names[::-1]]
    chosen = page.controls.select("decision", f"Chosen {subject.noun}", options, NEXT, width=170)
    return n_new if chosen == NEXT else names.index(chosen)


def draw_sampled(page: Page, subject: Subject, decision: Decision, answered: bool) -> None:
    """Draw the kept probabilities end to end, where the random number fell, and where the one asked for would."""
    table, sampling, greedy = decision.table, decision.sampling, decision.is_greedy
    asked, kept = asked_number(table, sampling, page.variant("pick")), table.kept
    told = {"token": quoted(subject.token(decision.token)), "kept": of_several(kept.sum(), len(kept), subject.noun)}
    if not greedy:
        end, share = table.sums[table.rank], table.shares[table.rank]
        ends = [float(at) for at in (end - share, table.drawn, end)]
        digits = next((few for few in range(2, 6) if len(set(as_shown(ends, few).tolist())) == len(ends)), 6)
        told |= zip(("low", "number", "high"), (number(at, digits) for at in ends), strict=True)
    chart = cumulative_bar(
        [subject.token(int(token)) for token in table.tokens[kept]],
        table.shares[kept],
        chosen=table.rank,
        drawn=None if greedy else table.drawn,
        asked=asked.drawn if answered and asked.way == sampling[:3] else None,
        name="cumulative probability",
        sentence=(GREEDY if greedy else PICKED).format(**told),
    )
    page.show(chart)


def draw_asked(page: Page, subject: Subject, decision: Decision) -> None:
    """Draw the probabilities of which a question asks end to end, without the number."""
    asked = asked_number(decision.table, decision.sampling, page.variant("pick"))
    labels = [subject.token(int(token)) for token in decision.table.tokens[: len(asked.shares)]]
    end = number(float(asked.shares[0]), asked.digits)
    said = END_TO_END.format(heat=asked.way[0], token=quoted(labels[0]), end=end)
    page.show(cumulative_bar(labels, asked.shares, chosen=-1, drawn=None, name="probabilities", sentence=said))


def decision_rows(subject: Subject, decision: Decision) -> Markup:
    """Return the table of the likeliest tokens and the sampled one: what becomes of the logit of each."""
    table, greedy = decision.table, decision.is_greedy
    over = "÷ T" if greedy else f"÷ {decision.sampling.temperature:g}"
    names = (subject.noun, "logit", over, "kept", "probability", "sum", "")
    lines = [Markup("<tr>{}</tr>").format(cells_of("th", names))]
    rest = Markup('<tr class="out"><td colspan="7">{}</td></tr>')
    n_shown = min(N_ROWS, len(table.tokens))
    rows = [*range(n_shown), *([table.rank] if table.rank >= n_shown else [])]
    for place, rank in enumerate(rows):
        if place == N_ROWS:
            lines.append(rest.format("…"))
        kept, taken = bool(table.kept[rank]), rank == table.rank
        why = "✓" if kept else "greedy" if greedy else "top-p" if table.kept_by_k[rank] else "top-k"
        texts = (
            subject.token(int(table.tokens[rank])),
            number(float(table.logits[rank])),
            "–" if greedy else number(float(table.scaled[rank])),
            why,
            number(float(table.shares[rank])) if kept else "0",
            number(float(table.sums[rank])) if kept else "",
            "" if not taken else "←" if greedy else f"← {number(table.drawn)}",
        )
        look = "taken" if taken else "" if kept else "out"
        lines.append(Markup('<tr class="{}">{}</tr>').format(look, cells_of("td", texts)))
    if n_others := len(table.tokens) - len(rows):
        lines.append(rest.format(OTHERS.format(count=n_others, total=number(max(0.0, 1 - table.shares[rows].sum())))))
    return Markup('<div class="decision" tabindex="0"><table>{}</table></div>').format(Markup("").join(lines))


def cells_of(tag: str, texts: Sequence[str]) -> Markup:
    cell = Markup("<{0}>{1}</{0}>")
    return Markup("").join(cell.format(tag, text) for text in texts)


class AskedNumber(NamedTuple):
    """What a question about one decision asks: at which settings, of which probabilities, and for which number."""

    way: tuple[float, int | None, float | None]
    shares: Array  # of the kept tokens, likeliest first
    n_asked: int
    drawn: float
    digits: int


def asked_number(table: DecisionTable, sampling: Sampling, variant: int) -> AskedNumber:
    """Return a random number to ask for, at the settings if the prediction is not too certain there."""
    ways = [sampling[:3]] if sampling.temperature else []
    for way in (*ways, *((heat, None, None) for heat in HEATS)):
        whole = choose(table.logits, *way, 0.0, 1)
        if whole.probabilities[0] <= SURE:  # else nearly every number would pick the same
            break
    shares = whole.probabilities[: whole.n_kept]
    sums, rng = shares.cumsum(), np.random.default_rng([variant, 1])
    n_asked = min(LISTED - 1, len(shares))
    wide = [rank for rank in range(n_asked) if shares[rank] >= WIDE] or list(range(n_asked))
    rank = wide[int(rng.integers(len(wide)))] if variant else wide[min(1, len(wide) - 1)]
    spot = float(sums[rank] - shares[rank] * rng.uniform(0.3, 0.7))
    digits = 2 if shares[rank] >= WIDE else 6
    return AskedNumber(way, shares, n_asked, round(spot, digits), digits)


def pick_question(subject: Subject, decision: Decision, variant: int) -> Choice:
    table = decision.table
    way, shares, n_asked, drawn, digits = asked_number(table, decision.sampling, variant)
    sums, right = shares.cumsum(), choose(table.logits, *way, drawn, 1).token
    names = [subject.token(int(token)) for token in table.tokens[:n_asked]]
    close, wrong = nearest(shares[:n_asked], drawn, digits).first, {}
    for place, name in enumerate(names):
        text = LIKELIEST if not place else NEAREST if place == close else BELOW if place < right else ABOVE
        wrong[name] = text.format(sum=number(float(sums[place]), digits))
    ends = {"before": float(sums[right] - shares[right]), "after": float(sums[right]), "number": drawn}
    shown = {name: number(end, digits) for name, end in ends.items()}
    text = ASKED.format(heat=way[0], number=shown["number"], noun=subject.noun)
    why = WHY.format(token=quoted(names[right]), **shown)
    return Choice.of("pick", text, names[right], why, wrong)
