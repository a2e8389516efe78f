"""Lesson 3: several heads side by side: what each reads and writes, what of it is missed, and what it all costs."""

from html import escape

import streamlit as st

import attention_core  # noqa: F401  whole before its parts: pages opened at once would deadlock
from attention_core.equations.attention import attention_forward
from attention_core.equations.heads import merge_heads, split_heads
from attention_core.equations.multi_head import head_writes, multi_head_attention
from attention_core.experiments.several_heads import attend_heads
from attention_core.text.word_vectors import position_labels
from pages.look.style import hiding
from pages.look.thumbnails import blank
from pages.multi_head.counting import expensive, free
from pages.multi_head.looking import across, look
from pages.multi_head.mattering import mattering
from pages.multi_head.questions import rectangle_question
from pages.multi_head.reading import reading
from pages.multi_head.scenes import SECOND, WIDTHS, divisors, heads_of, second_sentence
from pages.multi_head.splitting import split
from pages.multi_head.thumbnails import thumbnails
from pages.multi_head.views import chosen_head, chosen_off
from pages.multi_head.writing import writing
from pages.page.matrices import SENTENCE, choose_matrices
from pages.page.page import begin
from pages.page.steps import Stage, strip, walk
from pages.page.typed import words_of
from pages.practice.exercise_page import practise

STAGES = (
    Stage(
        "heads",
        "heads",
        "Several heads look at once",
        "One head gives each word one row of weights, so it can look in one way only. That is why several heads run "
        "side by side, each with columns of W_Q, W_K and W_V of its own. Enlarge one; then ask all where one word "
        "looks.",
    ),
    Stage(
        "split",
        "split",
        "One product, split into heads",
        "X is multiplied by W_Q once, and the result is cut into blocks of columns, one for each head; so are keys and "
        "values. Change the sizes in the menu, and follow the shapes.",
    ),
    Stage(
        "reads",
        "reads",
        "Each head reads the whole word",
        "A head owns some *columns* of W_Q, and each column meets every number of a word: what is cut is the result, "
        "not the embedding. Let a head read only its slice, and see what it is then blind to.",
    ),
    Stage(
        "writes",
        "W_O",
        "What heads write is added up",
        "The heads’ outputs stand side by side until the matrix W_O mixes them. Each head owns some *rows* of W_O, so "
        "the result is a sum: what each head writes, into any column. Switch a head off, and its part is missing.",
    ),
    Stage(
        "matters",
        "effect",
        "Bright is not the same as needed",
        "A weight says how much of a value is taken, not how large that value is, nor what would fill the gap. Three "
        "maps of one head: the weight, what it adds to the output, and how far the output moves when that key is gone.",
    ),
    Stage(
        "free",
        "free",
        "More heads hold no more numbers",
        "Twice the heads are half as wide. The four matrices stay as they are; only the cuts move. What each head "
        "loses is rank: the number of directions in which it can compare two words.",
    ),
    Stage(
        "across",
        "across",
        "One sentence may ask another",
        "Queries from one sentence, keys and values from another: that is cross-attention, the same code with a second "
        "input. A translator asks so, each word it writes looking into the text that it reads.",
    ),
    Stage(
        "cost",
        "cost",
        "Length is what costs",
        "Every word is compared with every word, so twice the text is four times the weights. Choose the sizes of a "
        "model and count its numbers, its operations and its memory. A token is a word, or a piece of one.",
    ),
)
NAMES = [stage.name for stage in STAGES]
PRESETS = {
    "Two heads, six numbers": {
        "text": "the cat sat down",
        "d_model": "6",
        "heads": "2",
        "step": "heads",
    },
    "Three heads that look back": {
        "text": SENTENCE,
        "d_model": "12",
        "heads": "3",
        "causal": True,
        "step": "heads",
    },
    "Eight heads, 64 numbers": {
        "text": "the cat sat on the mat",
        "d_model": "64",
        "heads": "8",
        "step": "split",
    },
    "One job a head": {"weights": "hand-set", "step": "heads"},
    "Trained heads": {
        "weights": "trained",
        "text": "the cat didn’t cross the road because it was too tired",
        "step": "heads",
    },
    "Bright, and not missed": {
        "text": SENTENCE,
        "d_model": "16",
        "heads": "8",
        "seed": 578,
        "step": "matters",
        "head": "5",
        "q": "sat",
        "k": "mat",
    },
}

