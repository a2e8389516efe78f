"""Layers that stand on one another, with the mask and without."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.experiments.attention_stack import moved_by_mask, random_layers, run_layers
from attention_core.text.word_vectors import word_vectors
from pages.causal_mask.common import D_HEAD, D_MODEL, SCORE_LIMIT, chosen_word, drawn, others_grey
from pages.causal_mask.scene import Masked
from pages.charts.chart import Chart, rung
from pages.charts.heatmap import Axes, heatmap
from pages.look import cards, thumbnails
from pages.look.html import number, prose, table
from pages.page.page import Page
from pages.page.questions import Choice
from pages.page.steps import Step

STEP = Step(
    "layers",
    "One layer could do without a mask",
    "When a model writes, only the last word’s output is used, and a causal mask hides nothing from it. Is the "
    "mask needed then? Stack layers of attention, leave the mask out, and see where the last word ends up.",
)

LAYER_AXES = Axes("layer", "word", "distance", words=True)


def draw(page: Page, scene: Masked) -> bool:
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
    without = run("without", run_layers, x, stack)
    under = run("under", run_layers, x, stack, scene.mask)
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


def thumbnail(scene: Masked) -> Markup:
    """Return the small picture of the step."""
    x = word_vectors(scene.words, D_MODEL, scene.seed)
    moved = moved_by_mask(x, random_layers(3, D_MODEL, D_HEAD, scene.seed), scene.mask)
    return thumbnails.thumbnail(others_grey(moved, moved < 1e-9), SCORE_LIMIT)


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


def two_outputs_card(scene: Masked, without: Array, under: Array, layer: int, column: int) -> Markup:
    """Return a word's numbers after a layer, without the mask and with it."""
    lines = [
        (str(i + 1), number(a), number(b), number(b - a))
        for i, (a, b) in enumerate(zip(without[layer, column], under[layer, column], strict=True))
    ]
    title = Markup("<b>{}</b> after layer {}").format(scene.labels[column], layer + 1)
    return cards.card(title, table(("number", "without", "with the mask", "difference"), lines))


def layers_question(scene: Masked, moved: Array, variant: int) -> Choice:
    """Ask from which layer on a word's output needs the mask: the last word's, in other variants any word's."""
    last = len(scene.words) - 1
    word = last if variant == 0 else drawn(variant, 8, np.arange(last + 1))
    differs = moved[:, word] > 1e-9
    first = int(differs.argmax()) if differs.any() else len(moved)
    if word == last and not scene.blocked[last].any():
        text = prose(
            "To choose the next word, a model uses the output of the last word alone, and this mask hides nothing "
            "from it. So leave the mask out, and compare the last word’s numbers with and without. "
            "From which layer on do they differ?"
        )
    else:
        text = prose(
            f"Leave the mask out, and look at {{word}}, number {word + 1} of {last + 1}. From which layer on do its "
            "numbers differ from those under the mask?",
            word=scene.labels[word],
        )
    options = ("In no layer", "From the first layer on", "From the second layer on", "From the third layer on")
    right = 0 if not differs.any() else min(first + 1, 3)
    n_hidden = int(scene.blocked[word].sum())
    why = (
        "Under this mask the word, and all that it hears of, is the same in every layer.",
        f"The mask hides {n_hidden} words from it, and without the mask it looks at them at once.",
        "In the first layer its row is the same; other rows are not, and in the second layer it looks at them.",
        "It takes that many layers until something hidden comes through.",
    )[right]
    reasons = [
        f"Layer {first + 1} already differs.",
        "After the first layer its numbers are the same with the mask and without.",
        "Count the steps: a word hears in one layer what it sees, and in the next what those have seen.",
        "Count the steps: a word hears in one layer what it sees, and in the next what those have seen.",
    ]
    reasons[right] = ""
    return Choice("layers", text, options, (right,), why, tuple(reasons))
