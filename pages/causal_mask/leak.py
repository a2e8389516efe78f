"""One word is replaced: which outputs depend on it."""

import numpy as np
import streamlit as st
from markupsafe import Markup
from numpy.typing import NDArray

from attention_core.arrays import Array
from attention_core.experiments.masks.dependence import input_effects
from pages.causal_mask.scene import Masked, other_word
from pages.charts.chart import Chart, limit_of
from pages.charts.heatmap import CLICK, Axes, heatmap, hide, outline, scale
from pages.look.html import prose, quoted
from pages.motion.arcs import draw_changes
from pages.page.fields.typed import words_of
from pages.page.page import Page
from pages.page.questions.kinds import Mistake, Number
from pages.page.steps import Step

STEP = Step(
    "reach",
    "In one layer, no output depends on masked keys",
    "A mask cuts the path from a word’s key and value to an output. A word’s own output still depends on its query. "
    "Change one word: an arrow leads to every output that changes, and the mask cuts some of them.",
    asks="Which outputs depend on one word?",
    words="changed new",
)

USUAL_OTHER_WORD = "dog"
EFFECT_AXES = Axes("output", "word", "distance", words=True)


def draw(page: Page, scene: Masked) -> bool:
    """Replace a word and draw an arrow to every output that changes."""
    controls, run = page.controls, page.recipe.run
    with st.container(horizontal=True, vertical_alignment="bottom"):
        column = page.controls.pick("changed", "Changed word", scene.labels, len(scene.words) - 1)
        text = controls.text("new", "New word", USUAL_OTHER_WORD, width=200)
    new = words_of(text, USUAL_OTHER_WORD)[0][0]
    other, note = other_word(page.recipe, scene, new)
    if other is None:  # the word that the field starts with is known
        page.write(note or "", "note")
        new = USUAL_OTHER_WORD
        other, _ = other_word(page.recipe, scene, new)
        assert other is not None
    effect = run("effect", input_effects, scene.x, other, scene.head, scene.mask)
    plain = run("effect_without", input_effects, scene.x, other, scene.head)

    def asked(variant: int) -> int:
        """Return the word that a variant of the question asks about: at first the one in view."""
        if variant == 0 or len(scene.words) == 1 or "changed" in controls.locked:
            return column
        before = len(scene.words) - 1  # words, of which a mask hides less than of the last one
        return int(np.random.default_rng(before).permutation(before)[variant % before])

    question = page.question("leak", lambda v: leak_question(scene, other, effect, plain, asked(v), new))
    if not page.ask(question, then=lambda: controls.put(changed=scene.labels[asked(page.variant("leak"))])):
        draw_leak(page, scene, plain, None, column, new)
        return False
    last = len(effect) - 1
    page.prints(f"effect of {scene.labels[column]} on the output of {scene.labels[last]}", effect, last, column)
    draw_leak(page, scene, plain, effect, column, new)
    limit = max(limit_of(plain), limit_of(effect))
    told = Markup("Each column is one experiment: that word becomes {}. Cells without a colour are exactly 0.")
    left, right = st.columns(2, gap="medium")
    with left:
        page.head("Without a mask")
        chart = effect_map(scene, plain, limit, "effect without a mask", column, new, clickable=False)
        page.show(chart, note=told.format(quoted(new)))
    with right:
        page.head("With the mask:", scene.pattern)
        chart = effect_map(scene, effect, limit, "effect of each word", column, new, clickable=True)
        page.show(chart, lambda i, j: controls.put(changed=scene.labels[j]), note=scene.note)
    return True


def draw_leak(page: Page, scene: Masked, plain: Array, effect: Array | None, column: int, new: str) -> None:
    """Draw arrows from the changed word along the sentence: without a mask, or with it and those that it cuts."""
    if effect is None:
        page.head("Changed outputs", "· without a mask; the wider an arrow, the larger the change")
        shown, cut = plain, np.zeros(plain.shape, dtype=bool)
    else:
        page.head("Changed outputs", f"· solid: with the mask ({scene.pattern}); dashed: only without a mask")
        shown, cut = effect, (plain != 0) & (effect == 0)
    told = [leak_sentence(scene.labels, plain, effect, j, new) for j in scene.positions]

    def change(j: int) -> None:
        page.controls.put(changed=scene.labels[j])

    draw_changes(page, scene.words, shown.T, cut.T, told, column, "leak", change)


