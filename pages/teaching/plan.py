"""A lesson plan: views of lessons in a teacher's order, in the visit and in one link.

A plan is a line of its own and one of each view, compressed: its link, and what a teacher says of it, as in
`qkv?qkv_step=match&qkv_lock=seed&title=…&minutes=5&note=…`.
"""

import json
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from contextlib import suppress
from datetime import date
from functools import cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode, urljoin

import streamlit as st
from markupsafe import Markup

from pages.links.address import address, mend
from pages.links.course import HOME, LESSONS, NUMBERS, PLAN
from pages.links.earlier import renew
from pages.look.html import indexed, seen
from pages.teaching.ready import READY

LONGEST = 8000  # characters of its link: nginx, as it comes, refuses a longer one
MOST_VIEWS, MOST_TEXT = 50, 100_000  # of a link, which may be anybody's
TITLE, NOTE, MINUTES = 60, 300, 300  # characters, characters, the most
NAMES = {lesson.name for lesson in LESSONS}
USUAL_MINUTES = 3  # of a slide that no ready plan has
LOCKS = {NUMBERS: "All settings", "step": "The step"}
STEPS = Path(__file__).with_name("steps.json")  # of each step its label, and those of its controls


class View(NamedTuple):
    """A view of a plan: its own link, and what a teacher says of it."""

    link: str
    title: str = ""
    minutes: int = 0
    note: str = ""

    @property
    def page(self) -> str:
        return self.link.partition("?")[0]

    @property
    def words(self) -> dict[str, str]:
        return said_in(self.link)

    @property
    def line(self) -> str:
        said = {name: str(value) for name, value in self._asdict().items() if value and name != "link"}
        return address(self.page, self.words | said)

    def with_word(self, name: str, word: str) -> "View":
        words = self.words | {f"{self.page}_{name}": word}
        return self._replace(link=view_of(self.page, {key: value for key, value in words.items() if value}))

    def numbered(self, place: int) -> "View":
        """Return the view with its place instead of its teacher's questions, whose answers an address would say."""
        return self.with_word("quiz", str(place) if self.word("quiz") else "")

    @property
    def step(self) -> tuple[str, dict[str, str]]:
        """The label of its step, and those of the controls of the step by their words."""
        every = steps()[self.page]
        return every.get(self.word("step"), next(iter(every.values())))

    @property
    def place(self) -> tuple[str, str]:
        """Its page and its step, as the page says it in a link, where the first one is left out."""
        step = self.word("step")
        return self.page, "" if step == next(iter(steps()[self.page])) else step

    def word(self, name: str) -> str:
        return self.words.get(f"{self.page}_{name}", "")

    @property
    def locks(self) -> list[str]:
        return [name for name in self.word("lock").split(".") if name]


class Plan(NamedTuple):
    """The views of a plan in order; as an assignment it has a day, and perhaps for each student a seed."""

    views: tuple[View, ...] = ()
    until: str = ""  # as date.isoformat writes it
    seeds: bool = False
    lost: str = ""  # what could not be read of its link

    @property
    def written(self) -> str:
        if not self.views:
            return ""
        for name in READY:
            if self == ready(name):
                return name
        head = {"views": len(self.views), "until": self.until, "seeds": int(self.seeds)}
        text = "\n".join((urlencode(head), *(view.line for view in self.views)))
        return urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")

    @property
    def for_students(self) -> "Plan":
        """The plan without the questions of its teacher, whose answers a link would say."""
        return self._replace(views=tuple(view.with_word("quiz", "") for view in self.views))

    @property
    def minutes(self) -> int:
        return sum(view.minutes for view in self.views)

    def with_view(self, view: View, place: int | None = None) -> "Plan":
        """Return the plan with a view at its end, or in place of another, whose title, minutes and note it takes."""
        if place is None:
            return self._replace(views=(*self.views, view))
        views = (*self.views[:place], self.views[place]._replace(link=view.link), *self.views[place + 1 :])
        return self._replace(views=views)


