"""A student in a class: questions are sent, changed until the vote is closed, and judged once they are revealed."""

import json
import re
from contextlib import suppress
from functools import partial
from typing import Any
from urllib.parse import urljoin

import streamlit as st
from markupsafe import Markup

import pages.page.ask as ask
from pages.class_room import room, seats
from pages.class_room.member import Member, note
from pages.class_room.store import Closed, Unavailable
from pages.class_room.walls import Item, item_of, place_of, written
from pages.look.html import caption, seen
from pages.page.remember import join, packed
from pages.questions.kinds import Cell, Choice, Question
from pages.teaching.own import Open
from pages.teaching.plan import lesson_of, view_in

GO = """<script>{{
const view = {}, key = "attention-followed"
let before = null
try {{ before = sessionStorage.getItem(key); sessionStorage.setItem(key, view) }} catch {{ before = view }}
if (before !== view) location.assign(view)
}}</script>"""  # once: a view that opens as another one would be opened for ever; in braces, as a second runs as well
PART = re.compile(r"\w{4}((?:__\d{1,2})?)", re.ASCII)  # of a class's link: its code, and the part of the slide
GAVE_UP = "You left, and the class has nothing of you any more."


class Student(Member):
    def __init__(self, word: str, tab: str = "") -> None:
        super().__init__(word, tab)
        self.arrives = False  # by a word or a link, so that the teacher's view opens at once
        self.told, self.texts = "", dict[str, str]()  # what went to the wall, and the answers to open questions
        self.drawn: dict[str, tuple[Question, ask.Then | None]] = {}  # the questions on the page
        self.progress, self.number = "", ""  # as a class that is kept knows it
        self.met: tuple[Any, str] = (), ""  # the place of the view in which this page met its teacher, and its part

    def begin(self, page: Any) -> None:
        """Judge what was revealed, and ask the variants that the teacher asks, before the page is drawn."""
        variants: dict[str, int] = st.session_state.get("variants", {})
        self.meet(page)
        for place, asked in self.own_polls.items():
            if asked.stage != room.REVEALED:
                if asked.variant != variants.get(place, 0):
                    ask.choose_variant(place, asked.variant)
            elif place in self.drawn:
                question, then = self.drawn[place]
                self.judge(place, question, asked, then if place.startswith(f"{page.name}_") else None)
        self.drawn.clear()
        if self.now.get(room.KEPT) and (self.is_known or self.looks > 1):
            self.keep_progress()

    def keep_progress(self) -> None:
        """Let a class that is kept know how far this seat is, with what it did in lectures before."""
        self.number = room.hashed(self.tab)[:6]  # as a hand-in names the seat; nobody finds the tab from it
        with suppress(Closed, Unavailable):  # the next run tries again
            if not self.progress:
                join(*seats.done_in(room.the_store().read(self.word, room.SEAT).get(self.tab)))
            if self.progress != (now := seats.written(packed())):
                self.progress = now
                self.say(room.SEAT, self.tab, now)

    def give_up(self) -> None:
        """Leave the class, which forgets all of this seat; so does the browser."""
        self.drop(self.tab)
        if not self.trouble:
            st.session_state.pop("class_tab", None)
            self.over = GAVE_UP

    def judge(self, place: str, question: Question, asked: room.Poll, then: ask.Then | None = None) -> None:
        """Take the last vote for an answer, to which there is no second try."""
        given = self.given(place, question, 2)
        given = self.given(place, question, 1) if given is None else given
        known = ask.answers().get(place)
        is_judged = known is not None and known.over and known.question == question
        if asked.mark != ask.fingerprint(question) or given is None or is_judged:
            return
        ask.answers().pop(place, None)
        if question.tries > 1 and not question.judge(given).right:
            ask.answers()[place] = ask.Answered(question, None, question.tries - 1)
        ask.settle(place, question, given, then)

    def given(self, place: str, question: Question, turn: int) -> Any:
        """Return the own vote on a question, or None. After a reload the store knows it, if the browser does not."""
        shelf = room.shelf_of(place + self.part, turn)
        if self.is_known and shelf not in self.votes:
            with suppress(Closed, Unavailable):
                self.votes[shelf] = room.the_store().read(self.word, shelf).get(self.tab, "")
        return ask.fitting(question, room.given_in(self.votes.get(shelf), ask.fingerprint(question)))

    def asks(self, place: str, question: Question, blank: ask.Then | None, then: ask.Then | None, *_: Any) -> Any:
        """Draw a question that is not revealed, and return whether its picture may be seen; None: it is none."""
        if self.over:
            return None
        asked = self.asked(place + self.part)
        if asked and asked.stage == room.REVEALED:
            self.judge(place, question, asked)
            return None
        self.drawn[place] = question, then
        asked = asked or room.Poll(ask.fingerprint(question), 0)
        later = asked.stage == room.LATER
        ask.beside(place, st.fragment(partial(self.draw_ballot, place, question, asked)), None if later else blank)
        return later

    def draw_ballot(self, place: str, question: Question, asked: room.Poll) -> None:
        """Draw a question with what was sent. A vote draws this alone."""
        if self.news:  # the store has not got it: the browser is told, by a run of the whole page
            st.rerun()
        own, first = self.given(place, question, asked.turn), self.given(place, question, 1)
        is_open = asked.stage == room.OPEN
        with st.form(f"{place}_ballot") if is_open else st.container(border=True):
            note(caption(question.text), "ask")
            if is_open:
                sends = partial(self.vote, place, question, asked.turn)
                ask.draw_fields(place, question, sends)
                if not (isinstance(question, Choice) and question.pictures):
                    label = "Send" if own is None else "Change my vote"
                    st.form_submit_button(label, type="primary", on_click=ask.record, args=(place, question, sends))
            told = self.status(place, question, asked, own, first)
            note(Markup('<span role="status">{}</span>').format(caption(told)))
            if asked.mark not in ("", ask.fingerprint(question)):
                note(Markup("Your teacher asks this with other numbers. {}").format(self.way("Open them")))

    def status(self, place: str, question: Question, asked: room.Poll, own: Any, first: Any) -> str:
        sent = in_words(question, own)
        waits = (room.shelf_of(place + self.part, asked.turn), self.tab) in self.unsent
        if waits and not self.asked(place + self.part):
            return f"Kept here: {sent}. It is sent when your teacher asks this."
        if waits:
            return f"Not sent yet: {sent}. This page tries again while it is open. {self.trouble}"
        if asked.stage == room.LATER:
            return f"{f'You sent {sent}. ' if sent else ''}Your teacher asks this again at the end."
        if asked.stage != room.OPEN:
            return f"The vote is closed.{f' You sent {sent}.' if sent else ''} Talk to your neighbour."
        if sent:
            return f"Sent: {sent}. You can change it until your teacher closes the vote."
        before = f" Your first vote: {in_words(question, first)}." if first is not None else ""
        return f"Vote again.{before}" if asked.turn == 2 else ""

    def vote(self, place: str, question: Question, turn: int, given: Any) -> None:
        st.session_state[f"{place}_empty"] = False
        shelf = room.shelf_of(place + self.part, turn)
        self.votes[shelf] = room.vote_of(ask.fingerprint(question), given)
        self.say(shelf, self.tab, self.votes[shelf])
        self.news = bool(self.unsent)

    def send_view(self, page: Any) -> None:
        """Send the sentence and the number in view, or the program that is open, in place of the one before."""
        if item := item_of(page):
            self.say(place_of(page), self.tab, written(item))
        self.told = self.trouble or f"Sent: {item.why}" if item else "There is no number and no run to send here yet."

    def ask_for_text(self, page: Any, question: Open) -> None:
        key = f"{page.name}_{question.name}"

        def send() -> None:
            if text := " ".join(st.session_state[key].split()):
                self.say(place_of(page), self.tab, written(Item(text, question.text)))
                self.texts[key] = f"Sent: “{text}”"

        with st.form(f"{key}_form"):
            note(caption(question.text), "ask")
            st.text_area("Your answer", key=key, max_chars=300, height=80, label_visibility="collapsed")
            label = "Change my text" if key in self.texts else "Send this text"
            st.form_submit_button(label, type="primary", on_click=send)
            note(Markup('<span role="status">{}</span>').format(seen(self.texts.get(key, ""))))

    @property
    def view(self) -> str:
        """The view that the teacher is at, as a plan writes it."""
        found = view_in(self.now.get(room.VIEW, ""))
        return found.link if found else ""

    def way(self, label: str) -> Markup:
        return Markup('<a href="{}" target="_self">{}</a>').format(self.address, label) if self.view else Markup()

    @property
    def address(self) -> str:
        """The address of that view; it says the class too, as a browser may keep nothing."""
        framed = "&embed=true" if st.context.is_embedded else ""
        sign = "&" if "?" in self.view else "?"
        return urljoin(st.context.url or "", f"{self.view}{sign}class={self.word}{self.now.get(room.PART, '')}{framed}")

    def meet(self, page: Any) -> bool:
        """Return whether this page is at the view of its teacher, and not at an earlier one of the same step."""
        at, key, now = view_in(self.now.get(room.VIEW, "")), page.controls.key("step"), self.now.get(room.PART, "")
        says = page.controls.query() if "step" in page.controls.known else st.query_params  # the first is left out
        is_there = at is not None and page.name == at.page and says.get(key, "") in (at.word("step"), at.place[1])
        if at and is_there and self.met[0] != at.place:
            said = PART.fullmatch(st.session_state["given"].get("class", "")) if not self.met[0] else None
            self.met = at.place, said[1] if said else now  # a page that is loaded again says what it was opened for
        self.part = self.met[1] if self.met[0][:1] == (page.name,) else ""  # own questions are asked on each step
        return is_there and self.part == now

    def draw_bar(self, page: Any) -> None:
        about, at = Markup("Class <b>{}</b>").format(self.word), view_in(self.now.get(room.VIEW, ""))
        if at and not self.meet(page):
            place = "another view" if at.page == page.name else lesson_of(at)
            about = Markup("{} · your teacher is at {}").format(about, self.way(f"{place} →"))
            if self.arrives or self.now.get(room.FOLLOW) == "1":
                st.html(GO.format(json.dumps(self.address).replace("<", "\\u003c")), unsafe_allow_javascript=True)
        self.arrives = False
        trouble = f" · {self.trouble}" if self.trouble else ""
        look = '{}{}<details class="soft"><summary>{}.</summary> {}</details>'  # a phone has no room for all of it
        note(Markup(look).format(about, trouble, *self.what_is_kept.split(". ", 1)), "class")  # noqa: S704  our own

    def draw_buttons(self, page: Any) -> None:
        st.button("Send to the wall", type="tertiary", key="class_send", on_click=self.send_view, args=(page,))
        st.button("Leave", type="tertiary", key="class_leave", on_click=self.leave)
        if self.now.get(room.KEPT):
            st.button("Leave and delete", type="tertiary", key="class_give_up", on_click=self.give_up)
        told, self.told = self.told, ""
        if told:
            note(Markup('<p class="soft" role="status">{}</p>').format(seen(told)), "class")


def in_words(question: Question, given: Any) -> str:
    if given is None:
        return ""
    if isinstance(question, Choice):
        return f"“{question.options[given]}”"
    return question.name_of(given) if isinstance(question, Cell) else f"{given:g}".replace("-", "−")