def leak_sentence(labels: list[str], plain: Array, effect: Array | None, column: int, new: str) -> str:
    """Return how many outputs change when a word is replaced, and which of them under the mask."""
    n_plain, told = int((plain[:, column] != 0).sum()), f"{quoted(labels[column])} becomes {quoted(new)}: "
    if effect is None:
        return f"{told}without a mask, {changing(n_plain, len(labels))}."
    names = [label for label, moved in zip(labels, effect[:, column] != 0, strict=True) if moved]
    listed = f" ({', '.join(names)})" if 0 < len(names) <= 6 else ""
    return f"{told}{changing(n_plain, len(labels))} without a mask, and {len(names)} with it{listed}."


def changing(n: int, length: int) -> str:
    """Return how many outputs change."""
    return f"{n} of {length} outputs change{'s' * (n == 1)}"


def effect_map(scene: Masked, effect: Array, limit: float, name: str, column: int, new: str, clickable: bool) -> Chart:
    """Return how far each output moves when each word is replaced; grey where it does not move at all."""
    still = effect == 0
    n_moved = int((~still[:, column]).sum())
    sentence = f"When {quoted(scene.labels[column])} becomes {quoted(new)}, {changing(n_moved, len(effect))}."
    layers = scale(limit, amounts=True), outline(column=column), hide(still), clickable and CLICK
    return heatmap(effect, scene.labels, scene.labels, EFFECT_AXES, *layers, name=name, sentence=sentence)


def leak_question(scene: Masked, other: Array, effect: Array, plain: Array, column: int, new: str) -> Number:
    """Ask how many outputs change when one word is replaced."""
    length, moved, allowed = len(scene.words), effect[:, column] != 0, ~scene.blocked[:, column]
    right, n_allowed, n_plain = int(moved.sum()), int(allowed.sum()), int((plain[:, column] != 0).sum())
    text = prose(
        f"Word {column + 1} of {length}, {{old}}, becomes {{new}}. Under this mask ({scene.pattern}), how many of the "
        f"{length} outputs change, even slightly?",
        old=scene.labels[column],
        new=new,
    )
    if (scene.x[column] == other[column]).all():
        why = "The new word has the same vector as the old one, so nothing changes."
        return Number("leak", text, 0, 0.25, why, (), "Compare the new word with the old one.", digits=0)
    mistakes = {
        column + 1: "You counted the words up to it. Count the queries that may attend to it.",
        n_allowed: f"You counted the queries that may attend to it. {exceptions(moved, allowed, column)}",
        n_plain: "You counted as if nothing were masked. Count only the queries that may attend to it.",
        1: "You counted one output. Every query that may attend to this word can change its output.",
        0: "You expected no change, but at least one output depends on this word. Look down its column.",
    }
    wrong = tuple(Mistake(value, told) for value, told in mistakes.items() if value != 1 or right > 1)
    why = "Every query that may attend to this word changes its output."
    if not allowed.any():
        own = "only its own output changes, because its query is new" if moved[column] else "no output changes"
        why = f"No query may attend to this word, so {own}."
    elif (moved != allowed).any():
        queries = "One query" if n_allowed == 1 else f"{n_allowed} queries"
        why = f"{queries} may attend to this word. {exceptions(moved, allowed, column)}"
    return Number("leak", text, right, 0.25, why, wrong, "Count the queries that may attend to the word.", digits=0)


def exceptions(moved: NDArray[np.bool_], allowed: NDArray[np.bool_], column: int) -> str:
    """Return how the outputs that change differ from those whose queries may attend to the word."""
    few = "For some, its attention weight is too small to change the output." if (allowed & ~moved).any() else ""
    own = moved[column] and not allowed[column]
    return " ".join(filter(None, (few, "Its own output changes too, because its query is new." if own else "")))
