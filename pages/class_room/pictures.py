"""How a class answered: bars for options, dots for numbers, a map for cells, and the mistakes with their counts."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import streamlit as st
from markupsafe import Markup

from pages.look.html import caption, number
from pages.page.canvas import draw_chart
from pages.questions.kinds import BY_TEACHER, Cell, Choice, Number, Question


class Tally(NamedTuple):
    """An answer or a mistake, how often it was given in the last vote and in the first of two, and why."""

    answer: str
    last: int
    first: int | None
    right: bool
    why: str


def tally(question: Question, given: Sequence[Any], first: Sequence[Any] | None) -> list[Tally]:
    """Return a line for each option; of a number or a cell one for the right answer, and one for each mistake."""
    if isinstance(question, Choice):
        last, before = Counter(given), Counter(first or ())
        return [
            Tally(option, last[i], None if first is None else before[i], i in question.right, reason(question, i))
            for i, option in enumerate(question.options)
        ]
    last, before = (Counter(reason(question, one) for one in votes or ()) for votes in (given, first))
    right = question.name_of(question.right) if isinstance(question, Cell) else number(question.right, question.digits)
    if isinstance(question, Number) and question.name.startswith(BY_TEACHER) and round(question.tolerance, 6):
        right += f" ± {question.tolerance:g}"
    numbers: dict[str, list[str]] = {}
    for one, _ in Counter([*given, *(first or ())]).most_common():
        numbers.setdefault(reason(question, one), []).append(
            question.name_of(one) if isinstance(question, Cell) else f"{one:g}".replace("-", "−")
        )
    told = {why: ", ".join([*names[:12], *["…"] * (len(names) > 12)]) for why, names in numbers.items()}
    reasons = [question.why, *(why for why, _ in (last + before).most_common() if why != question.why)]
    return [
        Tally(told[why] if i else right, last[why], None if first is None else before[why], not i, why)
        for i, why in enumerate(reasons)
    ]


def reason(question: Any, given: Any) -> str:
    return question.why if question.judge(given).right else question.reason(given)


def draw_answers(
    place: str, question: Question, given: Sequence[Any], first: Sequence[Any] | None = None, revealed: bool = False
) -> None:
    """Draw the answers to a question, beside those of a first vote if there was one; the truth once it is revealed."""
    if not isinstance(question, Choice):
        from pages.charts.dots import dot_plot, guesses  # Altair, which the home page does not need

        page = place.removesuffix(f"_{question.name}")
        for label, votes in (("first vote", first), ("second vote" if first is not None else "answers", given)):
            if votes is None:
                continue
            if isinstance(question, Number):
                right = question.right if revealed else None
                chart = dot_plot(votes, right, question.digits, name=f"{question.name} {label}", title=label)
            else:
                chart = guesses(votes, question.labels, question.right if revealed else None, name=label)
            draw_chart(page, chart)
    if revealed or isinstance(question, Choice):
        st.html(ballot(tally(question, given, first), revealed))


def ballot(lines: Sequence[Tally], revealed: bool) -> Markup:
    """Return a bar and a count for each line and, once revealed, what was thought there."""
    most = max([1, *(line.last for line in lines), *(line.first or 0 for line in lines)])
    bar = Markup('<i class="{}" style="width:{:.1f}%"></i>')
    row = Markup('<div class="{}"><span>{}</span><div>{}</div><b>{}</b>{}</div>')
    rows = []
    for line in lines:
        bars = Markup() if line.first is None else bar.format("before", 100 * line.first / most)
        bars += bar.format("last", 100 * line.last / most)
        counted = str(line.last) if line.first is None else f"{line.first} → {line.last}"
        told = revealed and not line.right and (line.last or line.first)  # why it is right stands above
        thought = Markup("<p>{}</p>").format(caption(line.why)) if told else Markup()
        look = "right" if revealed and line.right else ""
        rows.append(row.format(look, caption(line.answer), bars, counted, thought))
    voted_twice = any(line.first for line in lines)
    legend = Markup('<p class="soft">grey: the first vote</p>') if voted_twice else Markup()
    return Markup('<div class="course ballot">{}{}</div>').format(Markup("").join(rows), legend)
