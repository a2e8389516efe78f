"""Lesson 5: how attention, which sees no order, is told where each word stands."""

from html import escape

import streamlit as st

from attention_core.positions import rotate, sinusoidal_positions
from pages.positional_encoding.clinic import clinic_stage
from pages.positional_encoding.depth import layers_stage, norms_stage
from pages.positional_encoding.sentence import add_stage, five_stage, order_stage, rope_stage, terms_stage
from pages.positional_encoding.settings import MOVES, settings
from pages.positional_encoding.tables import alike_stage, clocks_stage, table_stage, waves_stage
from pages.positional_encoding.thumbnails import thumbnails
from pages.practice.view import practise
from pages.shared.cards import blank
from pages.shared.frame import begin
from pages.shared.scenes import SENTENCE
from pages.shared.sentences import words_of
from pages.shared.stepper import Stage, strip, walk

STAGES = (
    Stage(
        "order",
        "order",
        "Attention sees no word order",
        "A score compares two words, and a mix adds up values: neither asks who stands where. “The dog bit the man” "
        "and “the man bit the dog” are one bag of words. Shuffle your sentence and compare every word’s output.",
    ),
    Stage(
        "table",
        "table",
        "Every place gets a row of its own",
        "So each position gets a row of numbers, as wide as a word’s vector, to be added to the word that stands "
        "there. The first transformer took sines and cosines. Click a number and see how it is made.",
    ),
    Stage(
        "waves",
        "waves",
        "Each pair has its own wavelength",
        "Read down a column and you see a wave. Two columns make a pair, a sine and a cosine of one angle, and every "
        "pair turns at its own speed, as the hands of a clock do. Drag the base: where does it act, and where not?",
    ),
    Stage(
        "alike",
        "p · p",
        "Near places are alike",
        "Multiply the rows of two positions and you learn how far apart they are, not where they stand: along each "
        "diagonal the numbers are one and the same. Try the other ways of telling positions, most of all “learned”.",
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
        "Does adding a position spoil the word? In many dimensions two random directions hardly meet, so the word is "
        "found again, and the position too where it was added strongly enough. Raise the strength until words get "
        "lost; then give both more width.",
    ),
    Stage(
        "terms",
        "terms",
        "One score has four parts",
        "With positions added, query and key each have two parts, and (x + p) W_Q · (x + p) W_K multiplies out into "
        "four: words asking for words or for places, places asking for words or for places. "
        "Raise the strength and see which part takes over.",
    ),
    Stage(
        "rope",
        "RoPE",
        "RoPE turns queries and keys",
        "Rotary encoding adds nothing. It turns each pair of q and of k by an angle that grows with the position; the "
        "score then depends on the angle between them, and so on the distance. Slide both words on together.",
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
        "Positions are told once, at the entrance. Are they forgotten further in? Send many sentences through a stack "
        "of blocks and try to read position and word back from the stream.",
    ),
    Stage(
        "norms",
        "norms",
        "From words to eight heads",
        "The whole way at once: word vectors, positions added, eight heads, and how long every row is at each step. "
        "Lengths tell whether a part drowns the others, or is drowned.",
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
scene = settings(page, MOVES[stage.name])

with page.body:
    page.claim(stage.claim)
    page.say(stage.text)
    stages = st.container()
    side = "distribute" if stage.name in WITH_SENTENCE else "right"
    with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment=side):
        text = SENTENCE
        if stage.name in WITH_SENTENCE:
            text = page.controls.text("text", "Sentence", SENTENCE, width=440)
        walk(page, STAGES, stage)
    words, note = words_of(text, SENTENCE)
    with st.container():  # also when it is empty, so that what follows keeps its place
        if note:
            page.write(escape(note), "note")
    with stages:
        place = STAGES.index(stage) + 1
        earlier = list(thumbnails(tuple(words), scene.seed))[:place]
        strip(page, STAGES, earlier + [blank()] * (len(STAGES) - place), stage)
    if stage.name in WITH_SENTENCE:
        WITH_SENTENCE[stage.name](page, words, scene)
    else:
        WITHOUT[stage.name](page, scene)

with page.scene:
    page.presets(PRESETS)
page.finish(sinusoidal_positions, rotate, then=practise)
