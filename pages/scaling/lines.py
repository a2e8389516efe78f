"""Lines over d_k: one measure of many draws under three divisors, and a card with its numbers."""

import time
from typing import NamedTuple

import numpy as np
import streamlit as st

from attention_core.experiments.random_scores import DIVISORS, WIDTHS, Spread, over_widths, theory, values_of
from pages.charts.chart import Chart
from pages.charts.lines import line_chart
from pages.look import cards
from pages.look.colours import ATTENTION, SOFT
from pages.look.html import number
from pages.page.page import Page
from pages.scaling.questions import grows_question, more_question, nudge_question, variance_question
from pages.scaling.table import first_table, short, slopes_of_one_row

X_DOMAIN = (float(WIDTHS[0]), float(WIDTHS[-1]))
PATIENCE = 0.25  # seconds of work after which its progress is shown
MEASURED = {"spread": "variance", "largest": "largest_in_row", "entropy": "entropy", "gradient": "jacobian"}
NOTES = {
    "variance": "Dashed is the theory: d_k over the square of the divisor.",
    "entropy": "Divided by d_k, the scores shrink to nothing as d_k grows: every query takes the plain mean of all "
    "values, whatever it asks. A row that is fully open has chosen nothing, so neither end is safe.",
    "jacobian": "The norm counts all slopes of a row together: the root of the sum of their squares. Dividing by d_k "
    "seems to do no harm here; follow the gradient on to the query, and look again.",
    "reach": "A score is q · k over the divisor, so what comes through softmax is multiplied by k and divided once "
    "more. At large d_k, little is left for the query if one divides by d_k; undivided, nothing in most draws and far "
    "too much in a few.",
}
ENOUGH = 100  # draws: a question is about what happens on average, so a few would not do


class Measure(NamedTuple):
    """How a measure of the draws is drawn: its title, its limits, and which of the draws its line follows."""

    title: str
    limits: tuple[float, float]
    line: str = "mean"
    log: bool = False
    digits: int = 2


MEASURES = {
    "variance": Measure("variance of the scores", (2.0**-9.5, 2.0**10), log=True),
    "largest_in_row": Measure("largest weight of a row", (0, 1)),
    "entropy": Measure("entropy, as a share of its maximum", (0, 1)),
    "jacobian": Measure("norm of all slopes, d weights / d scores", (0, 0.5)),
    "reach": Measure("slopes at the query, d weights / d q, median draw", (0, 1.5), line="middle", digits=3),
}


def measured(page: Page, stage: str, named: str, d_k: int, length: int, n_draws: int, seed: int, origin: str) -> bool:
    """Ask what a measure will do, then show it over d_k; tell whether it was shown."""
    measure, enough = MEASURED[stage], max(n_draws, ENOUGH)
    if stage == "spread":
        question = variance_question(page.variant("variance"))
    elif stage == "gradient":
        products = first_table(page, d_k, length, seed)
        question = nudge_question(products, d_k, page.variant("nudge"))
    else:
        prepare("largest_in_row", WIDTHS, length, enough, seed)
        largest = over_widths("largest_in_row", WIDTHS, length, enough, seed)
        if stage == "largest":
            question = grows_question(largest, page.variant("grows"))
        else:
            question = more_question(largest, length, page.variant("more"))
    if not page.ask(question):
        return False
    if stage == "gradient":
        to = page.controls.choice("up", "Follow the gradient", ("to the scores", "to the query"), "to the scores")
        measure = "jacobian" if to == "to the scores" else "reach"
    prepare(measure, WIDTHS, length, n_draws, seed)
    spread = page.recipe.run("spread", over_widths, measure, WIDTHS, length, n_draws, seed)
    left, right = st.columns([1.18, 1], gap="medium")
    with left:
        page.show(over_d_k(spread, measure, named, d_k, all_three(spread, measure, d_k)), quiet=True)
        many = f"{n_draws} draw{'s' * (n_draws > 1)} of {length} queries and {length} keys at every d_k."
        page.say(f"{many} {origin}", "note")
    with right:
        with st.container(border=True):
            page.write(at_width(spread, measure, named, d_k))
        alike = f"All {length} keys alike would be {number(1 / length, 3)} each."
        page.say(NOTES.get(measure, alike), "note")
    if stage == "gradient":
        slopes_of_one_row(page, products, named, d_k)
    return True


