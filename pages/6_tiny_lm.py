"""Lesson 6: a small language model: what it bets on, how it learned, and what happens inside."""

import streamlit as st

from attention_core.generate import choose
from attention_core.insides import insides
from pages.shared.frame import begin
from pages.shared.stepper import Stage, walk
from pages.tiny_lm.betting import betting
from pages.tiny_lm.sampling import chosen_sampling
from pages.tiny_lm.subject import NAMES, OWN, WHEN, chosen_subject
from pages.tiny_lm.training import train_stage

STAGES = (
    Stage(
        "bet",
        "bet",
        "A model bets on what comes next",
        "It reads the prompt and gives every token of its vocabulary a share: a bet on what comes next. One is drawn, "
        "joins the text, and the next bet begins. A tall bar under a word means that the model was sure of it.",
    ),
    Stage(
        "train",
        "train",
        "Train one yourself",
        "It starts with random numbers. Each step draws fresh rows, asks for the next token everywhere at once, and "
        "moves every number a little against its gradient. Watch the loss fall, the text change, and what heads do.",
    ),
)
SHOW = {
    "bet": betting,
}
NAMES_OF_STAGES = [stage.name for stage in STAGES]
PRESETS = {
    "It, and the animal": {"model": "small English", "text": "the small dog found a kite and it"},
}

page = begin("tiny_lm", "Tiny LM")
controls = page.controls
stage = STAGES[NAMES_OF_STAGES.index(controls.place("step", "Step", NAMES_OF_STAGES, NAMES_OF_STAGES[0]))]

with page.scene:
    st.subheader("This model", anchor=False)
    controls.select("model", "Model", [*NAMES, OWN], next(iter(NAMES)))
    controls.dial("when", "How far it was trained", WHEN, WHEN[-1])
    st.subheader("Drawing from the bet", anchor=False)
    sampling = chosen_sampling(page)
    page.presets(PRESETS)

with page.body:
    page.claim(stage.claim)
    page.say(stage.text)
    stages = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute"):
        subject, note = (None, None) if stage.name == "train" else chosen_subject(page)
        walk(page, STAGES, stage)
    with st.container():  # also when it is empty, so that what follows keeps its place
        if note:
            page.write(note, "note")
    weights = None
    if subject is None:
        train_stage(page)
    else:
        weights = SHOW[stage.name](page, subject, sampling)

page.finish(insides, choose, weights=weights)