SCENE = frozenset({"text", "weights", "d_model", "heads", "causal", "seed"})

page = begin("multi_head", "Multi-Head")
controls = page.controls
stage = STAGES[NAMES.index(controls.place("step", "Step", NAMES, NAMES[0]))]


def sizes(kind: str) -> tuple[int, int, bool]:
    """Draw the width of X, the number of heads and whether they look back only; only random heads have any width."""
    fixed = kind != "random"
    which = " (if random)" if fixed else ""
    d_model = int(controls.dial("d_model", f"d_model, the width of X{which}", WIDTHS, "16", disabled=fixed))
    counts = divisors(d_model)
    usual = "4" if "4" in counts else "2"
    n_heads = int(controls.choice("heads", f"How many heads{which}", counts, usual, disabled=fixed))
    controls.known["heads"] = controls.made["heads"]._replace(default="4")  # that of the width to which a reset leads
    return d_model, n_heads, controls.switch("causal", "Look back only (causal)", disabled=kind == "trained")


with page.scene:
    if stage.name == "cost":  # of a model whose sizes are chosen beside them: whatever sets this scene would do nothing
        st.html(f"<style>{hiding(page.name, SCENE)}</style>")
    else:
        st.subheader("This scene", anchor=False)
    chosen = choose_matrices(controls, seed=18, sizes=sizes, one_head=False)
    page.presets(PRESETS)

with page.body:
    page.claim(stage.claim)
    page.say(stage.text)
    stages = st.container()
    side = "right" if stage.name == "cost" else "distribute"
    with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment=side):
        text = controls.text("text", "Sentence", SENTENCE, width=280 if stage.name == "across" else 440)
        if stage.name == "across":
            second = controls.text("second", "Sentence that is looked at", SECOND, width=220)
        walk(page, STAGES, stage)
    words, note = words_of(text, SENTENCE)

    scene, unknown = heads_of(page.recipe, words, chosen)
    labels = position_labels(scene.words)
    head, off = chosen_head(page, scene.n_heads), chosen_off(page, scene.n_heads)
    with st.container():  # also when it is empty, so that what follows keeps its place
        if note := note or unknown:
            page.write(escape(note), "note")
    with stages:
        place = STAGES.index(stage) + 1
        strip(page, STAGES, thumbnails(scene)[:place] + [blank()] * (len(STAGES) - place), stage)

    if stage.name == "heads":
        look(page, scene, labels, head)
    elif stage.name == "split":
        split(page, scene)
    elif stage.name == "reads":
        reading(page, scene, labels, head or 0)
    elif stage.name == "writes":
        writing(page, scene, labels, off)
    elif stage.name == "matters":
        mattering(page, scene, labels, head or 0)
    elif stage.name == "free":
        free(page, scene)
    elif stage.name == "across":
        others, note = words_of(second, SECOND)
        context, others, unknown = second_sentence(page.recipe, others, chosen.kind, scene.x.shape[1], chosen.seed)
        with st.container():
            if note := note or unknown:
                page.write(escape(note), "note")
        if page.ask(rectangle_question(len(labels), len(others), page.variant("rectangle"))):
            across(page, scene, labels, head or 0, context, position_labels(others))
    else:
        expensive(page)

page.finish(
    attend_heads,
    attention_forward,
    split_heads,
    merge_heads,
    head_writes,
    multi_head_attention,
    weights="attention.weights[0]",
    then=practise,
)
