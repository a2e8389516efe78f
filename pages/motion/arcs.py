"""A sentence with arcs from the word under the pointer: to the words it attends to, or to those that change with it.

Pointer, finger, Tab and arrow keys choose the word in the browser: nothing runs on the server. Where a page wants to
know, a click or Enter tells it the word.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import streamlit as st
from markupsafe import Markup
from numpy.typing import NDArray

from attention_core.arrays import Array
from pages.look.html import number
from pages.look.modules import assets
from pages.look.sentences import brightest_cell
from pages.page.page import Page

HTML = '<div class="arcs"></div><div class="told" role="status"></div>'
ARCS = st.components.v2.component("attention_arcs", **assets(Path(__file__).with_suffix(".js"), HTML))


def draw_arcs(
    page: Page,
    labels: Sequence[str],
    words: Sequence[str],
    weights: Array,
    asks: int,
    name: str,
    picked: Callable[[int], None] | None = None,
) -> None:
    """Draw a sentence and the weights (T, T) of each of its words; at first the word `asks` asks.

    A click on a word, or Enter, calls `picked` with its place.
    """
    sentences = [brightest_cell(weights, list(labels), row) for row in range(len(words))]
    label = "Choose a word to see which words it attends to"
    draw_over_words(page, words, weights, sentences, asks, name, picked, label=label)


def draw_changes(
    page: Page,
    words: Sequence[str],
    changes: Array,
    cut: NDArray[np.bool_],
    sentences: Sequence[str],
    changed: int,
    name: str,
    picked: Callable[[int], None],
) -> None:
    """Draw an arrow from a changed word to each word whose output changes, by as much as `changes` (T, T) says.

    Its rows are the changed words, of which `changed` is in view at first. Where an arrow is `cut`, it is dashed.
    """
    numbers = [[written(value) for value in row] for row in changes.tolist()]
    label = "Choose a word to see which outputs change with it"
    look = {"numbers": numbers, "cut": cut.tolist(), "label": label}
    draw_over_words(page, words, changes / max(changes.max(), 1e-300), sentences, changed, name, picked, **look)


def written(change: float) -> str:
    """Return a change as it stands under a word: none is not written, and a small one is not called 0."""
    return "" if change == 0 else number(change) if change >= 0.005 else "<0.01"


def draw_over_words(
    page: Page,
    words: Sequence[str],
    weights: Array,
    sentences: Sequence[str],
    asks: int,
    name: str,
    picked: Callable[[int], None] | None,
    **look: object,
) -> None:
    """Draw a sentence and what leads from each word to the others, as wide as `weights` say."""
    data = {
        "words": list(words),
        "weights": weights.astype(float).round(4).tolist(),
        "sentences": list(sentences),
        "asks": asks,
        "tells": picked is not None,
        **look,
    }
    key = f"{page.name}_{name}_arcs"
    if picked is None:
        ARCS(key=key, data=data)
    else:

        def pick() -> None:
            place = st.session_state[key].get("picked")
            if isinstance(place, int) and 0 <= place < len(words):
                picked(place)

        ARCS(key=key, data=data, on_picked_change=pick)
    page.shown.append(Markup('<div class="course note">{}</div>').format(sentences[asks]))
