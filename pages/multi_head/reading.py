"""What a head reads of a word: all its numbers, unless it were cut down to its slice."""

import numpy as np
import streamlit as st

from attention_core.experiments.explain import product_terms
from attention_core.experiments.head_parts import sliced_heads
from attention_core.experiments.perturb import moved, one_number_changed
from attention_core.experiments.several_heads import attend_heads
from pages.charts.chart import rung
from pages.charts.heatmap import ATTENTION_AXES, Axes, heatmap
from pages.charts.matrix_image import matrix_picture
from pages.look.html import typed
from pages.multi_head.looking import chosen_word
from pages.multi_head.questions import reads_question
from pages.multi_head.scenes import HeadScene
from pages.multi_head.views import head_buttons, query_card
from pages.page.page import Page

READS = ("the whole vector", "only its slice")
MATRIX_AXES = Axes("number of x", "number of q", "w")


def reading(page: Page, scene: HeadScene, labels: list[str], head: int) -> None:
    """Show which numbers of a word a head reads: all of them, unless it were cut down to its slice."""
    d_model = scene.x.shape[1]
    asks = labels[page.variant("reads") % len(labels)]
    if not page.ask(reads_question(d_model, scene.d_head, head, asks)):
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        reads = page.controls.choice("reads", "A head reads", READS, READS[0])
        row = chosen_word(page, "q", "Query · row", labels)
        column = page.controls.whole("d", "Number of the query", 1, 64, 1, width=160)
    head_buttons(page, scene.n_heads, head)
    column = min(column, scene.d_head) - 1
    cut = page.recipe.run("cut", sliced_heads, scene.heads, scene.n_heads)
    heads = scene.heads if reads == READS[0] else cut
    first, last = head * scene.d_head + 1, (head + 1) * scene.d_head
    limit = 4 / d_model**0.5 if scene.steady else rung(float(np.abs(scene.heads.w_q).max()))
    left, right = st.columns([1.18, 1], gap="medium")
    with left:
        sentence = f"W_Q, {d_model} × {d_model}. Outlined is what head {head + 1} owns: columns {first} to {last}."
        if reads == READS[1]:
            sentence += " With slices, all numbers outside of the blocks on the diagonal would be 0."
        picture = matrix_picture(
            heads.w_q,
            MATRIX_AXES,
            limit=limit,
            name="W_Q",
            sentence=sentence,
            height=430,
            first=1,
            blocks=scene.n_heads,
            chosen=head,
        )
        page.show(picture, note=scene.origin)
    with right, st.container(border=True):
        weights = heads.w_q[:, first - 1 + column]
        used = int(np.count_nonzero(weights))
        page.write(query_card(product_terms(scene.x[row], weights), labels[row], head, column, used))

    st.header("Change a number, see who notices", anchor=False)
    page.say(
        "Add something to one number of a word’s vector. A head that reads the whole vector can notice it; a head that "
        "had only its slice would notice a change in its slice alone.",
        "",
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        word = chosen_word(page, "change_row", "In word", labels, 1)
        place = page.controls.whole("change_column", "Number", 1, 64, 16, width=110)
        by = page.controls.slider("change_by", "Add to it", -3.0, 3.0, 2.0, 0.5, width=200)
    place = min(place, d_model) - 1
    changed = page.recipe.run("changed", one_number_changed, scene.x, word, place, by)
    first_map, second_map = st.columns(2, gap="medium")
    mask = [] if scene.attention.mask is None else [scene.attention.mask]
    for title, slot, matrices, name in (
        ("reads the whole vector", first_map, scene.heads, "projected"),
        ("reads only its slice", second_map, cut, "cut"),
    ):
        before = page.recipe.run(f"{name}_before", attend_heads, scene.x, matrices, scene.n_heads, *mask)
        after = page.recipe.run(f"{name}_after", attend_heads, changed, matrices, scene.n_heads, *mask)
        found = page.recipe.run(f"{name}_moved", moved, before.weights, after.weights)[head]
        said = f"Head {head + 1} if it {title}: {int(found.sum())} of {found.size} weights moved."
        options = {"name": f"head that {title}", "sentence": said, "moved": found, "small": True}
        with slot:
            page.show(heatmap(after.weights[head], labels, labels, ATTENTION_AXES, **options))
    owner = place // scene.d_head
    page.write(
        f"Number {place + 1} of {typed(labels[word])} is in the slice of head {owner + 1}. Outlined is what moved.",
        "note",
    )
