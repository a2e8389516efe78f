"""The score of x + p split into four terms, of words and of positions."""

import streamlit as st
from markupsafe import Markup

from attention_core.experiments.positions.position_kinds import (
    add_positions,
    added_positions,
    placed_attention,
    score_terms,
    summed_terms,
    term_fractions,
)
from attention_core.rows import largest_difference
from pages.charts.heatmap import CLICK, NO_LEGEND, SCORE_AXES, SMALL, heatmap, outline, scale
from pages.look import cards
from pages.look.html import in_role, percent, tiny
from pages.look.sentences import largest_number
from pages.page.canvas import ChosenCell
from pages.page.page import Page
from pages.page.steps import Step
from pages.positional_encoding.common import added_up, head_over
from pages.positional_encoding.scene import Scene

STEP = Step(
    "terms",
    "A score splits into four terms",
    "With x + p, query and key each have a word part and a position part, so a score is the sum of four terms. A head "
    "can look for words, for positions, or for both. Raise the scale of the positions and see which term grows.",
    experiment="terms_strength",
)

LIMIT = 8.0  # of the colours at every scale, so that a term is seen to grow; beyond it they stay the same
TERMS = {
    "word_word": "word query, word key",
    "word_place": "word query, position key",
    "place_word": "position query, word key",
    "place_place": "position query, position key",
}


def draw(page: Page, scene: Scene) -> None:
    """Split the scores of x + p into four terms."""
    run, labels = page.recipe.run, scene.labels
    x, head = head_over(page, scene)
    table = run("table", added_positions, scene.kind, len(labels), scene.d_model, scene.base, 0, scene.seed)
    nothing = run("nothing", added_positions, "none", len(labels), scene.d_model)
    positions = run("positions", add_positions, nothing, table, scene.strength)
    terms = run("terms", score_terms, x, positions, head)
    total = run("total", summed_terms, terms)
    scores = run("attention", placed_attention, add_positions(x, positions), head, "none").scores
    fractions = run("fractions", term_fractions, terms)
    page.head("Fraction of each term", "· of the sum of their mean squares")
    one = Markup('<span>{}</span><i style="width:{:.1f}%;height:14px"></i><span class="n">{}</span>')
    bars = [one.format(what, 100 * part, percent(part)) for what, part in zip(TERMS.values(), fractions, strict=True)]
    meters = Markup('<div class="meters" style="max-width:640px;font-size:.9375rem">{}</div>')
    page.write(meters.format(Markup("").join(bars)))
    places = st.columns(len(TERMS), gap="small")
    cell = ChosenCell(page.controls, labels, labels)
    below, beside = st.columns([1, 1.5], gap="medium")
    with below, st.container(horizontal=True):
        row, column = cell.fields()
    page.prints(f"scaled score of {labels[row]} and {labels[column]}", f"total[{row}][{column}]")
    layers = scale(LIMIT), SMALL, outline(row, column), CLICK
    maps = {what: getattr(terms, name) for name, what in TERMS.items()}
    for place, (what, values) in zip(places, maps.items(), strict=True):
        with place:
            page.head(what)
            told = largest_number(values, labels, labels, what.capitalize())
            legend = what == list(TERMS.values())[-1] or NO_LEGEND
            name = what.replace(",", "")
            chart = heatmap(values, labels, labels, SCORE_AXES, *layers, legend, name=name, sentence=told)
            page.show(chart, cell.choose, quiet=True)
    with beside, st.container(border=True):
        parts = [(what, "", float(values[row, column])) for what, values in maps.items()]
        title = Markup("{} → {}").format(in_role(labels[row], "query"), in_role(labels[column], "key"))
        page.write(cards.card(title, added_up(parts, ("scaled score", "their sum", float(total[row, column])))))
    gap = Markup("In all cells, the sum of the four differs from the scaled score by at most {}.")
    with below:
        page.write(gap.format(tiny(largest_difference(total, scores))), "note")
