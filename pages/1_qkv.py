"""Lesson 1: from word vectors to queries, keys and values, to scores, to shares, to a mix of values."""

from html import escape

import streamlit as st

import attention_core  # noqa: F401  whole before its parts: pages opened at once would deadlock
from attention_core.equations.attention import attention_forward
from attention_core.equations.softmax import exponentials, softmax_forward
from attention_core.experiments.perturb import dot_products
from attention_core.text.word_vectors import position_labels
from pages.look.cards import chips
from pages.look.thumbnails import blank, thumbnail
from pages.page.matrices import SENTENCE, SIZES, choose_matrices, scene_of
from pages.page.page import begin
from pages.page.steps import Stage, strip, walk
from pages.page.typed import vectors_of, words_of
from pages.practice.exercise_page import practise
from pages.qkv.closer import change_one_number, small_heatmap, soft_look_up, softmax_closely
from pages.qkv.questions import cell_question, ratio_question, scale_question, shape_question
from pages.qkv.views import agreement_view, derivation, dot_card, main_heatmap, matrix_view, shape, views

VECTORS = {"cat": "0.9 0.1 0.8 0.2", "sat": "0.1 0.9 0.3 0.7", "mat": "0.8 0.2 0.7 0.3"}
STAGES = (
    Stage(
        "dot",
        "a · b",
        "A dot product measures agreement",
        "Give each word a few numbers, a vector. To ask how well two words agree, multiply their numbers pair by pair "
        "and add up: large in the same places makes a large sum, opposite signs a negative one. Change a number of "
        "*mat* until it agrees with *sat* more than with *cat*.",
    ),
    Stage(
        "x",
        "X",
        "A word becomes a row of numbers",
        "Such a row is the word’s embedding; all of them together are the matrix X. Think of a library: what you ask "
        "for, what stands on the spines, and what is in the books are three different things. So each row will be "
        "turned into three: a :query[**query**], a :key[**key**] and a :value[**value**].",
    ),
    Stage(
        "q",
        "Q",
        "The query: what a word asks",
        "A row of X times the matrix W_Q is the query of that word. Words are rows in this course, so X stands on the "
        "left: X · W_Q. Books in which words are columns write W · x, with W turned over, for the same numbers.",
    ),
    Stage(
        "k",
        "K",
        "The key: what a word answers to",
        "The same rows times another matrix, W_K, are the keys: what a word can be found by. Because the two matrices "
        "differ, a word need not ask for itself. Switch on “W_K = W_Q” in the menu, then look at q · k.",
    ),
    Stage(
        "v",
        "V",
        "The value: what a word gives",
        "A third matrix, W_V, makes the values: what a word hands over when it is looked at. Values have no say in who "
        "looks at whom.",
    ),
    Stage(
        "scores",
        "q · k",
        "Each query meets each key",
        "Each cell is a score: the dot product of a query and a key. The row asks, the column answers: read along a "
        "row to see what one word finds, and down a column to see who finds it.",
    ),
    Stage(
        "scaled",
        "÷ √d_k",
        "Dividing calms the scores",
        "A score is a sum of d_k products, and the more there are, the wider scores spread: like √d_k. Dividing by "
        "√d_k keeps the spread in one place; these are the scaled scores. Drag d_k of random matrices, and compare "
        "the two numbers under the picture.",
    ),
    Stage(
        "softmax",
        "softmax",
        "Softmax turns scores into shares",
        "How much of every word does this one take in? Exponentials make every score positive; dividing by their sum "
        "makes them shares of 1, the weights of the row. A column need not add up to 1: a word may be looked at by "
        "all, or by none.",
    ),
    Stage(
        "mix",
        "mix",
        "Each word takes a mix of values",
        "The output for a word is the average of all values, each counted by its weight. That is what attention hands "
        "on: as many rows as words, each now knowing something of the others. All of it together, from W_Q to here, is "
        "called a head.",
    ),
)
NAMES = [stage.name for stage in STAGES]
PRESETS = {
    "The word before": {"weights": "hand-set", "job": "previous word", "step": "softmax"},
    "One matrix for both": {"same": True, "step": "scores"},
    "Trained matrices": {"weights": "trained", "step": "softmax"},
}

CLOSER = ("A soft look-up", "Change one number")

page = begin("qkv", "Q/K/V")
controls = page.controls
stage = STAGES[NAMES.index(controls.place("step", "Step", NAMES, NAMES[0]))]
first = stage.name == "dot"


def sizes(kind: str) -> tuple[int, int, int]:
    """Draw the widths of random matrices; the others have widths of their own."""
    if kind != "random":
        return SIZES
    d_model, d_k, d_v = SIZES
    return (
        controls.slider("d_model", "d_model, the width of X", 2, 32, d_model, 1),
        controls.slider("d_k", "d_k, the width of q and k", 1, 32, d_k, 1),
        controls.slider("d_v", "d_v, the width of v", 1, 32, d_v, 1),
    )


