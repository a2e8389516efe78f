"""The links from page to page: what they carry, and the addresses that a mail has changed.

A visit keeps in `links` what each page's link said when the page was left.
"""

import streamlit as st

from pages.links.address import mend
from pages.links.course import HOME, LESSONS, NUMBERS, PLAN, TEACH
from pages.links.earlier import renew
from pages.page.fields.controls import Controls
from pages.teaching.plan import planned


def queries(controls: Controls) -> dict[str, dict[str, str]]:
    """Return what a link to each page says: what it said when it was left, and the sentence of this one."""
    controls.keep_link()
    links: dict[str, dict[str, str]] = st.session_state["links"]
    there = {page: links.get(page, {}) for page in (HOME, TEACH, *(lesson.name for lesson in LESSONS))}
    for page, plan in ((HOME, planned().for_students), (TEACH, planned())):
        there[page] = there[page] | ({PLAN: plan.written} if plan.views else {})
    here, own = controls.page, links[controls.page]
    return {
        page: query if page == here else query | sentence_for(page, query, here, own) for page, query in there.items()
    }


def sentence_for(page: str, there: dict[str, str], here: str, own: dict[str, str]) -> dict[str, str]:
    """Return the sentence of the page `here` in the words of another that has one, unless it is locked there."""
    fixed = [name for mark in ("lock", "hide") for name in there.get(f"{page}_{mark}", "").split(".")]
    carried = f"{here}_text" in own and page != TEACH and not {"text", NUMBERS} & {*fixed}
    return {f"{page}_text": own[f"{here}_text"]} if carried else {}


def mend_link() -> None:
    """Begin a visit anew if its link is an old one, or was encoded once too often: Streamlit has read it already."""
    if "given" in st.session_state:
        return
    words = st.query_params.to_dict()
    given = st.session_state["given"] = renew(mend(words))
    if words != given:
        st.query_params.from_dict(given)
        st.rerun()
