"""How a class answered: bars for options, dots for numbers, a map for cells, and the mistakes with their counts."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import streamlit as st
from markupsafe import Markup

from pages.look.html import number
from pages.page.canvas import draw_chart
from pages.page.questions.kinds import Cell, Choice, Number, Question


def draw_answers(
    place: str, question: Question, given: Sequence[Any], first: Sequence[Any] | None = None, revealed: bool = False
) -> None:
    """Draw the answers to a question, beside those of a first vote if there was one; the truth once it is revealed."""
    if isinstance(question, Choice):
        st.html(ballot(question, given, first, revealed))
        return
    from pages.charts.dots import dot_plot, guesses  # Altair, which the home page does not need

    page = place.removesuffix(f"_{question.name}")
    for label, votes in (("first vote", first), ("second vote" if first is not None else "answers", given)):
        if votes is not None:
            if isinstance(question, Number):
                right = question.right if revealed else None
                chart = dot_plot(votes, right, question.digits, name=f"{question.name} {label}", title=label)
            else:
                chart = guesses(votes, question.labels, question.right if revealed else None, name=label)
            draw_chart(page, chart)
    if revealed:
        st.html(mistakes(question, given))


def ballot(question: Choice, given: Sequence[int], first: Sequence[int] | None, revealed: bool) -> Markup:
    """Return a row for each option: its bar, its count and, once revealed, what was thought there."""
    last, before = Counter(given), Counter(first or ())
    most = max([*last.values(), *before.values(), 1])
    bar = Markup('<i class="{}" style="width:{:.1f}%"></i>')
    row = Markup('<div class="{}"><span>{}</span><div>{}</div><b>{}</b>{}</div>')
    rows = []
    for i, option in enumerate(question.options):
        is_right = revealed and i in question.right
        bars = bar.format("before", 100 * before[i] / most) if first is not None else Markup()
        bars += bar.format("last", 100 * last[i] / most)
        counted = f"{before[i]} → {last[i]}" if first is not None else str(last[i])
        thought = question.why if is_right else question.reason(i) if last[i] or before[i] else ""
        told = Markup("<p>{}</p>").format(thought) if revealed and thought else Markup()
        rows.append(row.format("right" if is_right else "", option, bars, counted, told))
    legend = Markup('<p class="soft">grey: the first vote</p>') if first is not None else Markup()
    return Markup('<div class="course ballot">{}{}</div>').format(Markup("").join(rows), legend)


def mistakes(question: Number | Cell, given: Sequence[Any]) -> Markup:
    """Return how many gave the right answer, and under it each mistake with its count."""
    wrong = Counter(question.reason(one) for one in given if not question.judge(one).right)
    right = question.name_of(question.right) if isinstance(question, Cell) else number(question.right, question.digits)
    row = Markup('<div class="{}"><b>{}</b><p>{}</p></div>')
    rows = [row.format("right", len(given) - wrong.total(), Markup("<b>{}</b> {}").format(right, question.why))]
    rows += [row.format("", times, text) for text, times in wrong.most_common()]
    return Markup('<div class="course ballot mistakes">{}</div>').format(Markup("").join(rows))
