"""The rows of X: the numbers of each word."""

from functools import partial

from markupsafe import Markup

from pages.look import cards
from pages.look.html import number, prose
from pages.page.page import Page
from pages.page.steps import Step
from pages.qkv.common import draw_map, thumbnail_of
from pages.qkv.matrices import x_view
from pages.qkv.scene import OneHead

STEP = Step(
    "X",
    "A word becomes a row of numbers",
    "Such a row is the word’s embedding; all of them together are the matrix X. Think of a library: what you ask "
    "for, what stands on the spines, and what is in the books are three different things. So each row will be "
    "turned into three: a :query[**query**], a :key[**key**] and a :value[**value**].",
)

HAND_SET_COLUMNS = (
    "constant 1",
    "is it an adjective?",
    "is it a noun?",
    *["a clock: its position"] * 4,
    *["the word"] * 4,
)


def draw(page: Page, scene: OneHead) -> None:
    """Show X, and where one of its numbers comes from."""
    draw_map(page, x_view(scene), "Number of X", partial(embedding_card, scene), role="row", note=scene.origin)


def thumbnail(scene: OneHead) -> Markup:
    """Return the small picture of the step."""
    return thumbnail_of(x_view(scene))


def embedding_card(scene: OneHead, row: int, column: int) -> Markup:
    """Return the card of a number of X."""
    title = Markup("Number {} of <b>{}</b> is {}").format(column + 1, scene.labels[row], number(scene.x[row, column]))
    return cards.card(title, embedding_text(scene, scene.words[row], column))


def embedding_text(scene: OneHead, word: str, column: int) -> Markup:
    """Return where a number of X comes from, as a sentence."""
    if scene.whose == "random":
        return prose(
            "It was drawn for {word}, this width and this seed. The same word has the same numbers wherever it "
            "stands; another seed gives it others. They mean nothing yet: training is what gives them a meaning.",
            word=word,
        )
    if scene.whose == "trained":
        return prose(
            "Training found it: the word’s own vector plus the vector of its position, brought to one size by a norm."
        )
    name = HAND_SET_COLUMNS[column] if column < len(HAND_SET_COLUMNS) else "more of the word"
    return prose(f"Set by hand. This column says: **{name}**.")
