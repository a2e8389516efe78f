"""The words in another order, without the mask and with it."""

import numpy as np
import streamlit as st

from attention_core.arrays import Array
from attention_core.experiments.qkv.one_head import attend
from attention_core.rows import reorder, restore_order, row_distances, shuffled_order
from pages.causal_mask.common import swapped, two_words
from pages.causal_mask.scene import LETTERS, Masked, order_of
from pages.charts.chart import Chart, limit_of
from pages.charts.heatmap import SMALL, Axes, frame, heatmap, scale
from pages.look.colours import QUERY
from pages.look.html import prose
from pages.motion.line_order import word_order
from pages.page.page import Page
from pages.page.questions.kinds import Choice, Mistake, Number
from pages.page.steps import Step

STEP = Step(
    "shuffle",
    "A causal mask carries some word order",
    "Attention without a mask ignores word order. If you shuffle the words, each word keeps its output. Is this so "
    "under a causal mask? Drag the words into another order and compare.",
    asks="Does attention see word order under a mask?",
    words="shuffle",
)

CARRIED = (
    " So a causal mask carries some word order: the first word attends only to itself, the second to two words. "
    "The next step asks how much of it."
)
OUTPUT_AXES = Axes("query", "dimension", "output", row_colour=QUERY)


def draw(page: Page, scene: Masked) -> bool:
    """Shuffle the words with and without the mask, and compare each word's output with what it was."""
    run = page.recipe.run
    new, line = chosen_order(page, scene), st.container()
    new_x = run("new_x", reorder, scene.x, new)
    plain = run("new_plain", attend, new_x, scene.head)
    masked = run("new_masked", attend, new_x, scene.head, scene.mask)
    away = run("away", row_distances, scene.plain.output, run("back", restore_order, plain.output, new))
    away_masked = run(
        "away_masked", row_distances, scene.masked.output, run("back_masked", restore_order, masked.output, new)
    )
    can_vary = len(new) > 2 and {"order", "shuffle"}.isdisjoint(page.controls.locked)

    def make(variant: int) -> Choice | Number:
        if variant == 0 or not can_vary:
            return shuffle_question(scene, away, away_masked)
        return swap_question(scene, *two_words(len(new), variant))

    def show_asked() -> None:
        if isinstance(question, Number):
            pair = two_words(len(new), page.variant("shuffle"))
            drag(swapped(len(new), *pair))

    def drag(order: list[int]) -> None:
        page.controls.put(order=letters(order))

    question = page.question("shuffle", make)
    ready = page.ask(question, then=show_asked)
    with line:
        lit = np.flatnonzero(away_masked > 1e-9).tolist() if ready else []
        page.head("The new order", "· violet: another output under the mask" if lit else "")
        fixed = not {"order", "shuffle"}.isdisjoint(page.controls.locked)
        word_order(scene.labels, new.tolist(), f"{page.name}_dragged", drag, lit=lit, fixed=fixed)
    if not ready:
        return False
    shuffled = [scene.labels[i] for i in new]
    page.prints("first number of the first output after the shuffle, with the mask", masked.output, 0, 0)
    still = np.zeros(len(new), dtype=bool)
    limit = max(map(limit_of, (scene.plain.output, scene.masked.output, masked.output)))
    pictures = (
        ("outputs without a mask", scene.plain.output, scene.labels, still),
        ("shuffled without a mask", plain.output, shuffled, away[new] > 1e-9),
        ("outputs with the mask", scene.masked.output, scene.labels, still),
        ("shuffled with the mask", masked.output, shuffled, away_masked[new] > 1e-9),
    )
    grid = st.grid(2, min_column_width=300, gap="medium")
    for name, values, labels, moved in pictures:
        with grid.cell():
            page.head(name.capitalize())
            page.show(output_map(values, labels, name, limit, moved))
    page.say(
        "Find a word’s row in both maps of a pair. Rows that changed are outlined."
        + (CARRIED if scene.pattern == "causal" and away_masked.max() > 1e-9 else ""),
        "",
    )
    held = "" if scene.kind == "random" else " Here the rows of X contain their positions, and the shuffle moves both."
    page.write(f"{scene.note}{held}", "note")
    return True


