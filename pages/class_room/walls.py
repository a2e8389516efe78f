"""A wall: what each student sends of a view, drawn for the teacher, who chooses the texts that the class sees."""

import json
import math
import time
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from typing import Any, NamedTuple

import streamlit as st
from markupsafe import Markup

from pages.class_room.member import note
from pages.class_room.pictures import Tally, ballot
from pages.class_room.record import WALL, Record
from pages.class_room.room import RECORD, read
from pages.look.html import caption, number, plain, seen
from pages.page.canvas import Canvas, draw_chart

SENTENCES = ("Sentence", "Prompt")  # labels of the fields for them
MOST = 2500  # characters of a text: the store takes twice as many, as JSON may need
DROP = "Remove all that this tab has sent to the class: texts and votes"
Texts = dict[str, str]


class Item(NamedTuple):
    text: str  # a sentence or a program
    told: str  # what the number is, or how the run of the program ended
    value: float | None = None
    is_program: bool = False

    @property
    def why(self) -> str:
        return self.told if self.value is None else f"{self.told}: {number(self.value)}"

    @classmethod
    def of(cls, text: str) -> "Item | None":
        match read(text):
            case [str(), str(), (None | int() | float()), bool()] as found:
                return cls(*found)
        return None


def place_of(page: Canvas) -> str:
    """Return the shelf for what is sent of a view: that of its step, or of the program that is open."""
    return shelf_of_wall(page.name, open_work(page)[0] or step_of(page))


def step_of(page: Canvas) -> str:
    return str(page.controls.query().get(page.controls.key("step"), ""))


def shelf_of_wall(page: str, part: str) -> str:
    return f"wall:{page}:{part}"


def open_work(page: Canvas) -> tuple[str, Any]:
    """Return the name of the program that is open, and the work on it."""
    chosen = page.controls.known.get("exercise")
    work = st.session_state.get("exercises", {}).get(chosen.value) if chosen else None
    return (chosen.value, work) if chosen and work else ("", None)


def item_of(page: Canvas) -> Item | None:
    _, work = open_work(page)
    if work:
        tells = work.report and work.report.status not in ("busy", "unavailable")
        return Item(work.ran[:MOST], work.report.message[:300], None, True) if tells else None
    found = page.view.number
    if not found:
        return None
    text = next((str(one.value) for one in page.controls.made.values() if one.label in SENTENCES), "")
    scalar = found.value if found.value is not None and math.isfinite(found.value) else None
    return Item(text[:MOST], found.what[:300], scalar) if text or scalar is not None else None


def written(item: Item) -> str:
    return json.dumps(item, ensure_ascii=False)


def draw_wall(page: str, texts: Sequence[str]) -> None:
    """Draw the numbers that were sent as dots, and how programs ended as bars."""
    items = [item for text in texts if (item := Item.of(text))]
    ended = Counter(item.told for item in items if item.is_program)
    if ended:
        st.html(ballot([Tally(told, n, None, False, "") for told, n in ended.most_common(12)], revealed=False))
    for what, n in Counter(item.told for item in items if item.value is not None).most_common(1):
        from pages.charts.dots import dot_plot  # Altair, which the home page does not need

        values = [item.value for item in items if item.told == what and item.value is not None]
        if n > 1:
            draw_chart(page, dot_plot(values, None, 4, name="wall", title=what))


def choose(member: Any, place: str, names: tuple[str, str], asked: list[str], texts: Texts, chosen: Texts) -> None:
    """Let the teacher choose which texts the class sees, each in a line, and drop who sent one."""

    def keep(text: str, item: Item) -> None:
        name, at = shown_as(place, text), time.time()
        title, why = (item.told, "") if item.told in asked else (names[0], item.why)  # an answer stands at its question
        record = Record(WALL + title, [Tally(item.text, 1, None, False, why)], at, 0, *names).text
        member.say(RECORD, name, record if st.session_state[f"class_{name}"] else "")

    for text, item in items_of([*texts.values()]).items():
        key = f"class_{shown_as(place, text)}"
        st.session_state[key] = bool(chosen.get(shown_as(place, text)))  # another console may have chosen
        tabs = [tab for tab, sent in texts.items() if sent == text]
        with st.container(horizontal=True, vertical_alignment="center"):
            own = " ".join(item.text.split())  # of an answer all: it is read before the class reads it
            why = "" if [item.told] == asked else f" · {item.why}"  # the only question stands above all answers
            label = plain(seen(f"{own[:300]}{'…' * (len(own) > 300)}{why}"))
            st.checkbox(label, key=key, on_change=keep, args=(text, item), width="stretch")
            whose = (tabs, shown_as(place, text))
            st.button(":material/delete:", f"{key}_drop", DROP, on_click=member.remove, args=whose, type="tertiary")


def items_of(texts: Sequence[str]) -> dict[str, Item]:
    """Return what can be shown of what was sent, each text once."""
    return {text: item for text in texts if (item := Item.of(text)) and item.text}


def show_chosen(place: str, chosen: Texts) -> None:
    """Draw the texts that the class sees, as they were when they were chosen."""
    said = ""
    for name, text in chosen.items():
        match read(text) if name.startswith(f"{place}:") else None:
            case [str() as title, [[str() as own, _, _, _, str() as why]], *_]:
                if not why and title != said:  # an answer, of which only its question says what it is
                    said = title
                    note(caption(title.removeprefix(WALL)), "ask")
                is_program = "\n" in own
                told = Markup('<div class="course"><p class="wall">{}<span class="soft">{}</span></p></div>')
                st.html(told.format("" if is_program else f"{seen(own)}{' · ' * bool(why)}", seen(why)))
                if is_program:
                    st.code("\n".join(map(seen, own.splitlines())), "python", wrap_lines=True)


def shown_as(place: str, text: str) -> str:
    """Return the name under which a chosen text is on the shelf of what is kept."""
    return f"{place}:{sha256(text.encode('utf-8', 'replace')).hexdigest()[:12]}"
