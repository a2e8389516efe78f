"""The text in tokens after some merges, the length by the size of the vocabulary, and the merges about the last."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array, Tokens
from attention_core.experiments.language.each_merge import MergedText
from attention_core.text.byte_pairs import ALPHABET
from pages.charts.chart import Chart
from pages.charts.lines import line_chart
from pages.look.html import commas, table
from pages.page.buttons import put_button
from pages.page.page import Page
from pages.tiny_lm.common import several
from pages.tiny_lm.tokens.learned import Corpus, shown

POINTS = 81  # of a line
BEFORE, ROWS = 3, 8  # of the list: merges before the last, and of all
SLIDER = "merges_slider"
TINTS = 4  # of merged tokens; a token has the same one wherever it stands


def choose_merges(page: Page, n_merges: int, usual: int, found: MergedText) -> int:
    """Draw a slider over the merges, and buttons to the nearest that join something in the text; return the number."""
    at = min(page.controls.number("merges", "Merges", 0, usual, usual, 1), n_merges)
    fixed = "merges" in page.controls.locked
    here = [0, *np.unique(found.joined[found.joined <= n_merges]).tolist()]
    before = max((merge for merge in here if merge < at), default=at)
    after = min((merge for merge in here if merge > at), default=at)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if n_merges:
            st.session_state[SLIDER] = at
            st.slider(
                "Merges",
                0,
                n_merges,
                key=SLIDER,
                on_change=lambda: page.controls.put(merges=st.session_state[SLIDER]),
                disabled=fixed,
            )
        put_button(page, "‹ Previous merge here", {"merges": before}, "before", disabled=fixed or before == at)
        put_button(page, "Next merge here ›", {"merges": after}, "after", disabled=fixed or after == at)
    return at


def draw_tokens(page: Page, corpus: Corpus, found: MergedText, ids: Tokens, at: int) -> None:
    """Draw the text in tokens, each with its id, and its length by the size of the vocabulary."""
    newest = len(ALPHABET) + at - 1
    left, right = st.columns([1.3, 1], gap="medium")
    piece = Markup('<span class="{}"><b>{}</b><i>{}</i></span>')
    looks = [f"tint{i % TINTS}{' fresh' if i == newest else ''}" if i >= len(ALPHABET) else "" for i in ids.tolist()]
    texts = map(shown, corpus.learned.pieces.vocabulary.decode(ids))
    n_bytes = len(found.ids)
    with left:
        page.write(Markup("").join(map(piece.format, looks, texts, map(commas, ids))), "pieces")
        page.write(
            f"After {several(at, 'merge')}: {several(len(ids), 'token')} for {several(n_bytes, 'byte')}. The merges "
            f"were learned on {corpus.says}. ␣ is a space, and a value such as <0xC3> a part of a character.",
            "note",
        )
    with right:
        page.show(lengths_chart(lengths(corpus, found), at))


def draw_merges(page: Page, corpus: Corpus, found: MergedText, at: int) -> None:
    """Write the merges about the last one, in the order in which they were learned."""
    if corpus.rows:
        page.write(merge_table(corpus, found, at))
    else:
        page.write("No pair occurs twice in this text, so nothing is merged.", "note")


def merge_table(corpus: Corpus, found: MergedText, at: int) -> Markup:
    """Return the merges about the last, and how often each joins something in this text."""
    start = max(0, min(at - BEFORE, len(corpus.rows) - ROWS + 1) - 1)
    rows = []
    for merge, row in enumerate(corpus.rows[start : start + ROWS], start=start + 1):
        pair = Markup("<code>{}</code> + <code>{}</code> → <code>{}</code>").format(*row[:3])
        rows.append((commas(merge), pair, f"{commas(row[3])} ×", commas(int((found.joined == merge).sum()))))
    return table(("merge", "pair", "times", "here"), rows, bold=at - start - 1, left=(1,))


def lengths(corpus: Corpus, found: MergedText) -> dict[str, Array]:
    """Return the tokens per 100 bytes of the student's text, and of the one that the merges were learned on."""
    lines = {"your text": 100 * found.lengths / max(1, len(found.ids))}
    if corpus.short:
        lines[corpus.short] = 100 * corpus.learned.lengths / corpus.learned.lengths[0]
    return lines


def lengths_chart(lines: dict[str, Array], at: int) -> Chart:
    n_merges = len(lines["your text"]) - 1
    merges = np.unique(np.append(np.linspace(0, n_merges, POINTS).round().astype(int), at))
    size = len(ALPHABET) + at
    told = " and ".join(f"{values[at]:.0f} tokens ({name})" for name, values in lines.items())
    return line_chart(
        len(ALPHABET) + merges,
        {name: values[merges] for name, values in lines.items()},
        x_title="size of the vocabulary",
        y_title="tokens per 100 bytes",
        y_domain=(0, 105),
        name="tokens by size of the vocabulary",
        sentence=f"With a vocabulary of {commas(size)} tokens, 100 bytes are {told}.",
        here=size,
        number=".0f",
    )
