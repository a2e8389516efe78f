"""The pictures of the lesson on scaling: lines over d_k, one draw closely, two switches, and what constants do."""

import time
from functools import lru_cache
from html import escape
from typing import NamedTuple

import numpy as np
import streamlit as st

from attention_core.arrays import Array
from attention_core.draws import (
    DIVISORS,
    WIDTHS,
    Spread,
    Trial,
    normal_density,
    one_table,
    over_widths,
    statistics,
    theory,
)
from attention_core.overflow import Remedies, Softened, remedies
from attention_core.softmax import Exponentials
from attention_core.what_if import dot_products, softmax_at
from pages.shared import cards
from pages.shared.charts.chart import Chart
from pages.shared.charts.heatmap import ATTENTION_AXES, Axes, heatmap
from pages.shared.charts.histogram import histogram
from pages.shared.charts.lines import line_chart
from pages.shared.colours import ATTENTION, INK, SOFT
from pages.shared.markup import number

SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
X_DOMAIN = (float(WIDTHS[0]), float(WIDTHS[-1]))
BELL = 60.0  # the scores that a histogram has room for
PATIENCE = 0.25  # seconds of work after which its progress is shown
JACOBIAN_AXES = Axes("weight", "score", "slope")


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
    "entropy": Measure("entropy, of its maximum", (0, 1)),
    "jacobian": Measure("norm of all slopes, d weights / d scores", (0, 0.5)),
    "reach": Measure("slopes at the query, d weights / d q, median draw", (0, 1.5), line="middle", digits=3),
}


def marked(letter: str, length: int) -> list[str]:
    """Return the names of queries or keys: q₁, q₂, …"""
    return [f"{letter}{i}".translate(SUBSCRIPTS) for i in range(1, length + 1)]


def prepare(widths: tuple[int, ...], length: int, n_draws: int, seed: int) -> None:
    """Draw what will be needed, and show how far it has come if that takes long; what is known costs nothing."""
    bar = None
    started = time.monotonic()
    for done, d_k in enumerate(widths):
        statistics(d_k, length, n_draws, seed)
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
        height=340,
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


def short(value: float, digits: int = 2) -> str:
    """Return a number of any size with few digits."""
    if value >= 100:
        return number(value, 0)
    return number(value, digits) if value >= 0.095 or value < 5e-5 else f"{value:.2g}"


def bell(scores: Array, deviation: float, named: str, d_k: int) -> Chart:
    """Return where the scores of many draws lie, and where the theory says that they should."""
    at = np.linspace(-BELL, BELL, 601)
    outside = float((np.abs(scores) > BELL).mean())
    said = (
        f"{number(scores.size, 0)} scores at d_k = {d_k}, divided by {named}. Their deviation should be "
        f"{short(deviation)}; it is {short(float(scores.std()))}."
    )
    if outside:
        said += f" {outside:.1%} lie further out and are counted at the ends."
    return histogram(
        scores,
        low=-BELL,
        high=BELL,
        n_bins=120,
        y_max=0.55,
        x_title="score",
        y_title="share of scores",
        name="scores",
        sentence=said,
        theory=(at, normal_density(at, deviation)),
    )


def weights_map(
    weights: Array, name: str, sentence: str, cell: tuple[int | None, int | None] = (None, None), **options: object
) -> Chart:
    """Return the weights of one draw: a row for each query, a column for each key."""
    rows, columns = marked("q", len(weights)), marked("k", weights.shape[-1])
    return heatmap(weights, rows, columns, ATTENTION_AXES, name=name, sentence=sentence, chosen=cell, **options)


def weight_card(
    products: Array, scores: Array, powers: Exponentials, weights: Array, row: int, column: int, by: str
) -> str:
    """Return how one product became a weight."""
    place = (row, column)
    shift = float(powers.shift[row, 0])
    lines = [("sum", "q · k", products[place]), (by, "score", scores[place])]
    if shift:
        lines.append((f"− {number(shift)}", "the row’s maximum", scores[place] - shift))
    lines.append((f"e<sup>{number(scores[place] - shift)}</sup>", "", powers.values[place]))
    lines.append(("÷ row sum", "", powers.sums[row, 0]))
    asks, answers = (
        f'<b class="{role}">{name}</b>'
        for role, name in (("query", marked("q", row + 1)[-1]), ("key", marked("k", column + 1)[-1]))
    )
    title = f"How {asks} → {answers} became {number(weights[place])}"
    return cards.card(title, cards.chain(*lines, ("weight", "", weights[place])))


def slopes(jacobian: Array, row: int, norm: float, named: str) -> Chart:
    """Return how each weight of one row moves when a score does."""
    length = len(jacobian)
    said = (
        f"Row q{row + 1}, divided by {named}: how fast each weight moves with each score. The norm, the root of the "
        f"sum of all squares, is {short(norm, 3)}."
    )
    labels = marked("k", length)
    return heatmap(jacobian, labels, labels, JACOBIAN_AXES, name="slopes", sentence=said, limit=0.25, small=True)


def claim_lines(
    widths: tuple[int, ...], trial: Trial, single: Array, uniform: float, draw: int, sentence: str
) -> Chart:
    """Return one draw as dots on a line, over the mean and the band of many."""
    mean = f"mean of {trial.n_draws}" if trial.n_draws > 1 else "the same draw"
    return line_chart(
        np.array(widths, float),
        {f"draw {draw}": single, mean: trial.mean},
        x_title="d_k",
        y_title="largest weight",
        x_domain=(float(widths[0]), float(widths[-1])),
        y_domain=(0, 1),
        name="one draw and many",
        sentence=sentence,
        band={mean: (trial.low, trial.high)},
        baselines={"all alike": uniform},
        log_x=True,
        dots=True,
        colours=(INK, ATTENTION),
        height=340,
    )


