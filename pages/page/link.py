"""The links from page to page: what they carry, and the addresses that a mail has changed.

A visit keeps in `links` what each page's link said when the page was left.
"""

from contextlib import suppress

import streamlit as st
from streamlit.errors import StreamlitAPIException

from pages.page.address import mend
from pages.page.controls import Controls
from pages.page.course import HOME, LESSONS, PLAN, SCENE
from pages.page.plan import written
from pages.page.renamed import MOVED, with_present_names


def queries(controls: Controls) -> dict[str, dict[str, str]]:
    """Return what a link to each page says: what it said when it was left, and the sentence and seed of this one."""
    links: dict[str, dict[str, str]] = st.session_state.setdefault("links", {})
    links[controls.page] = controls.query()
    there = {page: links.get(page, {}) for page in (HOME, *(lesson.name for lesson in LESSONS))}
    if plan := written():
        there[HOME] = there[HOME] | {PLAN: plan}
    here, own = controls.page, links[controls.page]
    return {page: query if page == here else query | scene_for(page, query, here, own) for page, query in there.items()}


def scene_for(page: str, there: dict[str, str], here: str, own: dict[str, str]) -> dict[str, str]:
    """Return the sentence and the seed of the page `here` in the words of another, unless it has them locked."""
    fixed = [name for mark in ("lock", "hide") for name in there.get(f"{page}_{mark}", "").split(".")]
    return {f"{page}_{name}": own[f"{here}_{name}"] for name in SCENE if name not in fixed and f"{here}_{name}" in own}


def mend_link(page: str) -> None:
    """Begin a visit anew if its link was encoded once too often, or says words that were renamed since.

    Streamlit has read a link before any script runs. A link to a step that moved opens the page that has it now, also
    later in a visit: the button Back of a browser may lead to it again.
    """
    words = st.query_params.to_dict()
    moved = MOVED.get((page, mend(words).get(f"{page}_step", "")))
    if "given" in st.session_state and not moved:
        return
    given = st.session_state["given"] = with_present_names(mend(words))
    if moved and f"{page}_step" not in given and given.get(f"{moved.page}_step") == moved.says["step"]:
        (there,) = (lesson for lesson in LESSONS if lesson.name == moved.page)
        with suppress(StreamlitAPIException):  # a page that is run by itself knows of no others
            st.switch_page(there.file, query_params=given)
    if words != given:
        st.query_params.from_dict(given)
        st.rerun()
