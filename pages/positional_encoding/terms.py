"""The score of x + p split into four terms, of words and of positions."""

import streamlit as st
from markupsafe import Markup

from attention_core.experiments.positions.position_kinds import (
    ADDED,
    add_positions,
    added_positions,
    placed_attention,
    score_terms,
    summed_terms,
    term_fractions,
    term_sizes,
)
from attention_core.rows import largest_difference
from pages.charts.heatmap import CLICK, NO_LEGEND, SCORE_AXES, SMALL, heatmap, outline, scale
from pages.look import cards
from pages.look.html import in_role, number, percent, tiny
from pages.look.sentences import largest_number
from pages.page.canvas import ChosenCell
from pages.page.page import Page
from pages.page.steps import Step
from pages.positional_encoding.common import (
    NOTHING,
    added_up,
    head_over,
)
from pages.positional_encoding.scene import Scene

STEP = Step(
    "terms",
    "A score splits into four terms",
    "With x + p, query and key each have a word part and a position part. If we multiply out, the score has four "
    "terms: word · word, word · position, position · word, position · position. Raise the scale: which term takes "
    "over? The colours keep their range.",
    words="terms_strength",
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
    sizes, fractions = run("sizes", term_sizes, terms), run("fractions", term_fractions, terms)
    page.head("Fraction of each term", "· of the sum of their mean squares (RMS²)")
    one = Markup('<span>{}</span><i style="width:{:.1f}%;height:14px"></i><span class="n">{}</span>')
    bars = [one.format(what, 100 * part, percent(part)) for what, part in zip(TERMS.values(), fractions, strict=True)]
    meters = Markup('<div class="meters" style="max-width:640px;font-size:.9375rem">{}</div>')
    page.write(meters.format(Markup("").join(bars)))
    grid = st.grid(3, min_column_width=240, gap="medium")
    cell = ChosenCell(page.controls, labels, labels)
    row, column = cell.fields()
    page.prints(f"scaled score of {labels[row]} and {labels[column]}", total, row, column)
    maps = {what: getattr(terms, name) for name, what in TERMS.items()}
    layers = scale(LIMIT), SMALL, outline(row, column), CLICK
    whole = "sum: scaled scores"
    for (what, values), size in zip([*maps.items(), (whole, total)], [*sizes, None], strict=True):
        with grid.cell():
            page.head(what, f"· RMS {number(float(size))}" if size is not None else "")
            told = largest_number(values, labels, labels, what.capitalize())
            name = what.replace(",", "").replace(":", "")
            chart = heatmap(
                values, labels, labels, SCORE_AXES, *layers, what == whole or NO_LEGEND, name=name, sentence=told
            )
            page.show(chart, cell.choose, quiet=True)
    with grid.cell(), st.container(border=True):
        parts = [(what, "", float(values[row, column])) for what, values in maps.items()]
        title = Markup("{} → {}").format(in_role(labels[row], "query"), in_role(labels[column], "key"))
        page.write(cards.card(title, added_up(parts, ("scaled score", "their sum", float(total[row, column])))))
    gap = Markup("The sum of the four maps differs from the scaled scores of x + p by at most {}. {}")
    none = "" if scene.kind in ADDED else f"{NOTHING[scene.kind]}, so three of the four are 0."
    page.write(gap.format(tiny(largest_difference(total, scores)), none), "note")
