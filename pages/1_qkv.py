"""Lesson 1: from word vectors to queries, keys and values, to scores, to shares, to a mix of values."""

from html import escape

import streamlit as st

from attention_core.attention import attention_forward
from attention_core.hand_set import JOBS, LONGEST
from attention_core.softmax import exponentials, softmax_forward
from attention_core.words import position_labels
from pages.qkv.closer import change_one_number, small_heatmap, soft_look_up, softmax_closely
from pages.qkv.questions import brightest_question, cell_question, scale_question, shape_question
from pages.qkv.views import agreement_view, derivation, main_heatmap, matrix_view, shape, views
from pages.shared import cards
from pages.shared.frame import begin
from pages.shared.scenes import SENTENCE, hand_set_scene, random_scene, trained_scene
from pages.shared.sentences import vectors_of, words_of
from pages.shared.stepper import Stage, strip, walk

VECTORS = {"cat": "0.9 0.1 0.8 0.2", "sat": "0.1 0.9 0.3 0.7", "mat": "0.8 0.2 0.7 0.3"}
STAGES = (
    Stage(
        "dot",
        "a · b",
        "A dot product measures agreement",
        "Give each word a few numbers, and you can ask how well two words agree: multiply the numbers pair by pair "
        "and add up. Words that are large in the same places get a large sum; attention has nothing else to go by."
        "\n\nChange a number of *mat* until it agrees with *sat* more than with *cat*.",
    ),
    Stage(
        "x",
        "X",
        "A word becomes a row of numbers",
        "Each word of your sentence becomes a row of numbers, its embedding. Think of a library: what you ask for, "
        "what stands on the spines, and what is in the books are three different things. So each row will be turned "
        "into three: a :query[**query**], a :key[**key**] and a :value[**value**].",
    ),
    Stage(
        "q",
        "Q",
        "The query: what a word asks",
        "Every row of X times the matrix W_Q is the query of that word. Words are rows here, so it is written X · W_Q, "
        "with X on the left; books in which words are columns write W · x for the same numbers.",
    ),
    Stage(
        "k",
        "K",
        "The key: what a word answers to",
        "The same rows times another matrix, W_K, are the keys: what a word can be found by. Because the two matrices "
        "differ, a word need not ask for itself. Switch on “W_K = W_Q” beside and look at the scores.",
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
        "A score is a query times a key",
        "Each cell is one dot product: the query of its row times the key of its column. Read along a row to see what "
        "one word finds, and down a column to see who finds it.",
    ),
    Stage(
        "scaled",
        "÷ √d_k",
        "Dividing by √d_k calms the scores",
        "The more products a sum has, the wider it spreads: like √d_k. Dividing by √d_k brings scores of any width "
        "back to one size. Drag d_k to both ends and watch that the colours stay.",
    ),
    Stage(
        "softmax",
        "softmax",
        "Softmax turns scores into shares",
        "Each row asks: how much of every word does this word take in? Exponentials make every score positive; "
        "dividing by their sum makes the shares of a row add up to 1. Those of a column need not: a word may be looked "
        "at by all, or by none.",
    ),
    Stage(
        "mix",
        "mix",
        "Each word takes a mix of values",
        "The output for a word is the average of all values, each counted by its share. These numbers are what "
        "attention hands on: as many rows as there are words, each now knowing something of the others.",
    ),
)
NAMES = [stage.name for stage in STAGES]
PRESETS = {
    "The word before": {"weights": "hand-set", "job": "previous word", "step": "softmax"},
    "W_K = W_Q": {"weights": "random", "same": True, "step": "scores"},
    "A trained head": {"weights": "trained", "step": "softmax"},
}

CLOSER = ("Change one number", "Softmax, closely", "A soft look-up")

page = begin("qkv", "Q/K/V")
controls = page.controls
stage = STAGES[NAMES.index(controls.place("step", "Step", NAMES, NAMES[0]))]

with page.scene:
    st.subheader("This scene", anchor=False)
    weights = controls.choice("weights", "Whose matrices", ["random", "hand-set", "trained"], "random")
    d_model, d_k, d_v = 8, 4, 4
    job, head = JOBS[0], "1"
    if weights == "random":
        d_model = controls.slider("d_model", "$d_{model}$, the width of X", 2, 32, 8, 1)
        d_k = controls.slider("d_k", "$d_k$, the width of q and k", 1, 32, 4, 1)
        d_v = controls.slider("d_v", "$d_v$, the width of v", 1, 32, 4, 1)
    elif weights == "hand-set":
        job = controls.select("job", "Set so that it looks for", JOBS, JOBS[0])
    else:
        head = controls.choice("head", "Which of its heads", ["1", "2", "3", "4"], "1")
    seed = controls.whole("seed", "Seed", 0, 9999, 18, disabled=weights == "trained")
    same = controls.switch("same", "W_K = W_Q")
    page.presets(PRESETS)

