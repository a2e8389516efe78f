"""Lesson 5: how attention, which sees no order, is told where each word stands."""

from html import escape

import streamlit as st

import attention_core  # noqa: F401  whole before its parts: pages opened at once would deadlock
from attention_core.equations.positions import rotate, sinusoidal_positions
from pages.look.thumbnails import blank
from pages.page.matrices import SENTENCE
from pages.page.page import begin
from pages.page.steps import Stage, strip, walk
from pages.page.typed import words_of
from pages.positional_encoding.added import add_stage, terms_stage
from pages.positional_encoding.alike import alike_stage
from pages.positional_encoding.clinic import clinic_stage
from pages.positional_encoding.depth import layers_stage, norms_stage
from pages.positional_encoding.sentence import five_stage, order_stage
from pages.positional_encoding.settings import MOVES, NEAR, settings
from pages.positional_encoding.table import table_stage
from pages.positional_encoding.thumbnails import thumbnails
from pages.positional_encoding.turning import clocks_stage, rope_stage, waves_stage
from pages.practice.exercise_page import practise

STAGES = (
    Stage(
        "order",
        "order",
        "Attention sees no word order",
        "A score compares two words, and a mix adds up values: neither asks who stands where. “The dog bit the man” "
        "and “the man bit the dog” are one to it. Shuffle your sentence and compare every word’s output.",
    ),
    Stage(
        "table",
        "table",
        "Every position gets its own row",
        "So each position gets a row of numbers, as wide as a word’s vector, to be added to the word that stands "
        "there. The first transformer took sines and cosines. Click a number and see how it is made.",
    ),
    Stage(
        "waves",
        "waves",
        "Each pair has its own wavelength",
        "Down each column runs a wave. Two columns make a pair, the sine and the cosine of one angle, and every pair "
        "turns at its own speed, like a hand of a clock. Drag the base: where does it act, and where not?",
    ),
    Stage(
        "alike",
        "p · p",
        "Near positions are alike",
        "Multiply the rows of two positions and you learn how far apart they are, not where they stand: each diagonal "
        "holds one number. Then try the other ways of telling positions, most of all “learned”.",
    ),
    Stage(
        "clocks",
        "clocks",
        "To move on is to turn",
        "Draw the two numbers of a pair as a hand of a clock. A step along the sentence turns every hand by its own "
        "angle, wherever the step is taken. Drag t, then k.",
    ),
    Stage(
        "add",
        "x + p",
        "A sum still holds both parts",
        "In many dimensions two random directions hardly meet, so a word can be read back from the sum, and so can a "
        "position that is strong enough. Raise the strength until words get lost; then give both more width.",
    ),
    Stage(
        "terms",
        "terms",
        "One score has four parts",
        "With positions added, query and key have two parts each, and (x + p) W_Q · (x + p) W_K makes "
        "four: a word or a position asks, a word or a position answers. Raise the strength: which takes over?",
    ),
    Stage(
        "rope",
        "RoPE",
        "RoPE turns queries and keys",
        "Rotary encoding, RoPE, adds nothing. It turns each pair of q and of k by an angle that grows with the "
        "position, so the score depends on the distance. Slide both words on together.",
    ),
    Stage(
        "five",
        "five",
        "Same words, five encodings",
        "One sentence, the same matrices, five ways of telling positions. Slide the whole sentence on, as if other "
        "words stood before it. Which of these maps know where the sentence starts?",
    ),
    Stage(
        "clinic",
        "clinic",
        "Four mistakes and their meters",
        "The table is four lines of code, and there are four famous ways to get them wrong. All but one run without an "
        "error, and no shape gives them away. What does is a number that should be 0.",
    ),
    Stage(
        "layers",
        "blocks",
        "What is left after each block?",
        "A model stacks blocks: attention and a small network, each adding what it finds to the stream of vectors "
        "that runs past it. Positions were added at the entrance; can they still be read from the stream further in?",
    ),
    Stage(
        "norms",
        "norms",
        "From words to eight heads",
        "Word vectors, positions added, eight heads, a norm: here is how long every row is at each step. Lengths tell "
        "whether a part drowns the others, or is drowned.",
    ),
)
NAMES = [stage.name for stage in STAGES]
WITH_SENTENCE = {
    "order": order_stage,
    "add": add_stage,
    "terms": terms_stage,
    "rope": rope_stage,
    "five": five_stage,
    "norms": norms_stage,
}
WITHOUT = {
    "table": table_stage,
    "waves": waves_stage,
    "alike": alike_stage,
    "clocks": clocks_stage,
    "layers": layers_stage,
    "clinic": clinic_stage,
}
PRESETS = {
    "Tutorial’s 20 × 64": {
        "step": "alike",
        "kind": "sinusoidal",
        "length": 20,
        "d_model": 64,
        "first": 0.0,
        "second": 19.0,
    },
    "What training made": {"step": "alike", "kind": "learned", "whose": "trained", "length": 32},
    "Slide by 40": {"step": "five", "offset": 40},
    "The raw-index bug": {"step": "clinic", "mistake": "exponent from the raw index", "length": 64, "d_model": 32},
}

page = begin("positional_encoding", "Positional Encoding")
stage = STAGES[NAMES.index(page.controls.place("step", "Step", NAMES, NAMES[0]))]
with page.scene:
    st.subheader("This scene", anchor=False)

with page.body:
    page.claim(stage.claim)
    page.say(stage.text)
    stages = st.container()
    near = NEAR.get(stage.name, "")
    side = "distribute" if near or stage.name in WITH_SENTENCE else "right"
    with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment=side):
        beside = st.container(horizontal=True, vertical_alignment="bottom", width="content")
        text = SENTENCE
        if stage.name in WITH_SENTENCE:
            with beside:
                text = page.controls.text("text", "Sentence", SENTENCE, width=280 if near else 440)
        scene = settings(page, MOVES[stage.name], near=near, beside=beside)
        walk(page, STAGES, stage)
    words, note = words_of(text, SENTENCE)
    with st.container():  # also when it is empty, so that what follows keeps its place
        if note:
            page.write(escape(note), "note")
    with stages:
        place = STAGES.index(stage) + 1
        earlier = thumbnails(words, scene.seed)[:place]
        strip(page, STAGES, earlier + [blank()] * (len(STAGES) - place), stage, narrowest=52)
    if stage.name in WITH_SENTENCE:
        WITH_SENTENCE[stage.name](page, words, scene)
    else:
        WITHOUT[stage.name](page, scene)

with page.scene:
    page.presets(PRESETS)
page.finish(sinusoidal_positions, rotate, then=practise)
