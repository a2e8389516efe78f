"""What is missed of a key: its weight, its contribution and its effect."""

import streamlit as st

from attention_core.experiments.head_metrics import contributions, removal_effects
from attention_core.experiments.head_parts import key_removed, most_idle
from attention_core.experiments.several_heads import head_of
from pages.charts.chart import rung
from pages.charts.heatmap import Axes, heatmap
from pages.look.colours import KEY, QUERY
from pages.look.html import number, table, typed
from pages.multi_head.looking import blocked, chosen_cell
from pages.multi_head.questions import missed_question
from pages.multi_head.scenes import HeadScene
from pages.multi_head.views import head_buttons
from pages.page.buttons import put_button
from pages.page.page import Page


def mattering(page: Page, scene: HeadScene, labels: list[str], head: int) -> None:
    """Show weight, contribution and effect of every key as three maps."""
    a, run = scene.attention, page.recipe.run
    effects = run("effects", removal_effects, a.q, a.k, a.v, scene.heads.w_o, *blocked(scene))
    if not page.ask(missed_question(a.weights, effects, labels, page.variant("missed"))):
        return
    added = run("added", contributions, a.weights, a.v, scene.heads.w_o)
    head_buttons(page, scene.n_heads, head)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        row, column = chosen_cell(page, labels, labels)
        gone = page.controls.switch("gone", "Take this key away")
    own = run("one_head", head_of, a, head)
    usual = rung(0.75 * scene.d_head**0.5)
    limit = usual if scene.steady else rung(float(max(added.max(), effects.max())))
    without = run("without", key_removed, own, column)
    maps = (
        ("weight", "How much of a key’s value is taken.", without.weights if gone else own.weights, None),
        ("contribution", "How much that adds: the weight times the length of v · W_O.", added[head], limit),
        ("effect", "How far the output moves when this key is gone.", effects[head], limit),
    )
    grid = st.grid(2, min_column_width=290, gap="medium")
    for name, sentence, values, end in maps:
        with grid.cell(), st.container(gap="xsmall"):
            axes = Axes("query", "key", name, QUERY, KEY, words=True)
            title = "weight, the key gone" if name == "weight" and gone else name
            page.write(f"<b>{title}</b>", "shape")
            chart = heatmap(
                values,
                labels,
                labels,
                axes,
                name=name,
                sentence=sentence,
                limit=end,
                chosen=(row, column),
                clickable=name == "weight",
                small=True,
                amounts=end is not None,
            )
            pick = (lambda i, j: page.controls.put(q=labels[i], k=labels[j])) if name == "weight" else None
            page.show(chart, pick)
    with grid.cell():
        page.write(f"<b>the row of {typed(labels[row])}</b>", "shape")
        lines = [
            (typed(label), number(own.weights[row, i]), number(added[head, row, i]), number(effects[head, row, i]))
            for i, label in enumerate(labels)
        ]
        page.write(table(("key", "weight", "contribution", "effect"), lines, bold=column))
        page.write(
            f"Contribution and effect are lengths of vectors that head {head + 1} writes. {scene.origin}", "note"
        )
    share, move = own.weights[row, column], effects[head, row, column]
    then = "the other keys share what is free" if without.weights[row].any() else "nothing is left to look at"
    page.say(
        f"In head {head + 1}, {{asks}} gives {number(share)} of its look to {{answers}}. Without it {then}, "
        f"and what the head writes for {{asks}} moves by **{number(move)}**; the key missed most "
        f"is {{most}}, {number(effects[head, row].max())}.",
        "",
        asks=labels[row],
        answers=labels[column],
        most=labels[int(effects[head, row].argmax())],
    )
    idle = run("idle", most_idle, a.weights, effects)
    with st.container(horizontal=True, vertical_alignment="center"):
        page.write(
            f"The brightest key that is missed least: head {idle.head + 1}, {typed(labels[idle.query])} → "
            f"{typed(labels[idle.key])}. Its weight is {number(idle.weight)}, the largest of its row; its effect is "
            f"{number(100 * idle.effect_share, 1)} % of the largest."
        )
        there = {"head": str(idle.head + 1), "q": labels[idle.query], "k": labels[idle.key]}
        put_button(page, "Look at it", there, "idle", ":material/arrow_forward:")
