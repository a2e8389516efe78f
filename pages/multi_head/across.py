"""Heads between two sentences: one asks, the other is looked at."""

import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.experiments.english_heads import trained_heads
from attention_core.experiments.one_head import hand_set_embedding
from attention_core.experiments.several_heads import attend_heads
from attention_core.text.word_vectors import position_labels, word_vectors
from pages.look import thumbnails
from pages.look.html import prose
from pages.multi_head.common import attention_of_head, choose_head, row_sentence, shape
from pages.multi_head.scene import HeadScene
from pages.page.heads_view import enlarged_head
from pages.page.matrices import familiar
from pages.page.page import Page
from pages.page.questions import Choice
from pages.page.steps import Step
from pages.page.typed import words_of
from pages.reproduce.recipe import Recipe

STEP = Step(
    "across",
    "One sentence may ask another",
    "Queries from one sentence, keys and values from another: that is cross-attention, the same code with a second "
    "input. A translator asks so, each word it writes looking into the text that it reads.",
)

SECOND = "the dog is happy"


def draw(page: Page, scene: HeadScene) -> bool:
    """Show one head that looks from one sentence into another."""
    with page.fields:
        text = page.controls.text("second", "Sentence that is looked at", SECOND, width=220)
    words, note = words_of(text, SECOND)
    context, words, unknown = second_sentence(page.recipe, scene, words)
    with st.container():  # also when it is empty, so that what follows keeps its place
        if note := note or unknown:
            page.write(note, "note")
    if not page.ask(rectangle_question(len(scene.words), len(words), page.variant("rectangle"))):
        return False
    attention = page.recipe.run("across", attend_heads, scene.x, scene.heads, scene.n_heads, None, context)
    head = choose_head(page, scene)
    own, labels = attention_of_head(page, attention, head), position_labels(words)
    sentence = row_sentence(own.weights, scene.labels, labels)
    enlarged_head(page, own, scene.labels, labels, sentence, f"{scene.origin} Between two sentences nothing is hidden.")
    arrays = {"q": attention.q, "k": attention.k, "weights": attention.weights}
    shapes = ", ".join(f"{name} {shape(*array.shape)}" for name, array in arrays.items())
    page.write(
        f"Shapes with all heads: {shapes}. The output has a row for each word that asks, as wide as ever: "
        f"{shape(*scene.x.shape)}.",
        "note",
    )
    return True


def thumbnail(scene: HeadScene) -> Markup:
    """Return the small picture of the step."""
    beginning = scene.x[: max(1, len(scene.words) // 2)]
    return thumbnails.thumbnail(attend_heads(scene.x, scene.heads, scene.n_heads, None, beginning).weights[0], None)


def second_sentence(recipe: Recipe, scene: HeadScene, words: list[str]) -> tuple[Array, list[str], str | None]:
    """Return the vectors of the sentence that is looked at, its words, and a note on words that are not known."""
    note = None
    if scene.kind == "trained":
        words, note = familiar(words, SECOND)
    recipe.given("other_words", words)
    if scene.kind == "trained":
        return recipe.given("context", trained_heads(words).x), words, note
    embed = word_vectors if scene.kind == "random" else hand_set_embedding
    return recipe.run("context", embed, words, scene.d_model, scene.seed), words, note


def rectangle_question(asks: int, answers: int, variant: int) -> Choice:
    """Ask for the shape of a map between two sentences."""
    text = prose(
        f"The first sentence, of length {asks}, asks; the second, of length {answers}, is looked at. Which shape has "
        "the map of one head, rows first?"
    )
    why = f"A row for each word that asks, {asks}; a column for each that answers, {answers}."
    mistakes = {
        shape(answers, asks): "That is the map lying on its side: whoever asks has a row.",
        shape(asks, asks): "The words that ask are not looked at here; the keys come from the other sentence.",
        shape(asks + answers, asks + answers): "That would be one long sentence that looks at itself.",
    }
    right = shape(asks, answers)
    return Choice.shuffled("rectangle", text, [right], why, {right: ""} | mistakes, variant)
