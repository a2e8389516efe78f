"""Stacked layers with the mask and without."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.experiments.masks.attention_stack import moved_by_mask, random_layers, run_layers
from attention_core.text.word_vectors import word_vectors
from pages.causal_mask.common import D_HEAD, D_MODEL, picked
from pages.causal_mask.in_text import draw_in_text
from pages.causal_mask.scene import Masked
from pages.charts.chart import Chart, limit_of
from pages.charts.heatmap import CLICK, Axes, heatmap, hide, outline, scale
from pages.look import cards
from pages.look.html import number, prose, table
from pages.page.page import Page
from pages.page.questions.kinds import Choice
from pages.page.steps import Step

STEP = Step(
    "layers",
    "With several layers, the last word needs the mask",
    "To generate, a model uses only the last word’s output, and in layer 1 a causal mask blocks nothing there. Remove "
    "the mask from a stack of layers, and compare each word’s vectors.",
    asks="Does the last word need the mask?",
    words="layer layers",
)

LAYER_AXES = Axes("layer", "word", "distance", words=True)


def draw(page: Page, scene: Masked) -> bool:
    """Remove the mask from stacked layers, and from trained models while they write."""
    controls, run = page.controls, page.recipe.run
    n_layers = controls.slider("layers", "Layers", 1, 4, 3, 1, width=260)
    x = run("layers_x", word_vectors, scene.words, D_MODEL, scene.seed)
    stack = run("layers", random_layers, n_layers, D_MODEL, D_HEAD, scene.seed)
    moved = run("layers_moved", moved_by_mask, x, stack, scene.mask)
    every = moved_by_mask(x, random_layers(4, D_MODEL, D_HEAD, scene.seed), scene.mask)
    question = layers_question(scene, every, page.variant("layers"))
    asked = scene.labels[question.place[1] if question.place else -1]
    if not page.ask(question, then=lambda: controls.put(word=asked)):
        return False
    left, right = st.columns([1.18, 1], gap="medium")
    with right:
        card = st.container(border=True)
        with st.container(horizontal=True):
            layer = min(controls.integer("layer", "After layer", 1, 4, 1, width=130), n_layers) - 1
            word = page.controls.pick("word", "Word · column", scene.labels, len(scene.words) - 1)
    page.prints(f"change of {scene.labels[word]} after layer {layer + 1}", moved, layer, word)
    without = run("without", run_layers, x, stack)
    under = run("under", run_layers, x, stack, scene.mask)
    with left:
        note = "Colour: distance between a word’s vector with the mask and without it. "
        chart = layers_map(scene, moved, limit_of(every), layer, word)
        note += f"Random layers, seed {scene.seed}."
        page.show(chart, lambda i, j: controls.put(layer=i + 1, word=scene.labels[j]), note=note)
    with card:
        lines = [
            (str(i), number(a), number(b), number(b - a))
            for i, (a, b) in enumerate(zip(without[layer, word], under[layer, word], strict=True), start=1)
        ]
        title = Markup("<b>{}</b> after layer {} (rounded)").format(scene.labels[word], layer + 1)
        page.write(cards.card(title, table(("entry", "without", "with the mask", "difference"), lines)))
    draw_in_text(page, scene)
    page.say(
        "A causal mask has a second use: later words never change the vectors of earlier ones. So a model that "
        "generates can keep the keys and values of earlier words instead of computing them again (the **KV cache**, "
        "lesson 6).",
        "",
    )
    return True


def layers_map(scene: Masked, moved: Array, limit: float, layer: int, column: int) -> Chart:
    """Return the distance of each word’s vector with the mask from the one without, layer by layer."""
    rows = [f"after layer {i + 1}" for i in range(len(moved))]
    still = moved < 1e-9
    same = [str(i + 1) for i in np.flatnonzero(still[:, -1])]
    sentence = f"The last word’s vector is the same without the mask after layer {' and '.join(same)} only."
    if len(same) in (0, len(moved)):
        told = "is the same without the mask" if same else "differs without the mask"
        sentence = f"The last word’s vector {told} after every layer."
    layers = scale(limit, amounts=True), outline(layer, column), hide(still), CLICK
    return heatmap(moved, rows, scene.labels, LAYER_AXES, *layers, name="moved by the mask", sentence=sentence)


def layers_question(scene: Masked, moved: Array, variant: int) -> Choice:
    """Ask from which layer on a word's vector needs the mask: the last word's, in other variants any word's."""
    last = len(scene.words) - 1
    word = last if variant == 0 else picked(variant, 8, np.arange(last + 1))
    differs, n_blocked = moved[:, word] > 1e-9, int(scene.blocked[word].sum())
    first = int(differs.argmax()) if differs.any() else len(moved)
    if word == last and not scene.blocked[last].any():
        text = prose(
            "To choose the next word, a model uses only the last word’s output, and this mask blocks nothing there. "
            "Remove the mask. From which layer on does the last word’s vector change?"
        )
    else:
        text = prose(
            f"Remove the mask and look at {{word}}, word {word + 1} of {last + 1}. From which layer on does its vector "
            "change?",
            word=scene.labels[word],
        )
    options = ("In no layer", "From the first layer on", "From the second layer on", "From the third layer on")
    right = 0 if not differs.any() else min(first + 1, 3)
    why = (
        "Without this mask, neither this word nor the words it attends to get another vector.",
        f"In its row, the mask blocks {n_blocked} of {last + 1} words. Without the mask it attends to "
        f"{'it' if n_blocked == 1 else 'them'} in the first layer.",
        "In the first layer its own row is the same. Other rows change, and in the second layer it attends to them.",
        "It takes that many layers until a change in other rows reaches this word.",
    )[right]
    told = "You counted too late: a change passes on by one layer at a time, and here it arrives earlier."
    same = "You expected a change, but its vector is the same with and without the mask after "
    reasons = [
        f"You expected the same vector after every layer, but it differs after layer {first + 1}.",
        same + "the first layer.",
        told if right else same + "every layer.",
        told if right else same + "every layer.",
    ]
    return Choice("layers", text, options, (right,), why, tuple(reasons), place=(0, word))
