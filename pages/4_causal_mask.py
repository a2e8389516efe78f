"""Lesson 4: who may look at whom, and what goes wrong when a mask is put in the wrong place."""

from html import escape

import streamlit as st

from attention_core.attention import attention_forward
from attention_core.masks import additive_mask, causal_mask
from attention_core.softmax import softmax_forward
from pages.causal_mask.adding import added
from pages.causal_mask.four_ways import laboratory
from pages.causal_mask.hiding import see
from pages.causal_mask.leaking import leak
from pages.causal_mask.painting import paint
from pages.causal_mask.rows import order
from pages.causal_mask.scene import KINDS, SIZES, cells_of, masked_scene, paint_of, painted
from pages.causal_mask.shuffling import shuffle
from pages.causal_mask.stacking import layers
from pages.causal_mask.thumbnails import thumbnails
from pages.practice.view import practise
from pages.shared.cards import blank
from pages.shared.frame import begin
from pages.shared.scenes import SENTENCE, choose_matrices, scene_of
from pages.shared.sentences import words_of
from pages.shared.stepper import Stage, strip, walk

STAGES = (
    Stage(
        "see",
        "hide",
        "A mask hides keys from a query",
        "A model that is to guess the next word must not see it. So under a causal mask each word may look at itself "
        "and at what stands before it: the cells above the diagonal are hidden, and the others share the weight of "
        "the row.",
    ),
    Stage(
        "added",
        "+ −∞",
        "A blocked score has −∞ added",
        "A mask can be written as True and False, where True means blocked, or as what is added to the scaled scores: "
        "0 leaves a score as it is, −∞ makes its exponential 0. Click a hidden cell and follow it to its weight.",
    ),
    Stage(
        "laboratory",
        "ways",
        "Hide first, then softmax",
        "The same scores, masked in four ways. All four run; two give the same numbers and two are mistakes. "
        "Guess before you look; then click a cell of the first map, and follow it in all four.",
    ),
    Stage(
        "leak",
        "leaks",
        "No output hears of a hidden word",
        "A mask hides more than a cell of a picture: it cuts the way from a word to an output. Change one word, and "
        "every output that hears of it lights up.",
    ),
    Stage(
        "paint",
        "paint",
        "Any pattern can be a mask",
        "Windows, blocks, a prefix that all may see: models use many patterns. Choose a window in the menu, or paint "
        "your own. What one layer hides may still come through in two, by way of a word that sees it.",
    ),
    Stage(
        "order",
        "rows",
        "Every row can be computed alone",
        "The picture looks like reading from top to bottom, but nothing waits for anything. Compute the rows in "
        "whichever order you like, one at a time, and compare them with all rows at once.",
    ),
    Stage(
        "layers",
        "layers",
        "One layer could do without a mask",
        "When a model writes, only the last word’s output is used, and a causal mask hides nothing from it. Is the "
        "mask needed then? Stack layers of attention, leave the mask out, and see where the last word ends up.",
    ),
    Stage(
        "shuffle",
        "order",
        "A causal mask tells some order",
        "Attention by itself does not see order: shuffle the words, and each keeps its output. See whether that is "
        "still so under a mask.",
    ),
)
NAMES = [stage.name for stage in STAGES]
PRESETS = {
    "A window, two layers": {"mask": "sliding window", "step": "paint"},
    "The diagonal hidden too": {"paint": painted([(i, i) for i in range(24)]), "step": "paint"},
    "A trained head, without a mask": {"weights": "trained", "step": "see"},
}

page = begin("causal_mask", "Causal Mask")
controls = page.controls
stage = STAGES[NAMES.index(controls.place("step", "Step", NAMES, NAMES[0]))]
painting = paint_of(controls)

with page.scene:
    st.subheader("This scene", anchor=False)
    kind = controls.select("mask", "Mask", KINDS, "causal")
    size = controls.whole(*SIZES[kind][:2], 1, 24, SIZES[kind][2]) if kind in SIZES else 0
    chosen = choose_matrices(controls, seed=20)
    page.presets(PRESETS)

with page.body:
    page.claim(stage.claim)
    page.say(stage.text)
    stages = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute"):
        text = controls.text("text", "Sentence", SENTENCE, width=440)
        walk(page, STAGES, stage)
    words, note = words_of(text, SENTENCE)
    scene, unknown = scene_of(page.recipe, words, chosen)
    masked = masked_scene(page.recipe, scene, kind, size, cells_of(painting), chosen)
    with st.container():  # also when it is empty, so that what follows keeps its place
        if note := note or unknown:
            page.write(escape(note), "note")
    if stage.name == "see":
        ready = see(page, masked)
    elif stage.name == "added":
        ready = added(page, masked)
    elif stage.name == "laboratory":
        ready = laboratory(page, masked)
    elif stage.name == "leak":
        ready = leak(page, masked)
    elif stage.name == "paint":
        ready = paint(page, masked, painting)
    elif stage.name == "order":
        ready = order(page, masked)
    elif stage.name == "layers":
        ready = layers(page, masked)
    else:
        ready = shuffle(page, masked)
    with stages:
        seen = thumbnails(masked, NAMES.index(stage.name) + ready)
        strip(page, STAGES, seen + [blank()] * (len(STAGES) - len(seen)), stage)

page.finish(attention_forward, softmax_forward, additive_mask, causal_mask, weights="masked.weights", then=practise)
