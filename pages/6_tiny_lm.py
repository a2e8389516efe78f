"""Lesson 6: a small language model: what it bets on, how it learned, and what happens inside."""

import streamlit as st

import attention_core  # noqa: F401  whole before its parts: pages opened at once would deadlock
from attention_core.model.activations import insides
from attention_core.model.generate import choose
from pages.look.thumbnails import blank
from pages.page.page import begin
from pages.page.steps import Stage, strip, walk
from pages.practice.exercise_page import practise
from pages.tiny_lm.betting import betting
from pages.tiny_lm.building import building
from pages.tiny_lm.caching import caching
from pages.tiny_lm.copying import copying
from pages.tiny_lm.descending import descending
from pages.tiny_lm.drawing import drawing
from pages.tiny_lm.heads import named_heads
from pages.tiny_lm.history import time_machine
from pages.tiny_lm.lens import lens
from pages.tiny_lm.losing import losing
from pages.tiny_lm.sampling import chosen_sampling
from pages.tiny_lm.stream import stream
from pages.tiny_lm.subject import NAMES, OWN, WHEN, chosen_subject
from pages.tiny_lm.thumbnails import thumbnails
from pages.tiny_lm.training import train_stage

STAGES = (
    Stage(
        "bet",
        "bet",
        "A model bets on what comes next",
        "A text is cut into tokens: words here, characters in other models. The model reads the prompt and gives every "
        "token that it knows a share, its probability: that is its bet on what comes next. One is drawn, joins the "
        "text, and the next bet begins.",
    ),
    Stage(
        "draw",
        "draw",
        "One token is drawn from the bet",
        "The model gives each token a number, its *logit*. The logits are divided by the temperature T, unlikely "
        "tokens are cut off, and softmax makes shares of the rest. Then one random number decides.",
    ),
    Stage(
        "cache",
        "cache",
        "Nothing needs to be read twice",
        "To draw a token, the model reads all that stands before it. Under the causal mask, what it computed for "
        "earlier positions never changes. So it keeps their keys and values, K and V: that is the *KV cache*.",
    ),
    Stage(
        "loss",
        "loss",
        "Every row is an example",
        "A text teaches at each of its tokens: what stands before is read, the next one is the target. Where the model "
        "gave the target the share p, the row costs −log p: 0 if it was sure of it, and the more the less it expected "
        "it. Choose a row.",
    ),
    Stage(
        "gradient",
        "slope",
        "Which way is down",
        "The gradient has a slope for every number of the model: how fast the loss of this text rises if that number "
        "is raised. A step of training moves all of them the other way, a little. Look at it, take a step, test it.",
    ),
    Stage(
        "train",
        "train",
        "Train one yourself",
        "It starts with random numbers. Each step draws fresh rows of text, bets on every next token at once, and "
        "moves every number a little against its slope. Watch the loss fall, and heads find what to look at.",
    ),
    Stage(
        "time",
        "time",
        "Back to when it knew nothing",
        "The model was kept at a few moments of its training. Choose one: its loss, what it writes and where its heads "
        "look belong together. Or look at twins of it, each trained without one part.",
    ),
    Stage(
        "copy",
        "copy",
        "Two heads learn to copy",
        "In *a3c7b1e4a* each letter has a digit of its own, another one in every row: nothing can be known by heart. "
        "To say what follows the last *a*, a model must look back. This step shows letters and digits, whatever model "
        "the sidebar names.",
    ),
    Stage(
        "heads",
        "heads",
        "A head is named by what it does",
        "Nobody told a head what to look at. Measure over many texts where each one looks, untrained and trained; "
        "compare it with a head that looks evenly; only then give it a name.",
    ),
    Stage(
        "parts",
        "parts",
        "Every part, with its shapes",
        "This is the whole model. Follow the prompt from the top: each box says what it hands on and how many numbers "
        "it holds. Choose one to open it.",
    ),
    Stage(
        "stream",
        "stream",
        "Layers add, they do not replace",
        "Each position has one row of numbers that runs through the whole model: the *residual stream*. Attention and "
        "feed-forward read it through a norm, and add to it. Measure how much each one adds, and leave one out.",
    ),
    Stage(
        "lens",
        "lens",
        "The bet grows layer by layer",
        "After the last layer, the last norm and the output matrix turn the stream into a bet. Let them read it after "
        "an earlier layer: that is the *logit lens*. Click a cell to see what the model would say if it ended there.",
    ),
)
WRITES = {"bet": betting, "draw": drawing, "cache": caching, "time": time_machine}  # steps that draw tokens
SHOWS = {
    "loss": losing,
    "gradient": descending,
    "copy": copying,
    "heads": named_heads,
    "parts": building,
    "stream": stream,
    "lens": lens,
}
ALWAYS = {"copy": "recall"}  # a step about one model, whatever the sidebar names
NAMES_OF_STAGES = [stage.name for stage in STAGES]
PRESETS = {
    "It, and the animal": {"model": "small English", "text": "the small dog found a kite and it"},
    "Train the heads that copy": {"step": "train", "learn": "letters and digits"},
    "Attention that erases": {"model": "small English", "step": "stream"},
    "Layers that make up a bet": {"model": "King James Bible", "step": "lens"},
    "Missed without a push": {
        "model": "letters and digits",
        "step": "lens",
        "lens": "a head taken out",
        "less": "1.2",
    },
}

page = begin("tiny_lm", "Tiny LM")
controls = page.controls
stage = STAGES[NAMES_OF_STAGES.index(controls.place("step", "Step", NAMES_OF_STAGES, NAMES_OF_STAGES[0]))]

with page.scene:
    st.subheader("This model", anchor=False)
    controls.select("model", "Model", [*NAMES, OWN], next(iter(NAMES)))
    controls.dial("when", "How far it was trained", WHEN, WHEN[-1])
    if stage.name in WRITES:
        st.subheader("Drawing from the bet", anchor=False)
        sampling = chosen_sampling(page)
    page.presets(PRESETS)

with page.body:
    page.claim(stage.claim)
    page.say(stage.text)
    stages = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute"):
        training = stage.name == "train"
        subject, note = chosen_subject(page, ALWAYS.get(stage.name), field=not training)
        walk(page, STAGES, stage)
    with stages:
        place = STAGES.index(stage) + 1
        pictures = thumbnails(subject.model, subject.tokens)
        strip(page, STAGES, [*pictures[:place], *[blank()] * (len(STAGES) - place)], stage, narrowest=52)
    with st.container():  # also when it is empty, so that what follows keeps its place
        if note and not training:
            page.write(note, "note")
    if training:
        weights = train_stage(page)
    elif stage.name in WRITES:
        weights = WRITES[stage.name](page, subject, sampling)
    else:
        weights = SHOWS[stage.name](page, subject)

page.finish(insides, choose, weights=weights, then=practise)
