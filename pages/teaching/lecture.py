"""The lecture view: one view, or those of a plan one after the other, as large as the screen.

The page that has the word `lecture` in its link draws a stage: views are pages of their own, in frames that are scaled.
"""

from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote, urljoin, urlsplit

import streamlit as st
from markupsafe import Markup

from pages.links.course import PLAN, with_course
from pages.links.nearby import ONLY_HERE, in_network, is_only_here, qr_code
from pages.look.modules import assets
from pages.teaching.plan import LONGEST, plan_in

WORD, ON, FRAME = "lecture", "on", "view"  # the word in the link of the stage, and of the view in it
SLIDE = "slide"  # the word in the link of a view on the stage for its place
HERE = Path(__file__)
STAGE = st.components.v2.component("attention_lecture", **assets(HERE.with_suffix(".js")))
LOOKS = {name: HERE.with_name(f"{name}.css").read_text(encoding="utf-8") for name in ("stage", "on_stage")}
LEAST = 15  # pixels of a page on the stage, which is 675 high: 24 at 1920x1080, 17 at 1024x768


def on_stage() -> bool:
    return st.session_state["given"].get(WORD) == FRAME


def number_on_stage() -> int:
    """Return the place of this page among the slides, counted from 0."""
    slide = st.session_state["given"].get(SLIDE, "")[:4]
    return int(slide) if slide.isdecimal() else 0


def draw_stage() -> None:
    if st.query_params.get(WORD) != ON:
        return
    plan = plan_in(st.query_params.get(PLAN, ""))
    data = {
        "views": [urljoin(st.context.url or "", view.link) for view in plan.views],
        "notes": [view.note for view in plan.views],
        "minutes": plan.minutes,
        "looks": LOOKS,
        "plan": st.query_params.get(PLAN, ""),
        "teach": st.session_state["given"].pop("teach", ""),  # whose views come into the class by it
        "code": code_of(st.session_state.get("lecture", {}).get("code")),
    }
    STAGE(key="lecture", data=data, on_code_change=lambda: None)
    st.stop()


def code_of(asked: Any) -> dict[str, str] | None:
    """Return the QR code of the link that the stage asks for, and the address to type."""
    with suppress(ValueError):  # it is no address
        if isinstance(asked, str) and len(asked) <= LONGEST and urlsplit(asked).scheme in ("http", "https"):
            link = in_network(asked)
            text = ONLY_HERE if is_only_here(link) else link.partition("://")[2] if "_quiz=" not in link else ""
            return {"asked": asked, "text": text, "picture": qr_code(link, "QR code of this view") or ""}
    return None


def lecture_button(label: str, link: str, key: str) -> None:
    """Offer the stage, in another tab, which the key of a class's teacher brings into the class."""
    member = st.session_state.get("class_room")
    link += f"&teach={member.word}.{member.key}" if member and member.is_teacher else ""
    st.link_button(label, link, icon=":material/present_to_all:", key=key)


def ways(link: str, title: str, name: str) -> None:
    if (near := in_network(link)) != link:
        st.caption("This address works on this computer only. From others in the same network, open this one:")
        st.code(near, language=None, wrap_lines=True)
        link = near
    elif is_only_here(link):
        st.caption(ONLY_HERE)
    if picture := qr_code(link, f"QR code of the link to {title}"):
        st.html(Markup('<div class="course qr">{}</div>').format(picture))
    else:
        st.caption("This link is too long for a QR code.")
    subject, body = quote(with_course(title)), quote(f"<{link}>")
    st.link_button("Send by mail", f"mailto:?subject={subject}&body={body}", icon=":material/mail:", key=f"{name}_mail")


def larger(part: Any, name: str = "") -> Any:
    """Return a specification of a chart in which no text that is seen is smaller than can be read on the stage."""
    if isinstance(part, dict):
        if part.get("name") == "least":  # the size from which on a chart itself writes numbers
            return part | {"value": LEAST}
        return {key: larger(value, name if key in ("value", "expr") else key) for key, value in part.items()}
    if isinstance(part, list):
        return [larger(one, name) for one in part]
    if not name.lower().endswith("fontsize"):
        return part
    return f"({part})>0?max({LEAST},{part}):0" if isinstance(part, str) else max(LEAST, part)
