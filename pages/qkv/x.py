"""The rows of X: the numbers of each word."""

from functools import partial

from markupsafe import Markup

from attention_core.experiments.qkv.named_head import NAMED_COLUMNS
from pages.heads.matrices import Scene
from pages.look import cards
from pages.look.html import number, prose
from pages.page.page import Page
from pages.page.steps import Step
from pages.qkv.common import draw_map, thumbnail_of
from pages.qkv.matrices import x_view

STEP = Step(
    "X",
    "A word becomes a vector",
    "Each row of X is the vector of one word, with d_model numbers. It encodes the word (its embedding) and, unless "
    "the matrices are random, its position too. Here every word is one token; real models split many words into "
    "pieces.",
)

NAMED = {
    "noun": "1 if it is a noun, else 0",
    "adjective": "1 if it is an adjective, else 0",
    "pronoun": "1 if it is a pronoun, else 0",
    "one": "always 1",
    "early": "1 divided by the position, so early words have more",
}


def draw(page: Page, scene: Scene) -> None:
    """Show X, where one of its numbers comes from, and what its width is called elsewhere."""
    draw_map(page, x_view(scene), "Entry of X", partial(embedding_card, scene), role="row", note=scene.origin)
    page.say(
        "`nn.MultiheadAttention` of PyTorch calls d_model `embed_dim`. Many Hugging Face models call it `hidden_size`.",
        "note",
    )


def thumbnail(scene: Scene) -> Markup:
    return thumbnail_of(x_view(scene))


def embedding_card(scene: Scene, row: int, column: int) -> Markup:
    """Return the card of a number of X: where it comes from."""
    title = Markup("Entry {} of <b>{}</b> is {}").format(column + 1, scene.labels[row], number(scene.x[row, column]))
    if scene.kind == "random":
        text = (
            "A random number, fixed by {word}, d_model and the seed. At every position the same word has the same "
            "vector. Only training would give this number a meaning."
        )
        return cards.card(title, prose(text, word=scene.words[row]))
    if scene.kind == "trained":
        text = "The word’s vector plus its position’s vector, both trained, after LayerNorm (lesson 6)."
        return cards.card(title, prose(text))
    says = "the word itself; cat, sat and mat have the numbers of the step a · b, small words such as *it* have 0"
    if column < len(NAMED_COLUMNS):
        says = NAMED.get(NAMED_COLUMNS[column], "where the word is, as the hand of a clock")
    return cards.card(title, prose(f"Made by hand. This column says: **{says}**."))
