"""What attention is for: a trained head over a sentence, and which words each of its words attends to."""

import streamlit as st
from markupsafe import Markup

from attention_core.experiments.multi_head.english_heads import trained_head
from attention_core.experiments.qkv.one_head import attend
from pages.charts.heatmap import CLICK, ROW_SUMS, attention_heatmap, outline
from pages.heads.matrices import Scene, familiar
from pages.look.cards import weight_card
from pages.look.html import number, quoted
from pages.look.thumbnails import thumbnail as picture
from pages.page.page import Page
from pages.page.steps import Step
from pages.qkv.common import asking_word, draw_row_as_arcs
from pages.qkv.scene import REFERS, SENTENCE, Vectors

STEP = Step(
    "it",
    "What does “it” refer to?",
    "The word alone does not tell you. With **attention**, each word takes information from words of its sentence, "
    "from some more than from others. The arcs show from which, and how much. Point at another word or tap it, or type "
    "a sentence of your own.",
)


def draw(page: Page, scene: Scene) -> None:
    """Show which words the asking word attends to, as arcs and as a row of the map of all weights."""
    labels, weights = scene.labels, scene.attention.weights
    with page.fields:
        asks = asking_word(page, labels)
    draw_row_as_arcs(page, scene, asks)
    best = int(weights[asks].argmax())
    page.prints(f"weight from {labels[asks]} to {labels[best]}", weights, asks, best)
    sentence = (
        f"Row {quoted(labels[asks])} is outlined. Each row is one word and its weights sum to 1. In this head a word "
        "attends only to itself and to earlier words (a causal mask, lesson 4), so later words have weight 0."
    )
    chart = attention_heatmap(weights, labels, ROW_SUMS, outline(asks), CLICK, name="weights", sentence=sentence)
    page.show(chart, lambda row, _: page.controls.put(q=labels[row]), note=scene.origin)
    page.say(
        f"A large weight shows what this head attends to, not why.{experiment(asks, len(labels))}",
        "note",
        asks=labels[asks],
    )
    label = f"Where the {number(weights[asks, best])} comes from"
    with st.expander(label, icon=":material/calculate:", key="qkv_how", on_change="rerun") as expander:
        if expander.open:
            page.write(weight_card(scene.attention, labels, labels, asks, best))
            page.say("The next steps go through this calculation from its beginning, with smaller numbers.", "note")


def experiment(asks: int, n_words: int) -> str:
    """Return what a student can change without changing the row of the asking word; a single word has no later one."""
    if n_words == 1:
        return ""
    change = "Change any word after {asks}" if asks + 1 < n_words else "Choose an earlier word, then change the last"
    return f" {change}: no weight in the row of the asking word changes."


def thumbnail(scene: Vectors | Scene) -> Markup:
    words = scene.words if isinstance(scene, Scene) else SENTENCE.split()
    return picture(attend(*trained_head(familiar(words, SENTENCE)[0], REFERS)).weights, None)
