"""Heads between two sentences: one gives the queries, the other the keys and values."""

from functools import partial

import streamlit as st

from attention_core.experiments.multi_head.several_heads import attend_heads
from attention_core.experiments.qkv.one_head import JOBS, hand_set_embedding
from attention_core.text.word_vectors import position_labels
from pages.heads.side_by_side import enlarged_head, head_buttons
from pages.look.facts import largest, several
from pages.look.html import prose
from pages.look.sentences import first_query
from pages.look.typed import words_of
from pages.multi_head.common import attention_of_head, names_of_heads, shape
from pages.multi_head.scene import HeadScene
from pages.page.page import Page
from pages.page.steps import Step
from pages.questions.kinds import Choice

STEP = Step(
    "cross",
    "Cross-attention: one sentence queries another",
    "In cross-attention, queries come from one sentence, keys and values from another. The code needs one more "
    "input. In an **encoder–decoder** model for translation, each word being generated attends to the encoded "
    "source sentence. Type a second sentence and read the shapes.",
    words="second",
)

SECOND = "on the warm mat sat the cat and it meowed loudly"
OTHERS = ((5, 8), (12, 9), (3, 14))  # words of other pairs of sentences
FINDS = JOBS.index("same word")
ORIGIN = "The matrices were made by hand. No key is masked here."


def draw(page: Page, scene: HeadScene) -> bool:
    """Show one head whose queries come from one sentence and whose keys come from another."""
    with page.fields:
        text = page.controls.text("second", "Second sentence (keys, values)", SECOND, width=480)
    words, note = words_of(text, SECOND)
    page.recipe.given("other_words", words)
    context = page.recipe.run("context", hand_set_embedding, words, scene.d_model, scene.seed)
    with st.container():  # also when it is empty, so that what follows stays where it is
        if note:
            page.write(note, "note")
    if not page.ask(page.question("rectangle", partial(rectangle_question, (len(scene.words), len(words))))):
        return False
    attention = page.recipe.run("across", attend_heads, scene.x, scene.heads, scene.n_heads, None, context)
    head = FINDS if scene.head is None else scene.head
    head_buttons(page, names_of_heads(scene), str(head + 1))
    own, labels = attention_of_head(page, attention, head), position_labels(words)
    row = first_query(scene.labels)
    enlarged_head(page, own, scene.labels, labels, ORIGIN, usual=(row, largest(own.weights[row]).first))
    arrays = {"q": attention.q, "k": attention.k, "attention weights": attention.weights}
    shapes = ", ".join(f"{name} {shape(*array.shape)}" for name, array in arrays.items())
    page.write(
        f"Shapes with all heads: {shapes}. The output has a row for each query, {shape(*scene.x.shape)}.", "note"
    )
    return True


def rectangle_question(lengths: tuple[int, int], variant: int) -> Choice:
    """Ask for the shape of an attention map between the sentences in view, whose lengths are given, then of others."""
    place = variant % (len(OTHERS) + 1)
    (queries, keys), where = (lengths, *OTHERS)[place], "Take two other sentences. " if place else ""
    text = prose(
        f"{where}The queries come from a sentence of {several(queries, 'word')}, the keys from one of "
        f"{several(keys, 'word')}. What is the shape of one head’s attention map, with the rows first?"
    )
    why = f"Each query has a row ({queries}), and each key has a column ({keys})."
    mistakes = {
        shape(keys, queries): "You transposed the map. Queries are rows and keys are columns.",
        shape(queries, queries): "The keys come from the second sentence.",
        shape(queries + keys, queries + keys): "You joined the sentences. Keep queries and keys apart.",
    }
    right = shape(queries, keys)
    return Choice.of("rectangle", text, right, why, mistakes, variant)
