"""Overflow and saturation: one row under neither remedy, each, and both."""

from html import escape

import numpy as np
import streamlit as st

from attention_core.experiments.overflow import Remedies, Softened, remedies
from attention_core.experiments.random_scores import divisor
from pages.look.html import number, power_of_ten
from pages.page.page import Page
from pages.scaling.questions import two_question
from pages.scaling.table import first_table, marked, row_field, short


def two_switches(page: Page, d_k: int, length: int, seed: int) -> bool:
    """Let the student switch two remedies on and off, and see which mends overflow and which saturation."""
    controls = page.controls
    products = first_table(page, d_k, length, seed)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        constant = controls.slider("add", "Added to every score, after dividing", -150, 150, 100, 10, width=300)
        row = row_field(page, length)
    found = page.recipe.run("found", remedies, products, row, float(constant), divisor("√d_k", d_k))
    if not page.ask(two_question(found, constant, d_k, page.variant("two"))):
        return False
    with st.container(horizontal=True):
        divide = controls.switch("divided", "Divide by √d_k")
        subtract = controls.switch("subtract", "Subtract the maximum")
    names = marked("k", length)
    left, right = st.columns([1.18, 1], gap="medium")
    with left:
        page.write(board(found, divide, subtract, names))
        page.write("Reckoned in 32 bits, as models do: the largest power that fits is e to the 88.7.", "note")
    with right, st.container(border=True):
        page.write(way_of(found[2 * subtract + divide], names, subtract))
    return True


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
        trouble, of = "overflow", f"{n_broken} of {len(outcome.weights)} shares are NaN" if n_broken else "a power is ∞"
        if not outcome.exponentials.any():
            trouble, of = "underflow", "all powers round to 0"
        return f'<b style="color:var(--wrong)">✕ {trouble}</b><br><span class="soft">{of}</span>'
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
    return power_of_ten(value)