def board(found: Remedies, divide: bool, subtract: bool, names: list[str]) -> str:
    """Return the row under neither remedy, each, and both: two columns, two rows; the chosen one outlined."""
    panels = []
    titles = ("neither", "divide", "subtract", "divide and subtract")
    for i, (title, outcome) in enumerate(zip(titles, found, strict=True)):
        chosen = i == 2 * subtract + divide
        panels.append(panel(title, outcome, names, chosen))
    return f'<div style="display:grid;grid-template-columns:1fr 1fr;gap:14px">{"".join(panels)}</div>'


def panel(title: str, outcome: Softened, names: list[str], chosen: bool) -> str:
    """Return one outcome as bars with their numbers, and in a line what is wrong with it."""
    bars = []
    for name, weight in zip(names, outcome.weights, strict=True):
        width = f"{100 * float(weight):.1f}%" if np.isfinite(weight) else "0"
        bars.append(
            f'<span class="soft">{name}</span><span style="position:relative;height:12px"><i style="position:absolute;'
            f'left:0;top:0;bottom:0;width:{width};background:var(--attention);border-radius:2px"></i></span>'
            f'<span style="text-align:right">{number(float(weight))}</span>'
        )
    edge = "2px solid var(--ink)" if chosen else "1px solid var(--rule)"
    return (
        f'<div style="border:{edge};border-radius:6px;padding:{9 if chosen else 10}px 12px">'
        f'<div style="font-weight:{700 if chosen else 400};margin-bottom:6px">{title}</div>'
        '<div style="display:grid;grid-template-columns:1.6rem 1fr 2.8rem;align-items:center;row-gap:2px;'
        f'font-size:.8125rem">{"".join(bars)}</div>'
        f'<div style="margin-top:8px;font-size:.875rem">{judged(outcome)}</div></div>'
    )


def judged(outcome: Softened) -> str:
    """Return what an outcome suffers from."""
    if outcome.overflowed:
        n_broken = int((~np.isfinite(outcome.weights)).sum())
        of = f"{n_broken} of {len(outcome.weights)} shares are NaN" if n_broken else "a power is ∞"
        return f'<b style="color:var(--wrong)">✕ overflow</b><br><span class="soft">{of}</span>'
    slope = f'<br><span class="soft">norm of the slopes {short(outcome.gradient, 3)}</span>'
    if outcome.largest > 0.9:
        return f'<b style="color:var(--wrong)">✕ saturated</b>{slope}'
    return f'<b style="color:var(--right)">✓ a choice left open</b>{slope}'


def way_of(outcome: Softened, names: list[str], subtract: bool) -> str:
    """Return every number on the way of one row: score, power, share."""
    power = "e<sup>s − max</sup>" if subtract else "e<sup>s</sup>"
    right = ' style="text-align:right"'
    head = f"<th>key</th><th{right}>score s</th><th{right}>{power}</th><th{right}>share</th>"
    lines = []
    for name, score, exponential, weight in zip(names, *outcome[:3], strict=True):
        cells = (number(float(score)), large(float(exponential)), number(float(weight)))
        lines.append(f"<tr><td>{escape(name)}</td>" + "".join(f"<td{right}>{cell}</td>" for cell in cells) + "</tr>")
    return f'<div class="wide"><table><tr>{head}</tr>{"".join(lines)}</table></div>'


def large(value: float) -> str:
    """Return a number that may be very large or very small."""
    if np.isinf(value) or value == 0 or 0.005 <= value < 1e5:
        return number(value)
    digits, power = f"{value:.1e}".split("e")
    return f"{digits} · 10<sup>{str(int(power)).replace('-', '−')}</sup>"


@lru_cache(maxsize=1)
def thumbnails() -> dict[str, str]:
    """Return a small picture for each stage, of a hundred small tables; the same for everybody."""
    many = {
        name: over_widths(name, WIDTHS, 4, 100, 0) for name in ("variance", "largest_in_row", "entropy", "jacobian")
    }
    pictures = {
        "spread": skyline(np.log2(many["variance"].mean[0] + 1) / 9),
        "largest": skyline(many["largest_in_row"].mean[0]),
        "entropy": skyline(many["entropy"].mean[0]),
        "gradient": skyline(many["jacobian"].mean[0] / many["jacobian"].mean[0].max()),
        "claims": skyline(statistics(64, 4, 100, 0).largest[1, :10]),
        "scores": skyline(normal_density(np.linspace(-3, 3, 10), 1.0) / 0.4),
    }
    table = one_table(64, 4, 0, 0)
    products = dot_products(table.q, table.k)
    right, wrong = (softmax_at(products, by) for by in (8.0, 4.0))
    pictures["d_v"] = cards.thumbnail(np.hstack([right, np.zeros((4, 1)), wrong]), None, 60)
    outcomes = remedies(products, 0, 100.0, 8.0)
    largest = np.array([outcome.largest for outcome in outcomes]).reshape(2, 2)
    pictures["overflow"] = cards.thumbnail(largest, None, 40)
    pictures["constant"] = cards.thumbnail(right, None, 40)
    return pictures


def skyline(heights: Array) -> str:
    """Return shares as columns in a thumbnail."""
    rows = np.arange(10)[::-1, None]
    return cards.thumbnail((heights[None, :] * 10 > rows + 0.5) * 0.7, None)