with page.scene:
    if not first:
        st.subheader("This scene", anchor=False)
        chosen = choose_matrices(controls, seed=20, sizes=sizes)
        same = controls.switch("same", "W_K = W_Q: one matrix for both")
    page.presets(PRESETS)

with page.body:
    page.claim(stage.claim)
    page.say(stage.text)
    stages = st.container()
    texts = {name: controls.last(name, default) for name, default in VECTORS.items()}
    text = controls.last("text", SENTENCE)
    with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute"):
        if first:
            with st.container(horizontal=True, width="content"):
                texts = {name: controls.text(name, f"Numbers of {name}", VECTORS[name], width=150) for name in VECTORS}
        else:
            text = controls.text("text", "Sentence", SENTENCE, width=440)
        walk(page, STAGES, stage)

    if first:
        vectors, notes = vectors_of(texts, VECTORS)
        page.recipe.given("vectors", vectors)
        every = {"dot": agreement_view(page.recipe.run("agreement", dot_products, vectors, vectors), list(VECTORS))}
    else:
        words, note = words_of(text, SENTENCE)
        scene, unknown = scene_of(page.recipe, words, chosen, same)
        notes = [note, unknown]
        labels = position_labels(scene.words)
        vectors = vectors_of(texts, VECTORS)[0]
        agreement = agreement_view(dot_products(vectors, vectors), list(VECTORS))
        every = {"dot": agreement, **views(scene, labels, chosen.kind)}
    with st.container():  # also when it is empty, so that what follows keeps its place
        for note in filter(None, notes):
            page.write(escape(note), "note")
    view = every[stage.name]

    ready = True
    with st.container():
        if stage.name == "q":
            ready = page.ask(shape_question(scene, page.variant("shape")))
        elif stage.name == "scores":
            ready = page.ask(cell_question(labels, page.variant("cell")))
        elif stage.name == "scaled":
            ready = page.ask(scale_question(scene.products, scene.attention, labels, page.variant("scale")))
        elif stage.name == "softmax":
            ready = page.ask(ratio_question(scene.attention, labels, page.variant("ratio")))
    with stages:
        seen = [every[name] for name in NAMES[: NAMES.index(stage.name) + ready]]
        pictures = [thumbnail(view.values, view.limit) for view in seen]
        strip(page, STAGES, pictures + [blank()] * (len(STAGES) - len(seen)), stage)

    if ready:
        left, right = st.columns([1.18, 1], gap="medium")
        of_words = stage.name in ("scores", "scaled", "softmax")
        with right:
            sentence = st.container()
            card = st.container(border=True)
            with st.container(horizontal=True):
                across = (
                    ("b", "Second word", 1) if first else ("k", "Key · column", 1) if of_words else ("d", "Column", 0)
                )
                down = ("a", "First word", 2) if first else ("q", "Query · row" if of_words else "Word · row", 2)
                row, column = (
                    names.index(controls.select(key, label, names, names[min(usual, len(names) - 1)], width=150))
                    for (key, label, usual), names in ((down, view.rows), (across, view.columns))
                )
        with left:
            chart = main_heatmap(stage.name, None if first else scene, view, row, column)

            def pick(i: int, j: int) -> None:
                """Choose the cell that was clicked."""
                controls.put(**{down[0]: view.rows[i], across[0]: view.columns[j]})

            page.show(chart, pick, note="" if first else scene.origin)
        with sentence:
            role = {"x": "row", "k": "answers", "v": "gives"}.get(stage.name, "asks")
            page.write(chips(view.rows, row, column if first or of_words else None, role))
        with card:
            if first:
                page.write(dot_card(vectors, view.rows, row, column))
            else:
                page.write(derivation(stage.name, scene, labels, row, column, chosen.kind))

        if stage.name in ("q", "k", "v"):
            page.say("It is made of these two: the outlined row times the outlined column.", "note")
            for name, part, cell, place in zip(
                ("X", f"W_{stage.name.upper()}"),
                (every["x"], matrix_view(scene, stage.name, chosen.kind)),
                ((row, None), (None, column)),
                st.columns(2, gap="medium"),
                strict=True,
            ):
                with place:
                    page.write(shape(name, part.values), "shape")
                    said = f"{name}, of which one {'row' if cell[0] is not None else 'column'} is outlined."
                    page.show(small_heatmap(part, name, said, chosen=cell), quiet=True)
        elif stage.name == "softmax":
            st.header("Softmax, closely", anchor=False)
            softmax_closely(page, scene, labels, row, column)
        elif stage.name == "mix":
            st.header("Look closer", anchor=False)
            closer = controls.choice("closer", "Look closer", CLOSER, CLOSER[0], label_visibility="collapsed")
            if closer == CLOSER[0]:
                soft_look_up(page, scene, chosen.seed)
            else:
                change_one_number(page, scene, labels, chosen.kind)

page.finish(
    attention_forward, softmax_forward, exponentials, weights=None if first else "attention.weights", then=practise
)