def planned() -> Plan:
    if "plan" not in st.session_state:
        st.session_state["plan"] = plan_in(st.query_params.get(PLAN, ""))
    return st.session_state["plan"]


def own_at(word: str) -> str:
    """Return the questions that a teacher wrote for the slide of that place in the plan, or what else a link says."""
    found = dict(enumerate((view.word("quiz") for view in planned().views), start=1))
    return found.get(int(word), "") if word[:2].isdecimal() and len(word) < 3 else word


def keep(plan: Plan) -> None:
    if plan != planned():
        st.session_state["plans_before"] = [*st.session_state.get("plans_before", []), planned()][-30:]
    st.session_state["plan"] = plan._replace(lost="")


def undo() -> None:
    st.session_state["plan"] = st.session_state["plans_before"].pop()


@cache
def steps() -> dict[str, dict[str, tuple[str, dict[str, str]]]]:
    """Return the steps of each lesson: the label of each, and those of its controls."""
    return json.loads(STEPS.read_text(encoding="utf-8"))


@cache
def slides() -> dict[str, View]:
    """Return all steps, by what a teacher calls them: as the ready plan of their lesson has them, if it has them."""
    known = {view.link: view for name in READY for view in ready(name).views}
    links = [view_of(name, {f"{name}_step": step}) for name, named in steps().items() for step in named]
    views = [known.get(link) or View(link, indexed(View(link).step[0]), USUAL_MINUTES) for link in links]
    return {name_of(view): view for view in views}


@cache
def ready(name: str) -> Plan:
    return plan_in(READY[name])


def plan_in(text: str) -> Plan:
    """Return as much of a written plan as is in order, and what is lost."""
    given = text = READY.get(text, text).encode(errors="replace").decode()  # halves of characters cannot be sent back
    text, whole = text[:LONGEST], len(text) <= LONGEST
    lines = text.replace("|", "\n").split("\n")
    head: dict[str, str] = {}
    if lines[0].partition("?")[0] not in NAMES and text:  # a plan of old is its views, joined by "|"
        text, whole = unpacked(text)
        first, *lines = text.split("\n")
        head = words_in(first)
    lines = [line for line in lines if line][:MOST_VIEWS]
    found = [(line, view) for line in lines if (view := view_in(line))]
    views = tuple(dict.fromkeys(view for _, view in found))
    expected = min(int(count), MOST_VIEWS) if (count := head.get("views", "")[:4]).isdecimal() else len(lines)
    changed = [str(place) for place, (line, view) in enumerate(found, 1) if said_in(line) != said_in(view.line)]
    until, lost = "", list[str]()
    with suppress(ValueError):
        until = date.fromisoformat(head.get("until", "")).isoformat()
    if given and not views:
        lost.append("none of its views is left")
    elif len(found) < expected:
        lost.append(f"{expected - len(found)} of {expected} views are missing")
    elif not whole:
        lost.append("its end is cut off")
    if changed:
        lost.append(f"parts of view {', '.join(changed)} are missing")
    return Plan(views, until, head.get("seeds") == "1", "; ".join(lost))


def unpacked(text: str) -> tuple[str, bool]:
    """Return as much of a compressed text as can be read, and whether that is all."""
    unzip, found = zlib.decompressobj(), bytearray()
    try:
        usable = text[: len(text) - (len(text) % 4 == 1)].encode("ascii")
        packed = urlsafe_b64decode(usable + b"=" * (-len(usable) % 4))
        for place in range(len(packed)):  # so that what stands before a damage is kept
            found += unzip.decompress(packed[place : place + 1], MOST_TEXT)
            if len(found) > MOST_TEXT:
                break
    except (zlib.error, Error, UnicodeEncodeError):
        pass
    lines = found.decode(errors="replace")
    return (lines, True) if unzip.eof else (lines.rpartition("\n")[0], False)  # the last line is half of one