with page.body:
    page.claim(stage.claim)
    page.say(stage.text)
    stages = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute"):
        text = controls.text("text", "Sentence", SENTENCE, width=440)
        walk(page, STAGES, stage)
    words, note = words_of(text, SENTENCE)

    if weights == "random":
        scene = random_scene(page.recipe, words, d_model, d_k, d_v, seed, same)
    elif weights == "hand-set":
        scene = hand_set_scene(page.recipe, words, job, seed, same)
    else:
        scene, unknown = trained_scene(page.recipe, words, int(head) - 1, same)
        note = note or unknown
    labels = position_labels(scene.words)
    steady = weights == "random"

    texts = VECTORS
    if stage.name == "dot":
        with st.container(horizontal=True):
            texts = {name: controls.text(name, f"Numbers of *{name}*", VECTORS[name], width=200) for name in VECTORS}
    vectors, notes = vectors_of(texts, VECTORS)
    for line in filter(None, [note, *notes]):
        page.write(escape(line), "note")

    every = {"dot": agreement_view(page.recipe, vectors, list(VECTORS)), **views(scene, labels, steady)}
    view = every[stage.name]
    with stages:
        strip(page, STAGES, [cards.thumbnail(every[name].values, every[name].limit) for name in NAMES], stage)

    ready = True
    if stage.name == "q":
        ready = page.ask(shape_question(scene.x, scene.head.w_q, page.variant("shape")))
    elif stage.name == "scores":
        ready = page.ask(cell_question(labels, page.variant("cell")))
    elif stage.name == "scaled":
        ready = page.ask(scale_question(scene.products, scene.attention, labels, page.variant("scale")))
    elif stage.name == "softmax":
        ready = page.ask(brightest_question(scene.attention, labels, page.variant("brightest")))

    if ready:
        left, right = st.columns([1.18, 1], gap="medium")
        of_words = stage.name in ("dot", "scores", "scaled", "softmax")
        with right:
            sentence = st.container()
            card = st.container(border=True)
            with st.container(horizontal=True):
                row = controls.whole("q", ":blue[query] · row" if of_words else "Word · row", 1, LONGEST, 3, width=150)
                if of_words:
                    column = controls.whole("k", ":orange[key] · column", 1, LONGEST, 2, width=150)
                else:
                    column = controls.whole("d", "Dimension · column", 1, 32, 1, width=150)
        row, column = min(row, len(view.rows)) - 1, min(column, len(view.columns)) - 1
        with sentence:
            page.write(cards.chips(view.rows, row, column if of_words else None))
        with card:
            page.write(derivation(stage.name, scene, vectors, labels, row, column, weights))
        with left:
            second = "k" if of_words else "d"
            chart = main_heatmap(stage.name, view, row, column)
            page.show(
                chart,
                lambda i, j: controls.put(**{"q": i + 1, second: j + 1}),
                note="" if stage.name == "dot" else scene.origin,
            )

        if stage.name in ("q", "k", "v"):
            first, second_column = st.columns(2, gap="medium")
            matrix = getattr(scene.head, f"w_{stage.name}")
            with first:
                page.write(shape("X", scene.x), "shape")
                page.show(
                    small_heatmap(every["x"], "X", f"The rows of X; outlined is “{labels[row]}”.", chosen=(row, None)),
                    quiet=True,
                )
            with second_column:
                page.write(shape(f"W_{stage.name.upper()}", matrix), "shape")
                name = f"W_{stage.name.upper()}"
                page.show(
                    small_heatmap(matrix_view(matrix, steady), name, f"The matrix {name}.", chosen=(None, column)),
                    quiet=True,
                )

        st.header("Look closer", anchor=False)
        closer = controls.choice("closer", "Look closer", CLOSER, CLOSER[0], label_visibility="collapsed")
        if closer == CLOSER[0]:
            change_one_number(page, scene, labels, steady)
        elif closer == CLOSER[1]:
            softmax_closely(page, scene, labels, *(min(place, len(labels) - 1) for place in (row, column)))
        else:
            soft_look_up(page, scene, seed)

page.finish(attention_forward, softmax_forward, exponentials, weights="attention.weights")