def prepare(measure: str, widths: tuple[int, ...], length: int, n_draws: int, seed: int) -> None:
    """Draw what will be needed, and show how far it has come if that takes long; what is known costs nothing."""
    bar = None
    started = time.monotonic()
    for done, d_k in enumerate(widths):
        values_of(measure, d_k, length, n_draws, seed)
        if bar or time.monotonic() - started > PATIENCE:
            bar = bar or st.progress(0.0)
            share = sum(widths[: done + 1]) / sum(widths)  # the work grows with the width
            bar.progress(share, f"Drawing {n_draws:,} tables at every d_k: now {d_k}".replace(",", "\u202f"))
    if bar:
        bar.empty()


def over_d_k(spread: Spread, measure: str, chosen: str, d_k: int, sentence: str) -> Chart:
    """Return a measure along d_k for every divisor, the chosen one violet and on top, each in its band."""
    kind = MEASURES[measure]
    order = [chosen, *(name for name in DIVISORS if name != chosen)]
    lines = {f"÷ {name}": getattr(spread, kind.line)[DIVISORS.index(name)] for name in order}
    bands = {f"÷ {name}": (spread.low[i], spread.high[i]) for i, name in enumerate(DIVISORS)}
    return line_chart(
        np.array(WIDTHS, float),
        lines,
        x_title="d_k",
        y_title=kind.title,
        x_domain=X_DOMAIN,
        y_domain=kind.limits,
        name=kind.title.partition(",")[0].replace("/", "by"),
        sentence=sentence,
        band=bands,
        theory=[theory(name, WIDTHS) for name in DIVISORS] if measure == "variance" else (),
        here=d_k,
        log_x=True,
        log_y=kind.log,
        colours=(ATTENTION, SOFT, SOFT),
        number="" if kind.log else ".2f",
        height=300,
    )


def all_three(spread: Spread, measure: str, d_k: int) -> str:
    """Return what a measure is at one width, for every divisor."""
    kind, column = MEASURES[measure], WIDTHS.index(d_k)
    values = getattr(spread, kind.line)[:, column]
    told = "; ".join(f"÷ {name} {short(value, kind.digits)}" for name, value in zip(DIVISORS, values, strict=True))
    return f"At d_k = {d_k}, {kind.title.partition(',')[0]}: {told}."


def at_width(spread: Spread, measure: str, chosen: str, d_k: int) -> str:
    """Return the numbers of all divisors at one width as a card."""
    kind, column = MEASURES[measure], WIDTHS.index(d_k)
    heads = ["divided by", *(["theory"] if measure == "variance" else [])]
    heads += ["median" if kind.line == "middle" else "mean", "1 in 10 below", "1 in 10 above"]
    right = ' style="text-align:right"'
    lines = []
    for i, name in enumerate(DIVISORS):
        values = [float(theory(name, (d_k,))[0])] if measure == "variance" else []
        values += [getattr(spread, part)[i, column] for part in (kind.line, "low", "high")]
        texts = "".join(f"<td{right}>{short(value, kind.digits)}</td>" for value in values)
        style = ' style="color:var(--attention);font-weight:600"' if name == chosen else ""
        lines.append(f"<tr{style}><td>{name.replace('_k', '<sub>k</sub>')}</td>{texts}</tr>")
    head = f"<th>{heads[0]}</th>" + "".join(f"<th{right}>{text}</th>" for text in heads[1:])
    table = f'<div class="wide"><table><tr>{head}</tr>{"".join(lines)}</table></div>'
    return cards.card(f"At d<sub>k</sub> = {d_k}: {kind.title.partition(',')[0]}", table)