def chosen_order(page: Page, scene: Masked) -> Array:
    """Draw the number of a shuffle, and return the order of the words: the one that was dragged, or that number’s."""
    controls, length = page.controls, len(scene.words)
    seed = controls.integer(
        "shuffle", "Seed of the shuffle", 0, 99, 1, width=150, on_change=controls.put, kwargs={"order": ""}
    )
    dragged = order_of(controls)
    if sorted(dragged) == list(scene.positions):
        order: Array = page.recipe.given("new_order", np.array(dragged))
        return order
    return page.recipe.run("new_order", shuffled_order, length, seed)


def letters(order: list[int]) -> str:
    """Return an order as it stands in the link."""
    return "".join(LETTERS[i] for i in order)


def output_map(values: Array, labels: list[str], name: str, limit: float, moved: Array) -> Chart:
    """Return outputs, a row for each word; those that have changed are outlined."""
    columns = [str(i + 1) for i in range(values.shape[1])]
    n_moved = int(moved.sum())
    told = {0: "Every word keeps its output"}.get(n_moved, f"{n_moved} of {len(labels)} words have another output")
    layers = scale(limit), frame(np.repeat(moved[:, None], values.shape[1], axis=1)), SMALL
    sentence = f"{told}." if "shuffled" in name else "The outputs in the order of the sentence."
    return heatmap(values, labels, columns, OUTPUT_AXES, *layers, name=name, sentence=sentence)


def shuffle_question(scene: Masked, without: Array, under: Array) -> Choice:
    """Ask what a shuffle does to the outputs under the mask."""
    n_moved = int((under > 1e-9).sum())
    text = prose(
        "Shuffle the rows of X, and change nothing in them. Without a mask, each word gets the same output as before. "
        f"What happens under this mask ({scene.pattern})?"
    )
    options = ("Each word keeps its output", "Some words get another output")
    right = (1,) if n_moved else (0,)
    n_plain, does = int((without > 1e-9).sum()), "does" if n_moved == 1 else "do"
    why = f"Without a mask, {n_plain} words get another output. Under this mask, {n_moved} {does}."
    if n_moved:
        why += " A mask goes by position, not by word. After a shuffle, a word attends to other words than before."
    mistakes = (
        "You thought that the mask moves with the words, but it stays where it is.",
        "You expected other words to come into view. Here each word attends to the same words, or to equal ones.",
    )
    return Choice("shuffle", text, options, right, why, mistakes)


def swap_question(scene: Masked, one: int, two: int) -> Number:
    """Ask how many outputs change under the mask when two words are swapped."""
    length, order = len(scene.words), swapped(len(scene.words), one, two)
    output = restore_order(attend(reorder(scene.x, order), scene.head, scene.mask).output, order)
    right = int((row_distances(scene.masked.output, output) > 1e-9).sum())
    text = prose(
        f"Swap the rows of X of {{one}} (word {one + 1}) and {{two}} (word {two + 1}). Under this mask "
        f"({scene.pattern}), how many of the {length} words get another output?",
        one=scene.labels[one],
        two=scene.labels[two],
    )
    why = "A word keeps its output if it attends to the same words as before, in any order."
    if scene.pattern == "causal" and right == two - one + 1:
        why += f" Words {one + 1} to {two + 1} have other words before them. All others have the same."
    mistakes = {
        2: "You counted the two that were swapped. Count each word that then attends to other words than before.",
        length: "You expected every output to change. But the order of the words that a word attends to changes none.",
        0: "You expected no change, as without a mask. But the mask stays where it is.",
    }
    if scene.pattern == "causal":
        told = "You counted all words from the first one on. But a word after both still has the same words before it."
        mistakes[length - one] = told
    wrong = tuple(Mistake(value, told) for value, told in mistakes.items())
    told = "For each word, compare which words it attends to before and after."
    return Number("shuffle", text, right, 0.25, why, wrong, told, digits=0)