def view_in(line: str) -> View | None:
    page, words = line.partition("?")[0], said_in(line)
    if page not in NAMES:
        return None
    minutes = words.get("minutes", "")
    minute = min(int(minutes), MINUTES) if minutes.isdecimal() and len(minutes) < 9 else 0
    return View(view_of(page, words), words.get("title", "")[:TITLE], minute, words.get("note", "")[:NOTE])


def view_of(page: str, words: dict[str, str]) -> str:
    """Return a view of a page whose link says these words, and others perhaps."""
    return address(page, {key: words[key] for key in sorted(words) if key.startswith(f"{page}_")})


def said_in(line: str) -> dict[str, str]:
    return words_in(line.partition("?")[2])


def words_in(query: str) -> dict[str, str]:
    return renew(mend(dict(parse_qsl(query, keep_blank_values=True))))


def link_to(plan: Plan, page: str = ".", **words: str) -> str:
    return address(urljoin(st.context.url or "", page), {PLAN: plan.written} | words)


def lesson_of(view: View) -> str:
    return next(lesson.title for lesson in LESSONS if lesson.name == view.page)


def name_of(view: View) -> str:
    """Return what a view is called: by its teacher, or else by its step."""
    step = indexed(view.step[0]) if view.word("step") else ""
    return ": ".join(filter(None, (lesson_of(view), view.title or step)))


def label_of(view: View, name: str) -> str:
    """Return the label of a control, which may be one of another step."""
    every = (view.step[1], LOCKS, *(labels for _, labels in steps()[view.page].values()))
    return next((labels[name] for labels in every if name in labels), indexed(name.replace("_", " ")))


def keep_in_address(plan: Plan) -> None:
    """Let the address of a page say the plan as it is now, so that a reload and a copy of it have all of it.

    The address of a damaged plan stays as it is, so that a reload says again what is lost, as this does.
    """
    if plan.lost:
        note = Markup('<div class="course note">Part of the link of this lesson plan could not be read: {}.</div>')
        st.html(note.format(plan.lost))
    elif st.query_params.get(PLAN, "") != plan.written:
        st.query_params[PLAN] = plan.written


def show_plan(page: str) -> None:
    """Link to the views of the plan, on the home page with what their teacher says of them."""
    plan, student = planned(), st.session_state.get("student", "")
    if not plan.views:
        return
    if page != HOME and PLAN in st.query_params:
        st.query_params[PLAN] = plan.for_students.written  # this tab has the whole of it, also after a reload
    if plan.seeds and page == HOME:
        student = st.session_state["student"] = st.text_input(
            "Your name or number, for numbers of your own", student, max_chars=TITLE, width=320
        )
    item = Markup('<li><a href="{}">{}</a>{}{}</li>')
    items: list[Markup] = []
    for place, view in enumerate(plan.views, start=1):
        link = urljoin(st.context.url or "", seeded(view.numbered(place), student if plan.seeds else ""))
        minutes = Markup(' <span class="soft">{} min</span>').format(view.minutes) if view.minutes else Markup()
        told = view.note.splitlines() if page == HOME else ()
        notes = Markup("").join(Markup("<p>{}</p>").format(seen(text)) for text in told if text)
        items.append(item.format(link, seen(name_of(view)), minutes, notes))
    day = date.fromisoformat(plan.until) if plan.until else None
    title = f"Assignment, until {day.day} {day:%B %Y}" if day else "Lesson plan"
    st.html(Markup('<div class="course"><b>{}</b><ol>{}</ol></div>').format(title, Markup("").join(items)))


def seeded(view: View, student: str) -> str:
    """Return the link of a view with a student's own seed, unless its teacher has fixed the seed."""
    locked = view.word("lock").split(".")
    if not student or {"seed", "numbers"} & {*locked}:
        return view.link
    return view.with_word("seed", str(zlib.crc32(student.strip().casefold().encode(errors="replace")) % 10_000)).link
