"""Tokens: a text in pieces that byte-pair encoding has learned, merge by merge."""

from functools import partial

import streamlit as st

from attention_core.experiments.language.each_merge import ids_after, merged_text
from attention_core.text.byte_pairs import BytePairs
from attention_core.text.characters import beginning
from pages.page.buttons import put_button
from pages.page.page import Page
from pages.page.steps import Step
from pages.tiny_lm.model_in_view import Subject
from pages.tiny_lm.texts import TEXTS
from pages.tiny_lm.tokens.learned import OPTIONS, corpus_of
from pages.tiny_lm.tokens.one_word import draw_forms, space_question
from pages.tiny_lm.tokens.picture import choose_merges, draw_tokens

STEP = Step(
    "tokens",
    "Tokens need not be words",
    "A language model reads **tokens**, each by its id. **Byte-pair encoding** learns them: it starts with single "
    "bytes, then merges the most frequent pair of neighbours inside words into one token, again and again. Drag the "
    "merges to 0 and back.",
    words="corpus merges typed word",
)

USUAL_TEXT: str = next(iter(TEXTS["cut"].values()))
MAX_TEXT = 240  # characters of a text


def draw(page: Page, scene: Subject) -> bool:
    """Draw the text in pieces after some merges, and ask how a word is cut without its space."""
    with page.fields:
        typed = page.controls.text("typed", "Text", USUAL_TEXT, width=440) or USUAL_TEXT
    text = beginning(typed, MAX_TEXT).encode(errors="replace").decode()
    if len(text) < len(typed):
        page.write(f"This step reads the first {MAX_TEXT} characters, so that the picture stays readable.", "note")
    with page.sidebar:
        name = page.controls.choice("corpus", "Merges learned on", OPTIONS, OPTIONS[0])
        st.caption("Texts that are cut in different ways")
        with st.container(horizontal=True, gap="xsmall"):
            for label, example in TEXTS["cut"].items():
                fixed = "typed" in page.controls.locked
                put_button(page, label, {"typed": example}, f"typed_{label}", chosen=example == typed, disabled=fixed)
    corpus = corpus_of(name, text)
    pieces = page.recipe.made("pieces", corpus.pieces, BytePairs, lambda: [[*corpus.pieces.vocabulary]], corpus.made)
    found = page.recipe.run("found", merged_text, pieces, text)
    at = choose_merges(page, len(pieces.parts), found)
    ids = page.recipe.run("ids", ids_after, found, at)
    page.prints(f"tokens after {at} merges", "len(ids)")
    blank = partial(draw_tokens, page, corpus, found, ids, at)
    columns = page.ask_beside(page.question("space", space_question), blank)
    if not columns:
        return False
    with columns[0]:
        blank()
    draw_forms(page, pieces, at)
    return True
