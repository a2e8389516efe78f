"""The loop closed: the output is added to the vector of the word, which moves towards the words it attends to."""

from typing import NamedTuple

from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.experiments.multi_head.english_heads import trained_stream
from attention_core.experiments.qkv.named_head import add_to_own, own_vectors
from attention_core.experiments.qkv.nearest_words import add_output, nearness, widest_columns
from pages.charts.moved_point import moved_point
from pages.heads.matrices import OneHead
from pages.look import cards
from pages.look.facts import ordered
from pages.look.html import number, quoted
from pages.page.page import Page
from pages.qkv.matrices import columns_of, dimensions
from pages.reproduce.recipe import Short

MOST = 3  # nearest words in the read-out


class Addition(NamedTuple):
    """The vectors of all words before and after the outputs are added, the names of their columns, and a note."""

    before: Array  # (T, D)
    after: Array
    columns: list[str]
    note: str


def draw_moved(page: Page, scene: OneHead, row: int) -> None:
    """Add the output to the word's own vector, and show where the vector moves and which words it is near."""
    addition = add(page, scene)
    if addition is None:
        page.say("Set d_v to d_model to see the sum here. Otherwise a matrix W_O must come between (lesson 3).")
        return
    draw_plane(page, scene, addition, row)
    near = page.recipe.run("near", nearness, addition.before, addition.after, row)
    others = [i for i, own in enumerate(addition.before) if i != row and own.any()]
    vectors = {"before": (near.before, addition.before), "after": (near.after, addition.after)}
    found = [(when, nearest(scene.labels, cosines, rows[row], others), "") for when, (cosines, rows) in vectors.items()]
    title = Markup("Words nearest to <b>{}</b> (<span class=gloss>cosine</span>)").format(scene.labels[row])
    page.write(cards.card(title, cards.listed(found)))
    page.say(addition.note, "note")


def add(page: Page, scene: OneHead) -> Addition | None:
    """Return the words' vectors with their outputs added; None where a matrix is missing between."""
    run, attention = page.recipe.run, scene.attention
    if scene.kind == "hand-made":
        moved = run("moved", add_to_own, scene.x, attention.output)
        note = "Here, without W_O, only columns of the words’ own vectors change."
        before, after = run("own", own_vectors, scene.x), run("own_after", own_vectors, moved)
        return Addition(before, after, columns_of(scene, "v"), note)
    if scene.kind == "trained":
        head = int(page.controls.last("head", "1")) - 1
        stream, w_o = (
            page.recipe.given(name, part, Short(f"trained_stream(words, {head}).{name}", trained_stream))
            for name, part in trained_stream(scene.words, head)._asdict().items()
        )
        note = (
            "The trained model multiplies the output by this head’s rows of W_O first. It adds to the vector before "
            "LayerNorm, so other steps show another X. No one designed the meaning of the sum."
        )
        return Addition(stream, run("moved", add_output, stream, attention.output, w_o), dimensions(stream), note)
    if scene.x.shape == attention.output.shape:
        note = "Here d_v = d_model, so the two can be added. With random matrices the sum has no meaning."
        moved = run("moved", add_output, scene.x, attention.output)
        return Addition(scene.x, moved, dimensions(scene.x), note)
    return None


def nearest(labels: list[str], cosines: Array, vector: Array, others: list[int]) -> str:
    """Return the words that a vector is nearest to, with their cosines, of the `others` whose vectors are not 0."""
    if not vector.any():
        return "none: its vector is 0 here"
    nearest_first = [others[i] for i in ordered(cosines[others])[:MOST]]
    return ", ".join(f"{labels[i]} {number(cosines[i])}" for i in nearest_first) or "none"


def draw_plane(page: Page, scene: OneHead, addition: Addition, row: int) -> None:
    """Draw two columns of the vectors as a plane, and the word's way in it."""
    across, up = columns = page.recipe.run("plane_columns", widest_columns, addition.before)
    chosen, names = list(columns), addition.columns
    axes = [name if scene.kind == "hand-made" else f"dimension {name}" for name in (names[across], names[up])]
    told = f"What attention adds to {quoted(scene.labels[row])}, in two columns."
    before, after, plane = addition.before[:, chosen], addition.after[row, chosen], (axes[0], axes[1])
    page.show(moved_point(before, scene.labels, row, after, axes=plane, name="moved vector", sentence=told))
