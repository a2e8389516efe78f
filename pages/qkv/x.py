"""The rows of X: the numbers of each word."""

from functools import partial

import numpy as np
from markupsafe import Markup

from attention_core.experiments.qkv.named_head import IS_PRONOUN, NAMED_COLUMNS
from pages.charts.heatmap import heatmap, outline, scale, write
from pages.heads.matrices import VECTORS, OneHead
from pages.look import cards
from pages.look.facts import as_shown, differs, of_several
from pages.look.glossary import meaning
from pages.look.html import inline, number, prose
from pages.page.page import Page
from pages.page.steps import Step
from pages.qkv.common import draw_map, entry_cell
from pages.qkv.journey import draw_place
from pages.qkv.matrices import x_view
from pages.questions.kinds import Choice

STEP = Step(
    "X",
    "A word becomes a vector",
    "A **vector** is a row of numbers. Each row of X is the vector of one word. It encodes the word (its "
    "**embedding**) and, in most models, its **position**. Its width is d_model.",
    lent="q",
)
NONE, SOME, ALL = "none of them", "some of them", "all of them"
WHY = {
    NONE: "The matrices are random, and one word has one vector, wherever it stands.",
    SOME: "It is the same word, so the columns of the word are equal. Only columns of the position differ.",
    ALL: "The model adds a vector for the position, and LayerNorm (lesson 6) then rescales all numbers.",
}
NOT_ALL = {  # by the right answer: why not all numbers differ
    NONE: "Nothing in these numbers depends on the position of the word.",
    SOME: "It is still the same word, and some columns say only that.",
}
MADE = {  # where a number of X comes from, by how the matrices are made; of hand-made ones by whether it is random
    "random": "A random number, fixed by {word}, d_model and the seed.",
    "trained": "The word’s vector plus its position’s vector, both trained, after LayerNorm (lesson 6).",
    True: "A random number, fixed by {word} and the seed. Its column says: **{says}.**",
    False: "This number was made by hand. Its column says: **{says}.**",
}
COLUMNS = (
    "The first columns say what kind of word it is, “early” and “clock” where it stands. The last four are its own "
    "vector; small words such as “it” have 0 there."
)


def draw(page: Page, scene: OneHead) -> bool:
    """Show X once it was asked how two rows of one word differ, and where one of its numbers comes from."""
    view = x_view(scene)
    twin, columns = second_of_twins(scene.words), None
    if twin:
        texts = np.array([[number(value) for value in row] for row in view.values], dtype=object)
        shown = view.values.copy()
        texts[twin[1]], shown[twin[1]] = "?", np.nan
        told = "One row is still blank."
        layers = scale(view.limit), write(texts), outline(twin[0])
        chart = heatmap(shown, view.rows, view.columns, view.axes, *layers, name="X asked", sentence=told)
        columns = page.ask_beside(twin_question(scene, *twin), lambda: page.show(chart))
        if not columns:
            return False
    usual, note = (IS_PRONOUN, COLUMNS) if scene.kind == "hand-made" else (0, scene.origin)
    cell = entry_cell(page, view, scene.asks, usual)
    draw_map(page, view, "Entry of X", partial(embedding_card, scene), cell, note, columns)
    draw_place(page, scene, "x")
    page.say("Here every word is one **token**. Real models split many words into pieces.", "note")
    return True


def second_of_twins(words: list[str]) -> tuple[int, int] | None:
    """Return the first two places of a word that comes twice, or None."""
    for place, word in enumerate(words):
        if word in words[:place]:
            return words.index(word), place
    return None


def twin_question(scene: OneHead, first: int, second: int) -> Choice:
    """Ask how many numbers differ between the rows of a word that comes twice."""
    differ, n_numbers = int(differs(scene.x[first], scene.x[second]).sum()), scene.x.shape[1]
    right = NONE if not differ else ALL if differ == n_numbers else SOME
    text = prose(
        f"The word {{word}} stands at positions {first + 1} and {second + 1}. "
        "Which numbers differ between its two rows?",
        word=scene.words[first],
    )
    mistakes = {
        NONE: f"Then no number would tell position {first + 1} from position {second + 1}.",
        SOME: "That would need columns for the position alone, and others for the word.",
        ALL: NOT_ALL.get(right, ""),
    }
    close = ", some by less than 0.01" * bool((as_shown(scene.x[first]) != as_shown(scene.x[second])).sum() < differ)
    told = f"Different: {of_several(differ, n_numbers, 'number')}{close}. {WHY[right]}"
    return Choice.of("twins", text, right, told, mistakes)


def embedding_card(scene: OneHead, row: int, column: int) -> Markup:
    title = Markup("Entry {} of <b>{}</b> is {}").format(column + 1, scene.labels[row], number(scene.x[row, column]))
    word, of_word = scene.words[row].lower(), column >= len(NAMED_COLUMNS)
    drawn = of_word and word not in VECTORS and bool(scene.x[row, len(NAMED_COLUMNS) :].any())
    made = MADE[drawn if scene.kind == "hand-made" else scene.kind]
    says = (meaning(x_view(scene).columns[column]) or "").partition("; in K")[0].rstrip(".")
    return cards.card(title, prose(made, word=word, says=inline(says)))
