"""A dense picture that is built up: a part and its sentence first, and each press adds one. A link opens the whole."""

from collections.abc import Sequence

import streamlit as st
from markupsafe import Markup

from pages.look.glossary import introduce
from pages.look.html import prose
from pages.page.buttons import put_button
from pages.page.page import Page
from pages.page.steps import BUILT, WHOLE


def parts_shown(page: Page, sentences: Sequence[str], **words: str) -> int:
    """Return how many parts of the picture stand; the newest has its sentence. Until it is whole, no question comes."""
    places = [*map(str, range(1, len(sentences) + 1)), WHOLE]
    part = places.index(page.controls.bare_choice(BUILT, "Parts of the picture", places, WHOLE)) + 1
    page.is_built = part == len(places)
    if page.is_built:  # so it does not begin again in this visit
        state = st.session_state
        state.setdefault("seen_whole", set()).add(f"{page.name} {state.get(f'_{page.name}_step')}")
    else:
        newest = introduce(sentences[part - 1], (*page.before[:-1], *sentences[: part - 1]))
        page.write(Markup('<div role="status">{}</div>').format(prose(newest, **words)), "lead")
        with st.container(horizontal=True):
            put_button(page, f"Add part {part + 1} of {len(places)}", {BUILT: places[part]}, "part", ":material/add:")
            if part + 1 < len(places):
                put_button(page, "Whole picture", {BUILT: WHOLE}, "whole")
    return part
