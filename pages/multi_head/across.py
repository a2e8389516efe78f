"""Heads between two sentences: one gives the queries, the other the keys and values."""

from functools import partial
from typing import NamedTuple

import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.experiments.multi_head.english_heads import trained_heads
from attention_core.experiments.multi_head.several_heads import HeadSet, attend_heads, hand_set_heads
from attention_core.experiments.qkv.one_head import JOBS, hand_set_embedding
from attention_core.text.word_vectors import position_labels, word_vectors
from pages.heads.matrices import familiar, first_query
from pages.heads.side_by_side import enlarged_head, head_buttons
from pages.look import thumbnails
from pages.look.html import prose
from pages.look.sentences import brightest_cell
from pages.multi_head.common import attention_of_head, head_in_view, shape
from pages.multi_head.scene import HAND_SET_WIDTH, HeadScene
from pages.page.fields.typed import words_of
from pages.page.page import Page
from pages.page.questions.kinds import Choice
from pages.page.steps import Step
from pages.reproduce.recipe import Recipe, Short

STEP = Step(
    "cross",
    "Cross-attention: one sentence queries another",
    "In cross-attention, queries come from one sentence, keys and values from another. In the code, only a second "
    "input is new. In an **encoder–decoder** model for translation, each word being generated attends to the encoded "
    "source sentence. Type a second sentence and read the shapes.",
    words="crosses second",
)

SECOND = "on the warm mat sat the cat and it meowed loudly"
CROSSES = ("hand-made", "of the settings")
OTHERS = ((5, 8), (12, 9), (3, 14))  # words of other pairs of sentences
FINDS = JOBS.index("same word")


class Across(NamedTuple):
    """Heads with what they get from each of two sentences."""

    x: Array  # (T, D), of the sentence that gives the queries
    heads: HeadSet
    n_heads: int
    context: Array  # (S, D), of the sentence that gives keys and values
    origin: str  # whose matrices these are
    usual: int  # the head that is in view at first


def draw(page: Page, scene: HeadScene) -> bool:
    """Show one head whose queries come from one sentence and whose keys come from another."""
    with page.fields:
        text = page.controls.text("second", "Second sentence (keys, values)", SECOND, width=220)
    words, note = words_of(text, SECOND)
    crosses = page.controls.choice("crosses", "Heads", CROSSES, CROSSES[0])
    found, words, unknown = (hand_made if crosses == CROSSES[0] else of_the_settings)(page.recipe, scene, words)
    with st.container():  # also when it is empty, so that what follows stays where it is
        if note := note or unknown:
            page.write(note, "note")
    question = page.question("rectangle", partial(asked_rectangle, (len(scene.words), len(words))))
    if question and not page.ask(question):
        return False
    attention = page.recipe.run("across", attend_heads, found.x, found.heads, found.n_heads, None, found.context)
    head = min(found.usual if scene.head is None else scene.head, found.n_heads - 1)
    head_buttons(page, {str(i + 1): f"head {i + 1}" for i in range(found.n_heads)}, str(head + 1))
    own, labels = attention_of_head(page, attention, head), position_labels(words)
    sentence = partial(brightest_cell, own.weights, scene.labels, keys=labels)
    row = first_query(scene.labels)
    note = f"{found.origin} No key is masked here."
    enlarged_head(page, own, scene.labels, labels, sentence, note, usual=(row, int(own.weights[row].argmax())))
    arrays = {"q": attention.q, "k": attention.k, "attention weights": attention.weights}
    shapes = ", ".join(f"{name} {shape(*array.shape)}" for name, array in arrays.items())
    page.write(
        f"Shapes with all heads: {shapes}. The output has a row for each query, {shape(*found.x.shape)}.", "note"
    )
    return True


def thumbnail(scene: HeadScene) -> Markup:
    beginning = scene.x[: max(1, len(scene.words) // 2)]
    return thumbnails.thumbnail(attend_heads(scene.x, scene.heads, scene.n_heads, None, beginning).weights[0], None)


def hand_made(recipe: Recipe, scene: HeadScene, words: list[str]) -> tuple[Across, list[str], None]:
    """Return heads that were made by hand for jobs that mean something across two sentences, too."""
    recipe.given("other_words", words)
    heads = recipe.run("cross_heads", hand_set_heads, HAND_SET_WIDTH)
    x = recipe.run("cross_x", hand_set_embedding, scene.words, len(heads.w_q), scene.seed)
    context = recipe.run("context", hand_set_embedding, words, len(heads.w_q), scene.seed)
    origin = f"The matrices were made by hand. Head {FINDS + 1} attends to the same word, if there is one."
    return Across(x, heads, len(JOBS), context, origin, FINDS), words, None


def of_the_settings(recipe: Recipe, scene: HeadScene, words: list[str]) -> tuple[Across, list[str], str | None]:
    """Return the heads of the lesson's settings, and a note on the words that they do not know."""
    note, origin = None, scene.origin
    if scene.kind == "trained":
        words, note = familiar(words, SECOND)
        origin += " They were trained for self-attention only: their queries and keys came from one sequence."
    recipe.given("other_words", words)
    if scene.kind == "trained":
        short = Short("trained_heads(other_words).x", trained_heads)
        context = recipe.given("context", trained_heads(words).x, short)
    else:
        embed = word_vectors if scene.kind == "random" else hand_set_embedding
        context = recipe.run("context", embed, words, scene.d_model, scene.seed)
    return Across(scene.x, scene.heads, scene.n_heads, context, origin, head_in_view(scene)), words, note


def asked_rectangle(lengths: tuple[int, int], variant: int) -> Choice:
    """Return the question on the sentences in view, whose lengths are given, then on others."""
    place = variant % (len(OTHERS) + 1)
    if place == 0:
        return rectangle_question(*lengths, variant)
    return rectangle_question(*OTHERS[place - 1], variant, "Take two other sentences. ")


def rectangle_question(queries: int, keys: int, variant: int, where: str = "") -> Choice:
    """Ask for the shape of an attention map between two sentences."""
    text = prose(
        f"{where}The queries come from a sentence of {counted(queries)}, the keys from one of {counted(keys)}. "
        "What is the shape of one head’s attention map, with the rows first?"
    )
    why = f"Each query has a row ({queries}), and each key has a column ({keys})."
    mistakes = {
        shape(keys, queries): "You transposed the map. Queries are rows and keys are columns.",
        shape(queries, queries): "You took the keys from the first sentence. Take them from the second.",
        shape(queries + keys, queries + keys): "You joined the sentences. Keep queries and keys apart.",
    }
    right = shape(queries, keys)
    return Choice.shuffled("rectangle", text, [right], why, {right: ""} | mistakes, variant)


def counted(words: int) -> str:
    """Return how many words there are, as it is read aloud."""
    return f"{words} word{'s' * (words > 1)}"
