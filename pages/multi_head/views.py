"""Buttons, cards and the trace of shapes of the lesson on several heads."""

from collections.abc import Sequence
from html import escape

import streamlit as st

from attention_core.arrays import Array
from attention_core.experiments.explain import DotProduct
from pages.look import cards, thumbnails
from pages.look.html import number, quoted
from pages.multi_head.scenes import MOST_HEADS, HeadScene
from pages.page.buttons import put_button
from pages.page.page import Page

ALL = "all"
UNITS = ("", " thousand", " million", " billion", " trillion", " quadrillion")
BYTES = (" B", " kB", " MB", " GB", " TB", " PB")


def chosen_head(page: Page, n_heads: int) -> int | None:
    """Return which head is chosen, or None where all are looked at."""
    legal = (ALL, *map(str, range(1, MOST_HEADS + 1)))
    raw = page.controls.mark("head", "Head", ALL, legal.__contains__)
    return None if raw == ALL else min(int(raw), n_heads) - 1


def head_buttons(page: Page, n_heads: int, head: int | None, with_all: bool = False) -> None:
    """Draw a button for each head, and perhaps one that goes back to all."""
    fixed = "head" in page.controls.locked
    with st.container(horizontal=True, gap="xsmall"):
        if with_all:
            put_button(page, "All heads", {"head": ALL}, "head_all", ":material/arrow_back:", disabled=fixed)
        for i in range(n_heads):
            label = f"**Head {i + 1}**" if i == head else f"Head {i + 1}"
            kind = "secondary" if i == head else "tertiary"
            put_button(page, label, {"head": str(i + 1)}, f"head_{i + 1}", kind=kind, disabled=fixed)


def enlarge_button(page: Page, head: int) -> None:
    """Draw the button over a thumbnail that enlarges it."""
    fixed = "head" in page.controls.locked
    put_button(
        page, f"Head {head + 1}", {"head": str(head + 1)}, f"head_{head + 1}", ":material/zoom_in:", disabled=fixed
    )


def chosen_off(page: Page, n_heads: int) -> list[int]:
    """Return which heads are switched off."""

    def legal(raw: str) -> bool:
        return all(
            part.isascii() and part.isdigit() and 1 <= int(part) <= MOST_HEADS for part in raw.split(".") if part
        )

    raw = page.controls.mark("off", "Heads switched off", "", legal)
    off = sorted({int(part) - 1 for part in raw.split(".") if part})
    return [head for head in off if head < n_heads]


def off_buttons(page: Page, n_heads: int, off: list[int]) -> None:
    """Draw a button for each head that turns it off or on."""
    with st.container(horizontal=True, gap="xsmall"):
        for head in range(n_heads):
            after = [other for other in off if other != head] if head in off else sorted([*off, head])
            label = f"~~Head {head + 1}~~ off" if head in off else f"Head {head + 1} on"
            values = {"off": ".".join(str(other + 1) for other in after)}
            kind = "tertiary" if head in off else "secondary"
            put_button(page, label, values, f"off_{head + 1}", kind=kind, disabled="off" in page.controls.locked)


def query_card(terms: DotProduct, label: str, head: int, column: int, reads: int) -> str:
    """Return how one number of a query came about, and how many numbers of the word went into it."""
    title = f'Number {column + 1} of the query of <b class="query">{escape(label)}</b>, in head {head + 1}'
    ledger = cards.ledger(terms, "x", "W<sub>Q</sub>", roles=("", "query"))
    note = f"{reads} of the {len(terms.left)} numbers of {quoted(escape(label))} count"
    return cards.card(title, ledger, cards.chain(("sum", note, terms.total)))


def trace(scene: HeadScene, projected: Array, joined: Array) -> str:
    """Return the way of the shapes through the heads, step by step, with a small picture of every array."""
    a, h = scene.attention, scene.n_heads
    usual = 4.0
    steps = [
        ("x", scene.x, "a row for each word", usual),
        ("q = x @ w_q", projected, "one product for all heads; k and v likewise", usual),
        ("q = split_heads(q, h)", a.q, f"the same numbers, cut into {h} blocks of columns", usual),
        ("q @ k.mT / √K", a.scores, "every query with every key, head by head; K is the width of a head", usual),
        ("softmax(…)", a.weights, "each row of each head sums to 1", None),
        ("weights @ v", a.output, "each head’s mix of its own values", usual),
        ("merge_heads(…)", joined, "side by side again", usual),
        ("… @ w_o", scene.output, "what attention hands on", usual),
    ]
    lines = []
    for code, array, meaning, limit in steps:
        maps = array if array.ndim == 3 else array[None]
        pictures = "".join(
            f"<span>{thumbnails.thumbnail(one, limit, 52 if array.ndim == 3 else 120)}</span>" for one in maps
        )
        shape = " × ".join(map(str, array.shape))
        lines.append(
            f'<div class="step"><div><code>{code}</code> <b>{shape}</b><br><span class="soft">{meaning}</span></div>'
            f'<div class="maps">{pictures}</div></div>'
        )
    return f'<div class="trace">{"".join(lines)}</div>'


def short(value: float, units: Sequence[str] = UNITS) -> str:
    """Return a large number with its unit: 16 thousand, 175 billion, 20 GB."""
    place = 0
    while value >= 1000 and place < len(units) - 1:
        value, place = value / 1000, place + 1
    return f"{number(value, 0 if value >= 100 or value == int(value) else 1)}{units[place]}"
