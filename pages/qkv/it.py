"""What attention is for: a head over a sentence, and the lines by which one of its weights comes about."""

from pages.heads.matrices import OneHead
from pages.look.facts import largest
from pages.motion.arcs import draw_arcs
from pages.page.page import Page
from pages.page.steps import Step
from pages.qkv.common import pair_of_words, weight_cell
from pages.qkv.journey import draw_lines

STEP = Step(
    "it",
    "What does a word like “it” refer to?",
    "The word alone does not tell you. With **attention**, each word takes information from words of its sentence, "
    "usually more from some than others. Point at another word, or tap it.",
    lent="q k",
)
NOTES = {  # of the matrices, by how they are made
    "hand-made": "A **head** is one set of three matrices. The few numbers of this one have names. Those of the "
    "trained head on the home page have none.",
    "trained": "This **head**, one set of three matrices, was trained. In it a word attends only to itself and to "
    "earlier words (lesson 4), so later words have weight 0. A large weight shows what a head attends to, not why.",
    "random": "A **head** is one set of three matrices.",
}


def draw(page: Page, scene: OneHead) -> None:
    """Show which words a word attends to, as arcs, and how one weight comes about, line by line."""
    labels, weights = scene.labels, scene.attention.weights
    asks, key = pair_of_words(page, scene, "Word that asks", "Attends to")
    page.prints(f"weight from {labels[asks]} to {labels[key]}", weights, asks, key)
    choose = weight_cell(page, scene).choose  # a click lets another word ask the key it attends to most
    draw_arcs(page, labels, scene.words, weights, asks, "sentence", lambda i: choose(i, largest(weights[i]).first))
    draw_lines(page, scene, asks, key)
    page.say(NOTES[scene.kind], "note")
    page.write(scene.origin, "note")
