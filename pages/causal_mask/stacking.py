"""Layers that stand on one another, with the mask and without."""

from html import escape

import numpy as np
import streamlit as st

from attention_core.arrays import Array
from attention_core.layers import moved_by_mask, random_layers, through_layers
from attention_core.words import word_vectors
from pages.causal_mask.questions import layers_question
from pages.causal_mask.scene import Masked
from pages.causal_mask.views import D_HEAD, D_MODEL, chosen_word
from pages.shared import cards
from pages.shared.charts.chart import Chart, rung
from pages.shared.charts.heatmap import Axes, heatmap
from pages.shared.frame import Page
from pages.shared.markup import number

LAYER_AXES = Axes("layer", "word", "distance", words=True)


def layers(page: Page, scene: Masked) -> bool:
    """Leave out the mask in layers that stand on one another, and compare."""
    controls, run = page.controls, page.recipe.run
    n_layers = controls.slider("layers", "Layers", 1, 4, 3, 1, width=260)
    x = run("layers_x", word_vectors, scene.words, D_MODEL, scene.seed)
    stack = run("layers", random_layers, n_layers, D_MODEL, D_HEAD, scene.seed)
    moved = run("layers_moved", moved_by_mask, x, stack, scene.mask)
    every = moved_by_mask(x, random_layers(4, D_MODEL, D_HEAD, scene.seed), scene.mask)
    if not page.ask(layers_question(scene, every, page.variant("layers"))):
        return False
    left, right = st.columns([1.18, 1], gap="medium")
    with right:
        card = st.container(border=True)
        with st.container(horizontal=True):
            layer = min(controls.whole("layer", "After layer", 1, 4, 1, width=130), n_layers) - 1
            word = chosen_word(page, scene, "word", "Word · column", len(scene.words) - 1)
    without = run("without", through_layers, x, stack)
    under = run("under", through_layers, x, stack, scene.mask)
    origin = f"Random layers, seed {scene.seed}" + (", whatever the sidebar says." if scene.whose != "random" else ".")
    with left:
        page.show(
            layers_map(scene, moved, rung(float(every.max(initial=0))), layer, word),
            lambda i, j: controls.put(layer=i + 1, word=scene.labels[j]),
            note=f"How far each word is from where it would be without the mask. {origin}",
        )
    with card:
        page.write(two_outputs_card(scene, without, under, layer, word))
    page.say(
        "There is one more use of the mask: what stands before is never changed by what comes later, so a model that "
        "writes word after word may keep the keys and values of earlier words instead of computing them again.",
        "",
    )
    return True


def layers_map(scene: Masked, moved: Array, limit: float, layer: int, column: int) -> Chart:
    """Return how far each word lies from where it would be without the mask, layer by layer."""
    rows = [f"after layer {i + 1}" for i in range(len(moved))]
    still = moved < 1e-9
    same = [str(i + 1) for i in np.flatnonzero(still[:, -1])]
    sentence = f"The last word is where it would be without the mask after layer {' and '.join(same)}."
    if len(same) in (0, len(moved)):
        where = "where it would be without the mask" if same else "elsewhere"
        sentence = f"The last word lies {where} after every layer."
    return heatmap(
        moved,
        rows,
        scene.labels,
        LAYER_AXES,
        name="moved by the mask",
        sentence=sentence,
        limit=limit,
        amounts=True,
        hidden=still,
        chosen=(layer, column),
        clickable=True,
    )


def two_outputs_card(scene: Masked, without: Array, under: Array, layer: int, column: int) -> str:
    """Return a word's numbers after a layer, without the mask and with it."""
    lines = "".join(
        f"<tr><td>{i + 1}</td><td>{number(a)}</td><td>{number(b)}</td><td>{number(b - a)}</td></tr>"
        for i, (a, b) in enumerate(zip(without[layer, column], under[layer, column], strict=True))
    )
    head = "<tr><th>number</th><th>without</th><th>with the mask</th><th>difference</th></tr>"
    title = f"<b>{escape(scene.labels[column])}</b> after layer {layer + 1}"
    return cards.card(title, f'<div class="wide"><table>{head}{lines}</table></div>')
