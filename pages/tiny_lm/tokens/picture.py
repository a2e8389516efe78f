"""The text in tokens after some merges."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Tokens
from attention_core.experiments.language.each_merge import MergedText
from attention_core.text.byte_pairs import ALPHABET
from attention_core.text.stories import N_MERGES
from pages.look.facts import several
from pages.look.html import commas
from pages.page.buttons import put_button
from pages.page.page import Page
from pages.tiny_lm.tokens.learned import Corpus, shown

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
    newest = len(ALPHABET) + at - 1
    piece = Markup('<span class="{}"><b>{}</b><i>{}</i></span>')
    looks = [f"tint{i % TINTS}{' fresh' if i == newest else ''}" if i >= len(ALPHABET) else "" for i in ids.tolist()]
    texts = map(shown, corpus.pieces.vocabulary.decode(ids))
    page.write(Markup("").join(map(piece.format, looks, texts, map(commas, ids))), "pieces")
    counts = {"merges": several(at, "merge"), "tokens": several(len(ids), "token")}
    page.write(CUT.format(n_bytes=several(len(found.ids), "byte"), corpus=corpus.says, **counts), "note")
