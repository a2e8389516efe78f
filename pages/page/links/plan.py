"""A lesson plan: views of lessons in the order in which a teacher added them, in the visit and in one link.

A view is written as its own link is, without the address of the course: `qkv?qkv_step=match&qkv_lock=seed`.
"""

from urllib.parse import parse_qsl, urljoin

import streamlit as st
from markupsafe import Markup

from pages.look.html import seen
from pages.page.links.address import address, mend
from pages.page.links.course import LESSONS, PLAN, of_page

LONGEST = 8000  # characters of its link: nginx, as it comes, refuses a longer one
MARKS = {"lock": "locked", "hide": "hidden", "ask": "questions"}


def planned() -> list[str]:
    """Return the views of this visit's plan; at its beginning those of its link."""
    return st.session_state.setdefault("plan", views_in(st.query_params.get(PLAN, "")))


def written() -> str:
    """Return the plan as a link says it."""
    return "|".join(planned())


def views_in(text: str) -> list[str]:
    """Return as many views of a written plan as are in order, each once."""
    pages = {lesson.name for lesson in LESSONS}
    whole = text[:LONGEST].encode(errors="replace").decode()  # halves of characters cannot be sent back
    parts = (view.partition("?") for view in whole.split("|"))
    return list(dict.fromkeys(view_of(page, words_in(query)) for page, _, query in parts if page in pages))


def view_of(page: str, words: dict[str, str]) -> str:
    """Return a view of a page whose link says these words, and others perhaps."""
    return address(page, dict(sorted(of_page(words, page).items())))


def words_in(query: str) -> dict[str, str]:
    return mend(dict(parse_qsl(query, keep_blank_values=True)))


def link_to(*views: str) -> str:
    """Return the address of a plan: that of the home page."""
    return address(urljoin(st.context.url or "", "."), {PLAN: "|".join(views)})


def name_of(view: str) -> tuple[str, str]:
    """Return what a view is called, and what else its link sets, both in words."""
    page, _, query = view.partition("?")
    (title,) = (lesson.title for lesson in LESSONS if lesson.name == page)
    words = {key.removeprefix(f"{page}_"): value for key, value in words_in(query).items()}
    step = words.pop("step", "").replace("_", " ")[:40]
    said = [f"{MARKS.get(name, name)}: {value.replace('.', ', ')}" for name, value in words.items()]
    return f"{title}: {step}" if step else title, "; ".join(said)


def keep_in_address() -> None:
    """Let the address of the home page say the plan as it is now, so that a reload and a copy of it have all of it."""
    if st.query_params.get(PLAN, "") != written():
        st.query_params[PLAN] = written()


def show_plan() -> None:
    """Link to the views of the plan. Each opens as its link does, in a session of its own."""
    if planned():
        item = Markup('<li><a href="{}">{}</a></li>')
        items = (item.format(urljoin(st.context.url or "", view), seen(name_of(view)[0])) for view in planned())
        st.html(Markup('<div class="course"><b>Lesson plan</b><ol>{}</ol></div>').format(Markup("").join(items)))
