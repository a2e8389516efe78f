"""The words in another order: which vectors change, without a mask in no layer, and under a causal one after some."""

import numpy as np
import streamlit as st

from attention_core.arrays import Array
from attention_core.experiments.masks.attention_stack import moved_by_order, random_layers
from attention_core.text.word_vectors import word_vectors
from pages.causal_mask.common import D_HEAD, D_MODEL
from pages.causal_mask.scene import LETTERS, Masked, order_of
from pages.charts.chart import Chart, rung
from pages.charts.heatmap import NO_LEGEND, Axes, heatmap, hide, outline, scale
from pages.look.facts import differs
from pages.look.html import prose
from pages.motion.line_order import word_order
from pages.page.page import Page
from pages.page.steps import Step
from pages.questions.kinds import Choice

STEP = Step(
    "word order",
    "A causal mask carries some word order",
    "Here the words have no positions. Without a mask, attention ignores their order: after a swap, each word keeps "
    "its vector in every layer. Drag a word to another position.",
    asks="Swap two words: does the last one notice?",
    then="Under the mask, one layer sees which words come before, because the mask stays. A second "
    "layer can work out more.",
    experiment="order",
)
N_LAYERS = 3
NOTICED_AXES = Axes("layer", "word", "distance", words=True)
WHY = (  # by the place of the option that is right
    "The two words are the same, so every position holds the same word as before.",
    "Its own position is another one after the swap.",
    "In layer 1 it attends to the same words, and a sum has no order. But the swapped words saw other words before "
    "them. In layer 2 the last word attends to their changed vectors.",
    "It takes that many layers until the change in other words reaches it.",
)
OPTIONS = (
    "No, in no layer",
    "Yes, after the first layer",
    "Only from the second layer on",
    "Only after the third layer",
)


def draw(page: Page, scene: Masked) -> bool:
    """Let words be dragged, and show which have another vector after each layer, without a mask and with it."""
    run, length, dragged = page.recipe.run, len(scene.words), order_of(page.controls)
    order = dragged if sorted(dragged) == list(scene.positions) else swapped(length, *two_words(length, 0))
    x = run("layers_x", word_vectors, scene.words, D_MODEL, scene.seed)
    layers = run("layers", random_layers, N_LAYERS, D_MODEL, D_HEAD, scene.seed)
    without = run("without", moved_by_order, x, order, layers, None)
    fixed = "order" in page.controls.locked

    def drag(reached: list[int]) -> None:
        page.controls.put(order="".join(LETTERS[i] for i in reached))

    def asked(variant: int) -> tuple[int, int]:
        return two_words(length, 0 if fixed else variant)

    def make(variant: int) -> Choice | None:
        one, two = asked(variant)
        if one == two:
            return None
        return swap_question(scene, one, two, moved_by_order(x, swapped(length, one, two), layers, scene.mask))

    def draw_without() -> None:
        page.head("Changed vectors, without a mask")
        page.show(noticed_map(scene, without, "without a mask"))

    line = st.container()
    question = page.question("shuffle", make)
    if not page.ask(question, draw_without, then=lambda: drag(swapped(length, *asked(page.variant("shuffle"))))):
        with line:
            word_order(scene.labels, order, f"{page.name}_dragged", drag, fixed=fixed)
        return False
    with line:
        lit = [i for i in scene.positions if order[i] != i]
        word_order(scene.labels, order, f"{page.name}_dragged", drag, lit=lit, fixed=fixed)
    moved = run("noticed", moved_by_order, x, order, layers, scene.mask)
    page.prints(f"change of {scene.labels[-1]}, layer 2", moved, 1, length - 1)
    left, right = st.columns(2, gap="medium")
    with left:
        draw_without()
    with right:
        page.head("Changed vectors, with the mask in every layer")
        page.show(noticed_map(scene, moved, "with the mask"))
    page.write(f"Colour: distance between a word’s vectors in both orders. Random layers, seed {scene.seed}.", "note")
    return True


def two_words(length: int, variant: int) -> tuple[int, int]:
    """Return two positions of a sentence: at first those of the second word and the third, if there is a third."""
    if variant == 0 or length < 3:
        return max(0, min(1, length - 2)), min(2, length - 1)
    one, two = np.sort(np.random.default_rng([variant, 10]).choice(length, 2, replace=False)).tolist()
    return one, two


def swapped(length: int, first: int, second: int) -> list[int]:
    """Return the order of the words in which two are swapped."""
    order = list(range(length))
    order[first], order[second] = second, first
    return order


def noticed_map(scene: Masked, moved: Array, name: str) -> Chart:
    """Return how far each word moves after each layer; empty where it does not."""
    still = ~differs(0.0, moved)
    rows = [f"after layer {layer + 1}" for layer in range(len(moved))]
    told = "Empty: the same vector in both orders."
    limit = rung(float(moved.max(initial=0)))
    layers = scale(limit, amounts=True), outline(column=len(scene.labels) - 1), hide(still), NO_LEGEND
    return heatmap(moved, rows, scene.labels, NOTICED_AXES, *layers, name=f"moved {name}", sentence=told)


def swap_question(scene: Masked, first: int, second: int, moved: Array) -> Choice:
    """Ask from which layer on the last word’s vector changes when two words are swapped."""
    text = prose(
        f"{{one}} (word {first + 1}) and {{two}} (word {second + 1}) trade positions, and the causal mask stays. Does "
        "the vector of the last word, {last}, change?",
        one=scene.labels[first],
        two=scene.labels[second],
        last=scene.labels[-1],
    )
    right = int([*np.flatnonzero(differs(0.0, moved[:, -1])) + 1, 0][0])
    reasons = (
        "A swap changes what words see before them, and that reaches this word.",
        "You thought that the mask tells positions. In one layer the last word attends to the same words as before.",
        "You expected a second layer to notice, but here it is otherwise. Compare which words each word attends to.",
        "A change is passed on by each layer, so it arrives earlier, or there is none.",
    )
    return Choice.of("shuffle", text, OPTIONS[right], WHY[right], dict(zip(OPTIONS, reasons, strict=True)))
