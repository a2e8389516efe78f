"""What is missed of a key: its weight, its contribution and its effect."""

import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.experiments.head_metrics import contributions, removal_effects
from attention_core.experiments.head_parts import find_unneeded_top_key, idle_rows, remove_key
from pages.charts.chart import rung
from pages.charts.heatmap import Axes, heatmap
from pages.look import thumbnails
from pages.look.colours import KEY, QUERY
from pages.look.html import number, prose, table, typed
from pages.multi_head.common import attention_of_head, choose_head, given_numbers
from pages.multi_head.scene import HeadScene, optional
from pages.page.buttons import put_button
from pages.page.page import Page
from pages.page.questions import Choice
from pages.page.steps import Step
from pages.page.word_fields import chosen_cell

STEP = Step(
    "effect",
    "Bright is not the same as needed",
    "A weight says how much of a value is taken, not how large that value is, nor what would fill the gap. Three "
    "maps of one head: the weight, what it adds to the output, and how far the output moves when that key is gone.",
)

MOST_ROWS = 6  # about which is asked
VISIBLE = 0.005  # what two moves must differ by to be told apart in what is shown of them


def draw(page: Page, scene: HeadScene) -> bool:
    """Show weight, contribution and effect of every key as three maps."""
    a, labels, run = scene.attention, scene.labels, page.recipe.run
    effects = run("effects", removal_effects, a.q, a.k, a.v, scene.heads.w_o, *optional(scene.blocked))
    if not page.ask(missed_question(a.weights, effects, labels, page.variant("missed"))):
        return False
    added = run("added", contributions, a.weights, a.v, scene.heads.w_o)
    head = choose_head(page, scene)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        row, column = chosen_cell(page, labels, labels)
        gone = page.controls.switch("gone", "Take this key away")
    own = attention_of_head(page, a, head)
    usual = rung(0.75 * scene.d_head**0.5)
    limit = usual if scene.is_random else rung(float(max(added.max(), effects.max())))
    without = run("without", remove_key, own, column)
    maps = (
        ("weight", "How much of a key’s value is taken.", without.weights if gone else own.weights, None),
        ("contribution", "How much that adds: the weight times the length of v · W_O.", added[head], limit),
        ("effect", "How far the output moves when this key is gone.", effects[head], limit),
    )
    grid = st.grid(2, min_column_width=290, gap="medium")
    for name, sentence, values, end in maps:
        with grid.cell(), st.container(gap="xsmall"):
            page.head("weight, the key gone" if name == "weight" and gone else name)
            chart = heatmap(
                values,
                labels,
                labels,
                Axes("query", "key", name, QUERY, KEY, words=True),
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
        page.head(Markup("the row of {}").format(typed(labels[row])))
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
    offer_brightest(page, scene, effects)
    return True


def thumbnail(scene: HeadScene) -> Markup:
    """Return the small picture of the step."""
    attention = scene.attention
    return thumbnails.thumbnail(contributions(attention.weights, attention.v, scene.heads.w_o)[0], None)


def offer_brightest(page: Page, scene: HeadScene, effects: Array) -> None:
    """Say which key is the brightest of its row and is missed least, with a button that leads there."""
    labels = scene.labels
    idle = page.recipe.run("idle", find_unneeded_top_key, scene.attention.weights, effects)
    asks, answers = labels[idle.query], labels[idle.key]
    with st.container(horizontal=True, vertical_alignment="center"):
        page.write(
            Markup(
                "The brightest key that is missed least: head {}, {} → {}. Its weight is {}, the largest of its row; "
                "its effect is {} % of the largest."
            ).format(
                idle.head + 1, typed(asks), typed(answers), number(idle.weight), number(100 * idle.effect_share, 1)
            )
        )
        there = {"head": str(idle.head + 1), "q": asks, "k": answers}
        put_button(page, "Look at it", there, "idle", ":material/arrow_forward:")


def missed_question(weights: Array, effects: Array, labels: list[str], variant: int) -> Choice:
    """Ask which key is missed most, first in the rows whose brightest key is missed least."""
    rows = idle_rows(weights, effects).tolist()
    rows = [place for place in rows if effects[*place].max() > 10 * VISIBLE] or rows
    head, row = rows[variant % min(MOST_ROWS, len(rows))]
    shares, moves = weights[head, row], effects[head, row]
    text = prose(
        f"This is where {{word}} looks in head {head + 1}. Take one word away, and the others share its weight. Which "
        "one will the output miss most?",
        word=labels[row],
    )
    text += given_numbers(f"{label} {number(share)}" for label, share in zip(labels, shares, strict=True))
    right = tuple(i for i, move in enumerate(moves) if move > moves.max() - VISIBLE)
    most = Markup(" or ").join(typed(labels[i]) for i in right)
    why = Markup("Without {} the output moves by {}, the most of all.").format(most, number(moves.max()))
    brightest = int(shares.argmax())
    if brightest not in right:
        why += Markup(" Without the brightest, {}, by {}.").format(typed(labels[brightest]), number(moves[brightest]))
    mistakes = []
    for i, (share, move) in enumerate(zip(shares, moves, strict=True)):
        if i in right:
            mistakes.append("")
        elif i == brightest:
            mistakes.append("It has the largest weight, but what it brings is near to what the others bring anyway.")
        elif share == 0:
            mistakes.append("It has no weight at all, so nothing goes missing with it.")
        else:
            mistakes.append(f"Taking it away moves the output by {number(move)} only.")
    return Choice("missed", text, tuple(labels), right, why, tuple(mistakes))
