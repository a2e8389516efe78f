"""What a head reads of a word: its whole vector, unless its matrices are cut down to a slice."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.experiments.multi_head.head_parts import block_diagonal_heads
from attention_core.experiments.multi_head.several_heads import HeadSet, attend_heads
from attention_core.experiments.qkv.explain import product_terms
from attention_core.experiments.qkv.perturb import changed_cells, one_number_changed
from pages.charts.chart import Chart, rung
from pages.charts.heatmap import SMALL, Axes, attention_heatmap, frame
from pages.charts.matrix_image import matrix_picture
from pages.look import cards
from pages.look.html import in_role, inline, prose, quoted
from pages.look.sentences import first_query
from pages.multi_head.common import choose_head, head_in_view
from pages.multi_head.scene import HeadScene, optional
from pages.page.page import Page
from pages.page.steps import Step
from pages.questions.kinds import Mistake, Number

STEP = Step(
    "reads",
    "Each head can read the whole word",
    "W_Q is cut into blocks of columns, one for each head. The queries of a head are X times its columns. Its keys and "
    "values come from W_K and W_V in the same way.",
    asks="How much of a word does a head read?",
    then="Each column multiplies every entry of a word’s vector. So Q is cut, not the vector, and with more heads the "
    "matrices keep their size.",
    words="d",
    experiment="change_by change_column change_row reads",
)

READS = ("the whole vector", "only its slice")
OUTLINED = "W_Q, a block of columns for each head. Outlined: those of head {}."
SLICED = OUTLINED + " With slices, all entries outside the diagonal blocks are 0."


def draw(page: Page, scene: HeadScene) -> bool:
    """Show which entries of a word’s vector a head reads, then how it reacts to a change of one."""
    head = head_in_view(scene)
    words = (said.get(page.controls.key("q")) for said in (page.controls.given, st.query_params))
    first, now = (scene.labels.index(word) if word in scene.labels else first_query(scene.labels) for word in words)
    labels = scene.labels[first:] + scene.labels[:first]
    ask = partial(reads_question, scene.d_model, scene.d_head, head)
    question = page.question("reads", partial(ask, labels), partial(ask, scene.labels[now:]))
    asked = labels[page.variant("reads") % len(labels)]

    def blank() -> None:
        page.show(query_matrix(scene, scene.heads, head, cuts=False), note=scene.origin)

    columns = page.ask_beside(question, blank, lambda: page.controls.put(q=asked), (1.18, 1))
    if not columns:
        return False
    with page.fields:
        row = page.controls.pick("q", "Query", scene.labels, first_query(scene.labels))
        last = f"In this head the last one is {scene.d_head}"
        entry = page.controls.integer("d", "Entry of q", 1, 64, 1, width=120, help=last)
        reads = page.controls.choice("reads", "Input of a head", READS, READS[0], help="Of head 1: the first entries")
        choose_head(page, scene)
    column = min(entry, scene.d_head) - 1
    cut = page.recipe.run("cut", block_diagonal_heads, scene.heads, scene.n_heads)
    heads = scene.heads if reads == READS[0] else cut
    said = page.recipe.text(heads.w_q)
    what = f"query of {scene.labels[row]}, entry {column + 1}"
    page.prints(what, f"x[{row}] @ {said}[:, {head * scene.d_head + column}]")
    with columns[0]:
        page.show(query_matrix(scene, heads, head, cuts=heads is cut), note=scene.origin)
    with columns[1], st.container(border=True):
        weights, label = heads.w_q[:, head * scene.d_head + column], scene.labels[row]
        terms = product_terms(scene.x[row], weights)
        title = Markup("Entry {} of the query of {} in head {}").format(column + 1, in_role(label, "query"), head + 1)
        note = f"from {np.count_nonzero(weights)} of the {len(weights)} entries of {quoted(label)}"
        ledger = cards.ledger(terms, "x", inline("W_Q"), roles=("", "query"))
        page.write(cards.card(title, ledger, cards.chain(("sum", note, terms.total))))
    page.look_closer("Change one entry of a word’s vector", partial(change_number, page, scene, cut, head))
    return True


def query_matrix(scene: HeadScene, heads: HeadSet, head: int, cuts: bool) -> Chart:
    """Return W_Q, in which the columns of one head are outlined."""
    width = scene.d_model
    return matrix_picture(
        heads.w_q,
        Axes("entry of x", "column of Q", "w"),
        limit=4 / width**0.5 if scene.is_random else rung(float(np.abs(scene.heads.w_q).max())),
        name="W_Q",
        sentence=(SLICED if cuts else OUTLINED).format(head + 1),
        height=340,
        first=1,
        blocks=scene.n_heads,
        chosen=head,
    )


def change_number(page: Page, scene: HeadScene, cut: HeadSet, head: int) -> None:
    """Change one entry of a word’s vector, and show how a head reacts that reads all of it, and one that cannot."""
    labels = scene.labels
    page.say(
        "A head that gets the whole vector may react to any entry. A head that gets only its slice reacts only to "
        "a change in its slice. Choose an entry and add something to it.",
        "",
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        word = page.controls.pick("change_row", "Word", labels, 1)
        entry = page.controls.integer("change_column", "Entry", 1, 64, 16, width=110)
        by = page.controls.slider("change_by", "Amount added", -3.0, 3.0, 2.0, 0.5, width=200)
    entry = min(entry, scene.d_model) - 1
    changed = page.recipe.run("changed", one_number_changed, scene.x, word, entry, by)
    mask = optional(scene.attention.mask)
    for what, slot, matrices, name in zip(
        READS, st.columns(2, gap="medium"), (scene.heads, cut), ("projected", "cut"), strict=True
    ):
        before = page.recipe.run(f"{name}_before", attend_heads, scene.x, matrices, scene.n_heads, *mask)
        after = page.recipe.run(f"{name}_after", attend_heads, changed, matrices, scene.n_heads, *mask)
        found = page.recipe.run(f"{name}_moved", changed_cells, before.weights, after.weights)[head]
        told = f"A head that gets {what}. Outlined weights changed."
        layers = frame(found), SMALL
        chart = attention_heatmap(after.weights[head], labels, *layers, name=f"head that gets {what}", sentence=told)
        with slot:
            page.show(chart)
    page.write(f"This entry is in the slice of head {entry // scene.d_head + 1}.", "note")


def reads_question(d_model: int, d_head: int, head: int, labels: Sequence[str], variant: int) -> Number:
    """Ask how many entries of a word's vector a head reads: of the first of some words, then of those after it."""
    text = prose(
        f"The vector of {{word}} has {d_model} entries. Its query in head {head + 1} has {d_head}, and each is a sum "
        "of products. How many products are in one sum?",
        word=labels[variant % len(labels)],
    )
    why = f"A column of W_Q has {d_model} entries, one for each entry of the word’s vector."
    slice_only = f"You counted the entries of the query ({d_head}). Each of them uses the whole vector."
    otherwise = "Each entry of the query is the dot product of the word’s vector and a column of W_Q."
    return Number("reads", text, d_model, 0.5, why, (Mistake(d_head, slice_only),), otherwise, digits=0)
