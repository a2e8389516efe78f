"""The home page: what the course is, one head at work on a sentence of your own, the lessons, and the glossary."""

from functools import partial

import streamlit as st

import attention_core  # noqa: F401  whole before its parts: pages opened at once would deadlock
from attention_core.text.word_vectors import position_labels
from pages.charts.heatmap import ROW_SUMS, attention_heatmap
from pages.home.pictures import pictures
from pages.home.sections import READING, WORDS, draw_shapes, glossary, lesson_map, start
from pages.home.sentence import SENTENCE, asking_word, choose_head, choose_kind, head_over, other_heads
from pages.home.teachers import teachers
from pages.look.glossary import introduce
from pages.look.sentences import brightest_cell
from pages.motion.arcs import draw_arcs
from pages.page.fields.typed import words_of
from pages.page.links.course import COURSE, HOME
from pages.page.links.plan import keep_in_address, show_plan
from pages.page.page import begin
from pages.page.reruns import InView
from pages.practice.points_panel import standing

ABOUT = """
An interactive course on **transformers**, the networks behind the language models of today. It is for everyone who can
multiply two small matrices and knows eˣ, logarithms, sines and derivatives.
"""
WHY = """
What does “it” refer to? With **attention**, each word takes information from words of its sentence, from some more than
from others. Point at a word, or tap it.
"""
ATTENTION = """
A word compares its :query[**query**] with the :key[**key**] of every word that it may attend to. The better the match,
the larger the **attention weight**, and the more it takes of that word’s :value[**value**]. Each row below is one word
asking, and its weights sum to 1.{later} Here a **token** is a word; real models split many words into pieces.
"""

LATER = " In the trained heads a word attends only to itself and to earlier words, so later words have weight 0."

page = begin(HOME, COURSE, WORDS)
controls = page.controls
with page.sidebar:
    st.subheader("Settings", anchor=False)
    kind = choose_kind(controls)

with page.body:
    page.title_and_text(COURSE, ABOUT)
    keep_in_address()
    show_plan()
    page.say(WHY)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        words, note = words_of(controls.text("text", "Sentence", SENTENCE), SENTENCE)
        chosen = choose_head(controls, kind)
    scene, unknown = head_over(page.recipe, words, chosen)
    for text in filter(None, (note, unknown)):
        page.say(text, "note")
    labels, weights = position_labels(scene.words), scene.attention.weights
    asks = asking_word(scene.words, weights)
    most = int(weights[asks].argmax())
    page.prints(f"attention weight of {labels[asks]} on {labels[most]}", weights, asks, most)
    draw_arcs(page, labels, scene.words, weights, asks, "sentence")
    other_heads(page, scene.words, chosen, asks)
    page.write(scene.origin, "note")
    with st.container(horizontal=True, vertical_alignment="top"):
        start(page)
        teachers()
    st.header("The lessons", anchor=False)
    lesson_map(page, pictures(scene))
    standing(page)

    st.header("Each word has a row of weights", anchor=False)
    page.say(introduce(ATTENTION.format(later=LATER if kind == "trained" else ""), ()))
    told = brightest_cell(weights, labels)
    chart = attention_heatmap(weights, labels, ROW_SUMS, name="weights", sentence=told)
    page.show(chart, note=scene.origin)

    shapes = st.container()
    with st.expander("Glossary", icon=":material/dictionary:"):
        page.write(glossary())
    with st.expander("Further reading", icon=":material/menu_book:"):
        st.markdown(READING)
    with shapes:  # the last, because it runs alone
        InView(page, partial(draw_shapes, page))

page.finish(weights="attention.weights")
