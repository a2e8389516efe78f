"""What helps to write a prompt: sentence starts to click, and the vocabulary of the model in view."""

import streamlit as st
from markupsafe import Markup

from pages.page.buttons import put_button
from pages.page.page import Page
from pages.tiny_lm.model_in_view import PROMPTS, Subject, kind_of
from pages.tiny_lm.units import are_pieces

STARTS = {  # what a label of a few words begins, by the name of the model
    "stories": {
        "A lost hat": "This is the story of Tom, a shy boy. He had a hat and a cup. The cup was green, and the hat was "
        "white. One fine day he took both things to the park. But there he lost the",
        "A birthday": "This is the story of Mia, a clever girl. She had a drum and a book. The drum was yellow, and "
        "the book was black. Her best friend was Sam. Soon it was",
        "A new story": "Once there was a",
    },
    "english": {
        "A dog": "the small dog found a kite and it",
        "Two animals": "the dog saw a cat and it",
        "A colour": "the cat saw a red ball . the ball is",
    },
    "recall": {"Other letters": "b2d5f7d", "A letter three times": "a3c7a3e4a"},
}


def draw_starts(page: Page, subject: Subject) -> None:
    """Draw buttons that begin the text anew with a sentence start."""
    starts = STARTS.get(kind_of(subject.source), {})
    if not starts:
        return
    field = PROMPTS[subject.name][0]
    fixed = bool(page.controls.locked & {field, "new"})
    with st.container(horizontal=True, gap="xsmall", vertical_alignment="center"):
        page.write("Start with:", "note")
        for place, (label, text) in enumerate(starts.items()):
            put_button(page, label, {field: text, "new": "0"}, f"start_{place}", disabled=fixed)


def draw_vocabulary(page: Page, subject: Subject) -> None:
    """Draw all tokens that the model in view knows."""
    tokens = subject.vocabulary.tokens
    chip = Markup('<span title="{}">{}</span>')
    chips = Markup("").join(chip.format(number, subject.token(number)) for number in range(len(tokens)))
    page.write(Markup('<div class="course chips">{}</div>').format(chips))
    says = " Any text can be cut into these tokens." if subject.unit == "piece" or are_pieces(tokens) else ""
    page.write(
        f"All {len(tokens):,} tokens in order of their ids. The model reads and generates no others.{says}", "note"
    )
