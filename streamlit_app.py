"""The home page: what the course is, one head at work on a sentence of your own, and the lessons."""

from functools import partial

import streamlit as st

import attention_core  # noqa: F401  whole before its parts: pages opened at once would deadlock
from attention_core.text.word_vectors import position_labels
from pages.charts.heatmap import ROW_SUMS, attention_heatmap
from pages.home.pictures import pictures
from pages.home.sections import READING, WORDS, class_field, glossary, lesson_map, start
from pages.home.sentence import KINDS, SENTENCE, choose_head, elsewhere_question, head_over
from pages.links.course import COURSE, HOME
from pages.look.facts import largest
from pages.look.glossary import introduce
from pages.look.sentences import brightest_cell
from pages.look.typed import words_of
from pages.motion.arcs import draw_arcs
from pages.page.ask import outcomes
from pages.page.buttons import put_button
from pages.page.page import begin
from pages.practice.points_panel import standing
from pages.teaching.plan import keep_in_address, planned, show_plan

ABOUT = """
An interactive course on **transformers**, the networks behind the language models of today. With **attention**, each
word takes information from words of its sentence, usually more from some than others. Point at a word, or tap it.
"""
KEPT = """
You need to know matrix products, eˣ, logarithms, sines and derivatives. Programs run in the page.
What you answer is kept in this tab of your browser until you close it.
"""
FOR_TEACHERS = '<p class="course">For teachers: <a href="teach" target="_self">choose a lesson, start a class</a></p>'

page = begin(HOME, COURSE, WORDS)
controls = page.controls
with page.sidebar:
    st.subheader("Settings", anchor=False)
    kind = controls.select("weights", "Head", KINDS, KINDS[0])
    chosen = choose_head(controls, kind)

with page.body:
    page.title_and_text(COURSE, introduce(ABOUT, ()))
    keep_in_address(planned().for_students)
    show_plan(HOME)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        words, note = words_of(controls.text("text", "Sentence", SENTENCE), SENTENCE)
        class_field()
    scene, unknown = head_over(page.recipe, words, chosen)
    page.drawing.weights = "attention.weights"
    for text in filter(None, (note, unknown)):
        page.say(text, "note")
    labels, weights = position_labels(scene.words), scene.attention.weights
    asks = scene.asks
    most = largest(weights[asks]).first
    page.prints(f"attention weight of {labels[asks]} on {labels[most]}", weights, asks, most)
    draw_arcs(page, labels, scene.words, weights, asks, "sentence")
    if chosen.kind == "trained" and asks and "head" not in controls.locked:
        asked = page.question("elsewhere", partial(elsewhere_question, scene.words, asks))
        other = page.variant("elsewhere") % 3 + 1
        if other != chosen.number or outcomes(HOME, ("elsewhere",)):  # else the picture in view is the answer
            page.ask(asked, then=lambda: controls.put(head=str(other)))
        if page.answer_to(asked) and other != chosen.number:  # an answer that the browser kept, or another choice
            put_button(page, f"Show head {other}", {"head": str(other)}, "asked_head")
    start(page)
    page.write(scene.origin, "note")
    if scene.attention.mask is not None:
        page.say("In this head a word attends only to itself and to earlier words (lesson 4).", "note")

    def draw_map() -> None:
        """Draw the weights of all words."""
        told = brightest_cell(weights, labels)
        page.show(attention_heatmap(weights, labels, ROW_SUMS, name="weights", sentence=told))

    page.look_closer("The weights of all words", draw_map)
    st.header("The lessons", anchor=False)
    lesson_map(page, pictures(scene))
    page.say(KEPT, "note")
    standing(page)
    st.html(FOR_TEACHERS)
    page.look_closer("Glossary", lambda: page.write(glossary()))
    page.look_closer("Further reading", lambda: st.markdown(READING))

page.finish()
