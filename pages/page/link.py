"""The links from page to page: what they carry, and the addresses that a mail or Streamlit has changed.

A visit keeps in `links` what each page's link said when the page was left.
"""

from collections.abc import Sequence
from contextlib import suppress

import streamlit as st
from streamlit.errors import StreamlitAPIException

from pages.page.address import mend
from pages.page.controls import Controls
from pages.page.course import HOME, PLAN, Lesson, controls_of, of_page


def queries(controls: Controls, lessons: Sequence[Lesson]) -> dict[str, dict[str, str]]:
    """Return what a link to each page says: what it said when it was left, and the sentence of this one."""
    links: dict[str, dict[str, str]] = st.session_state.setdefault("links", {})
    links[controls.page] = controls.query()
    there = {page: links.get(page, {}) for page in (HOME, *(lesson.name for lesson in lessons))}
    if PLAN in st.query_params:
        plan = query_of_plan(links, lessons)
        return {page: plan | query for page, query in there.items()}
    here, own = controls.page, links[controls.page]
    return {
        page: query if page == here else query | sentence_for(page, query, here, own) for page, query in there.items()
    }


def query_of_plan(links: dict[str, dict[str, str]], lessons: Sequence[Lesson]) -> dict[str, str]:
    """Return what the link of a plan says: the scenes of all its lessons, so that a tab loaded anew has lost none."""
    words = st.query_params.to_dict()
    scenes = [links.get(lesson.name, of_page(words, lesson.name)) for lesson in lessons]
    return {PLAN: words[PLAN]} | {key: value for scene in scenes for key, value in scene.items()}


def sentence_for(page: str, there: dict[str, str], here: str, own: dict[str, str]) -> dict[str, str]:
    """Return the sentence of the page `here` in the words of another that has one, unless it is locked there."""
    fixed = [name for mark in ("lock", "hide") for name in there.get(f"{page}_{mark}", "").split(".")]
    carried = f"{here}_text" in own and "text" in controls_of(page) and "text" not in fixed
    return {f"{page}_text": own[f"{here}_text"]} if carried else {}


def restore_plan(controls: Controls, lessons: Sequence[Lesson]) -> None:
    """Put back into a plan's address the words of the other lessons: Streamlit takes out those of a page that is left.

    While the page that was left last still holds a word, Streamlit refuses; the next run then does it.
    """
    if PLAN in st.query_params:
        query = queries(controls, lessons).get(controls.page, {})
        others = {key: value for key, value in query.items() if key not in of_page(query, controls.page)}
        if others.keys() - st.query_params.keys():
            with suppress(StreamlitAPIException):
                st.query_params.update(others)


def mend_link() -> None:
    """Begin a visit anew if its link was encoded once too often: Streamlit has read it before any script runs."""
    if "given" in st.session_state:
        return
    words = st.query_params.to_dict()
    given = st.session_state["given"] = mend(words)
    if words != given:
        st.query_params.from_dict(given)
        st.rerun()
