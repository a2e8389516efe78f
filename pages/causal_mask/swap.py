"""Two words are swapped: which words notice, after one layer and after more."""

from collections.abc import Callable

import numpy as np
import streamlit as st

from attention_core.arrays import Array
from attention_core.experiments.masks.attention_stack import moved_by_order, random_layers
from attention_core.text.word_vectors import word_vectors
from pages.causal_mask.common import D_HEAD, D_MODEL, swapped, two_words
from pages.causal_mask.scene import Masked
from pages.charts.chart import Chart, rung
from pages.charts.heatmap import Axes, heatmap, hide, outline, scale
from pages.look import cards
from pages.look.html import number, prose, quoted
from pages.motion.line_order import word_order
from pages.page.page import Page
from pages.page.questions.kinds import Choice
from pages.page.steps import Step

STEP = Step(
    "swap",
    "One layer knows earlier words, but not their order",
    "A word’s output in one layer is a weighted sum over the words that it attends to. Here the words have no "
    "positions, so only the mask can carry their order. Drop a word on another.",
    asks="Swap two earlier words: does the last one notice?",
    then="Under a causal mask, a second layer can work out more. Without a mask, no number of layers would notice a "
    "swap.",
    words="with",
)

N_LAYERS = 3
NOTICED_AXES = Axes("layer", "word", "distance", words=True)
OPTIONS = (
    "No, in no layer",
    "Yes, after the first layer",
    "Only from the second layer on",
    "Only after the third layer",
)


def draw(page: Page, scene: Masked) -> bool:
    """Swap two words, and show which words have another vector after each layer."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        first = page.controls.pick("swap", "Swap", scene.labels, 1)
        second = page.controls.pick("with", "with", scene.labels, 2)
    order = swapped(len(scene.words), first, second)
    if len(order) < 2:
        page.write("A swap needs two words.", "note")
    run = page.recipe.run
    x = run("layers_x", word_vectors, scene.words, D_MODEL, scene.seed)
    layers = run("layers", random_layers, N_LAYERS, D_MODEL, D_HEAD, scene.seed)

    def asked(variant: int) -> tuple[int, int]:
        """Return the words that a variant of the question swaps: at first those in view, unless they are the same."""
        fixed = len(order) < 2 or not {"swap", "with"}.isdisjoint(page.controls.locked)
        in_view = variant == 0 and first != second
        return (first, second) if in_view or fixed else two_words(len(order), variant)

    def make(variant: int) -> Choice | None:
        one, two = asked(variant)
        if one == two:
            return None
        swap = swapped(len(order), one, two)
        return swap_question(scene, one, two, moved_by_order(x, swap, layers, scene.mask))

    def choose(one: int, two: int) -> None:
        page.controls.put(swap=scene.labels[one], **{"with": scene.labels[two]})

    draw_order(page, scene, order, (first, second), choose)
    if not page.ask(page.question("swap", make), then=lambda: choose(*asked(page.variant("swap")))):
        return False
    moved = run("noticed", moved_by_order, x, order, layers, scene.mask)
    last = len(order) - 1
    page.prints(f"how far the swap moves {scene.labels[last]} after layer 2", moved, 1, last)
    page.head("Which words notice the swap", f"(mask: {scene.pattern})")
    without = moved_by_order(x, order, layers, None)
    page.show(
        noticed_map(scene, moved),
        note=f"Colour: distance between a word’s vectors before and after the swap. Random layers, seed {scene.seed}; "
        f"X has no positions. Without a mask, the largest distance after {N_LAYERS} layers is "
        f"{number(float(without.max(initial=0)))}.",
    )
    return True


def draw_order(
    page: Page, scene: Masked, order: list[int], pair: tuple[int, int], choose: Callable[[int, int], None]
) -> None:
    """Draw the sentence, and below it with two words swapped, which can be dropped on others."""

    def drop(reached: list[int]) -> None:
        moved = [i for i in scene.positions if reached[i] != i] or [pair[0], pair[0]]
        if len(moved) == 2:
            choose(*moved)

    fixed = not {"swap", "with"}.isdisjoint(page.controls.locked)
    before, after = st.columns(2, gap="medium")
    with before:
        page.head("Before the swap")
        page.write(cards.chips(scene.labels))
    with after:
        page.head("After the swap")
        word_order(scene.labels, order, f"{page.name}_dropped", drop, lit=pair, swaps=True, fixed=fixed)


def noticed_map(scene: Masked, moved: Array) -> Chart:
    """Return how far each word moves after each layer; grey where it does not."""
    still = moved < 1e-9
    rows = [f"after layer {layer + 1}" for layer in range(len(moved))]
    last = scene.labels[-1]
    where = [str(layer + 1) for layer in np.flatnonzero(~still[:, -1])]
    after = f"layer{'s' if len(where) > 1 else ''} {' and '.join(where)}"
    told = f"{quoted(last)} has another vector after {after}." if where else ""
    layers = scale(rung(float(moved.max(initial=0))), amounts=True), outline(column=len(scene.labels) - 1), hide(still)
    sentence = told or f"{quoted(last)} has the same vector after every layer."
    return heatmap(moved, rows, scene.labels, NOTICED_AXES, *layers, name="moved by the swap", sentence=sentence)


def swap_question(scene: Masked, first: int, second: int, moved: Array) -> Choice:
    """Ask from which layer on the last word’s vector changes when two words are swapped."""
    last = len(scene.words) - 1
    text = prose(
        f"{{one}} (word {first + 1}) and {{two}} (word {second + 1}) trade positions. The mask ({scene.pattern}) "
        "stays. Does the vector of the last word, {last}, change?",
        one=scene.labels[first],
        two=scene.labels[second],
        last=scene.labels[last],
    )
    noticed = moved[:, -1] > 1e-9
    right = int(noticed.argmax()) + 1 if noticed.any() else 0
    told = ", ".join(number(float(value)) for value in moved[:, -1])
    why = (
        f"After layers 1, 2 and 3, it has moved by {told}. "
        + (
            "No other word passes on anything that depends on the order.",
            "Its own position, or what it may attend to, is another one after the swap.",
            "In layer 1 it attends to the same words, and a sum has no order. But a word in between saw another set of "
            "words before it. In layer 2 the last word attends to its changed vector.",
            "It takes that many layers until the change in other words reaches it.",
        )[right]
    )
    mistakes = [
        "A sum has no order, but only in one layer. Words in between have changed."
        if right > 1
        else "You expected the same vector, but the swap reaches this word in its own row.",
        "You thought that the mask tells positions. In one layer the last word attends to the same words as before.",
        "You expected a second layer to notice, but here it is otherwise. Compare which words each word attends to.",
        "You counted too late: one layer is enough to pass a change on.",
    ]
    return Choice("swap", text, OPTIONS, (right,), why, tuple(mistakes))
