"""The text in tokens after some merges, the length by the size of the vocabulary, and the merges about the last."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Tokens
from attention_core.experiments.language.each_merge import MergedText
from attention_core.text.byte_pairs import ALPHABET
from attention_core.text.stories import N_MERGES
from pages.charts.lines import line_chart
from pages.look.facts import several
from pages.look.html import commas, table
from pages.page.buttons import put_button
from pages.page.page import Page
from pages.tiny_lm.tokens.learned import Corpus, shown

POINTS = 81  # of a line
BEFORE, ROWS = 3, 8  # of the list: merges before the last, and of all
SLIDER = "merges_slider"
TINTS = 4  # of merged tokens; a token has the same one wherever it stands
CUT = (
    "After {merges}: {tokens} for {n_bytes}. The merges were learned on {corpus}. ␣ is a space, and a value such as "
    "<0xC3> a part of a character."
)


def choose_merges(page: Page, n_merges: int, found: MergedText) -> int:
    """Draw a slider over the merges, and buttons to the nearest that join something in the text; return the number."""
    at = min(page.controls.bare_number("merges", "Merges", 0, N_MERGES, N_MERGES, 1), n_merges)
    fixed = "merges" in page.controls.locked
    here = [0, *np.unique(found.joined[found.joined <= n_merges]).tolist()]
    before = max((merge for merge in here if merge < at), default=at)
    after = min((merge for merge in here if merge > at), default=at)

    def follow() -> None:
        page.controls.put(merges=st.session_state[SLIDER])

    with st.container(horizontal=True, vertical_alignment="bottom"):
        if n_merges:
            st.session_state[SLIDER] = at
            st.slider("Merges", 0, n_merges, key=SLIDER, on_change=follow, disabled=fixed)
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
    with left:
        page.write(Markup("").join(map(piece.format, looks, texts, map(commas, ids))), "pieces")
        counts = {"merges": several(at, "merge"), "tokens": several(len(ids), "token")}
        page.write(CUT.format(n_bytes=several(len(found.ids), "byte"), corpus=corpus.says, **counts), "note")
    with right:
        draw_lengths(page, corpus, found, at)


def draw_lengths(page: Page, corpus: Corpus, found: MergedText, at: int) -> None:
    """Draw the tokens per 100 bytes of the student's text, and of the one that the merges were learned on."""
    lines = {"your text": 100 * found.lengths / max(1, len(found.ids))}
    if corpus.short:
        lines[corpus.short] = 100 * corpus.learned.lengths / corpus.learned.lengths[0]
    n_merges = len(found.lengths) - 1
    merges = np.unique(np.append(np.linspace(0, n_merges, POINTS).round().astype(int), at))
    chart = line_chart(
        len(ALPHABET) + merges,
        {name: values[merges] for name, values in lines.items()},
        x_title="size of the vocabulary",
        y_title="tokens per 100 bytes",
        y_domain=(0, 105),
        name="tokens by size of the vocabulary",
        sentence="Tokens per 100 bytes after each merge.",
        here=len(ALPHABET) + at,
        number=".0f",
    )
    page.show(chart)


def draw_merges(page: Page, corpus: Corpus, found: MergedText, at: int) -> None:
    """Write the merges about the last one, as they were learned, and how often each joins something in this text."""
    merges = corpus.learned.merges
    if not merges:
        page.write("No pair occurs twice in this text, so nothing is merged.", "note")
        return
    start = max(0, min(at - BEFORE, len(merges) - ROWS + 1) - 1)
    rows = []
    for place, one in enumerate(merges[start : start + ROWS], start=start + 1):
        pair = Markup("<code>{}</code> + <code>{}</code> → <code>{}</code>")
        pair = pair.format(shown(one.left), shown(one.right), shown(one.piece))
        rows.append((commas(place), pair, f"{commas(one.times)} ×", commas(int((found.joined == place).sum()))))
    page.write(table(("merge", "pair", "times", "here"), rows, bold=at - start - 1, left=(1,)))
