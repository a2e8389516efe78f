"""A teacher of a class: who is here, how a question is answered, and when the class may see it."""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any
from urllib.parse import urljoin

import streamlit as st
from markupsafe import Markup

from pages.class_room import desk, room
from pages.class_room.ballot import Ballot
from pages.class_room.desk import Desk, question_in, written
from pages.class_room.member import KEPT, SIGN, Member, note
from pages.class_room.record import Record, as_csv, as_page, record_of
from pages.class_room.room import (
    ASK,
    LATER,
    NOW,
    OPEN,
    RECORD,
    REVEALED,
    SHOWN,
    VIEW,
    Poll,
    n_here,
    the_store,
)
from pages.class_room.store import Closed, Left, Unavailable
from pages.class_room.walls import draw_wall, place_of, show_chosen, shown_as, step_of
from pages.links.address import address
from pages.links.course import CONSOLE, PLAN
from pages.links.nearby import in_network
from pages.look.html import as_plain_text, seen
from pages.page.ask import Answered, Then, answers, beside, fingerprint, settle, variant
from pages.questions.kinds import Choice, Question
from pages.teaching.lecture import number_on_stage, on_stage, ways
from pages.teaching.plan import NAMES, Plan, View, keep, name_of, plan_in, planned, view_in, view_of

CLOSED = "You closed the class. Nothing of it is kept."
LONGEST = 40_000  # characters of a record that a browser keeps


class Teacher(Member):
    is_teacher = True
    every = 1.0

    def __init__(self, word: str, key: str, tab: str = "") -> None:
        super().__init__(word, tab, key)
        self.page: Any = None  # that is drawn
        self.view = ""  # as this tab said it last
        self.left_wall = False
        self.desk = Desk()
        self.plan: Plan | None = None  # as this tab had it last
        self.drawn: dict[str, tuple[Question, Then | None]] = {}  # the questions on the page
        self.noted: dict[str, str] = {}  # and as the class keeps them
        self.watches: Callable[[Teacher], Any] | None = None  # how a console looks at the class
        self.sight: Any = None  # and what it saw
        self.record: list[str] = []  # as it was with the last sign: whatever becomes of the class, this tab has it
        self.recorded = 0.0

    def look(self) -> bool:
        """Hear what the teacher said on other screens; for a console, what the class did is news too."""
        news = super().look()
        with suppress(Closed, Unavailable):  # which the member has heard already
            before, self.desk = (self.desk, self.sight), Desk.of(the_store().read(self.word, desk.DESK))
            if self.recorded != self.seen:
                self.record, self.recorded = self.records(), self.seen
            if self.watches:
                if the_store().clock() - self.desk.signed > SIGN:
                    self.say(desk.DESK, desk.SIGN, str(round(the_store().clock())))
                self.sight = self.watches(self)
                news |= before != (self.desk._replace(signed=before[0].signed), self.sight)
        return news

    @property
    def has_console(self) -> bool:
        """Whether a console gave a sign lately."""
        return the_store().clock() - self.desk.signed < room.ABSENT

    def begin(self, page: Any) -> None:
        """Take for told what was revealed on another screen, before the page is drawn."""
        for place, (question, then) in self.drawn.items():
            asked = self.asked(place)
            if asked and asked.stage == REVEALED and asked.mark == fingerprint(question):
                settle(place, question, None, then if place.startswith(f"{page.name}_") else None)
        self.page = page
        self.drawn.clear()

    def watch(self, page: Any) -> Any:
        """Return what draws the bar, and lets the whole page run where another tab of the teacher has gone on."""
        drawn = False

        def look() -> None:
            nonlocal drawn
            if drawn and (self.over or self.look()):
                st.rerun()
            drawn = True
            self.draw_bar(page)

        return look

    def say_now(self, name: str, text: str) -> None:
        """Say something to the class."""
        self.now[name] = text
        self.say(NOW, name, text)

    def come_here(self) -> None:
        """Say that this view is on the stage now."""
        self.say_slide(number_on_stage())
        self.say_view(self.view)

    def say_slide(self, slide: int, told: bool = False) -> None:
        """Say which slide is shown, and let the clock begin with the first one."""
        now = the_store().clock()
        self.say(desk.DESK, desk.SLIDE, json.dumps([slide, now, told]))
        if self.desk.order:
            self.order(desk.NOTHING)  # which would lie over the new one
        if not self.desk.begun:
            self.say(desk.DESK, desk.BEGUN, str(now))

    def order(self, what: str) -> None:
        """Tell the projector what to show, or which way to go."""
        self.say(desk.DESK, desk.ORDER, json.dumps([what, the_store().clock()]))

    def keep_plan(self) -> None:
        """Let the class keep the plan of this tab when it is another one, or take the one of the class."""
        plan = planned()
        if not plan.views and self.desk.plan:
            plan = plan_in(self.desk.plan)
            keep(plan)
        elif plan.views and plan != self.plan and (text := plan.written) != self.desk.plan:
            for i, name in enumerate(desk.PIECES):
                self.say(desk.DESK, name, text[i * desk.PIECE : (i + 1) * desk.PIECE])
            self.say(desk.DESK, desk.BEGUN, "")
        self.plan = plan

    def asked_again(self) -> list[View]:
        """Return the views whose questions are asked again at the end."""
        later = [asked.view for text in self.now.values() if (asked := Poll.of(text)) and asked.stage == LATER]
        return [*filter(None, map(view_in, later))]

    def say_view(self, link: str) -> None:
        """Say which view the class is at. An own question stays with the class: it has its answer in it."""
        view = View(link)
        if word := view.word("quiz"):
            view = view.with_word("quiz", self.keep_own(word))
        self.say_now(VIEW, view.link)

    def asks(self, place: str, question: Question, blank: Then | None, then: Then | None) -> bool | None:
        """Draw a question that is not revealed, and return whether its picture may be seen; None: it is none."""
        answer = answers().get(place)
        if self.over or (answer and answer.over):
            return None
        mark, asked = fingerprint(question), self.asked(place)
        if not asked or asked.mark != mark:
            asked = Poll(mark, variant(place.removesuffix(f"_{question.name}"), question.name))
            self.say_now(ASK + place, asked.text)
        self.drawn[place] = question, then
        if self.noted.get(place) != (text := written(question, step_of(self.page))):
            self.noted[place] = text
            self.say(desk.ASKED, place, text)  # from which a console counts
        if asked.stage == REVEALED:  # before a reload
            answers()[place] = Answered(question, None)
            return None
        later = asked.stage == LATER
        beside(place, partial(self.draw_panel, place, question, later), None if later else blank)
        return later

    def draw_panel(self, place: str, question: Question, later: bool) -> None:
        """Draw a question with what was answered so far."""
        with st.container(border=True, key=f"{place}_ballot"):
            note(Markup("{}").format(question.text), "ask")
            st.fragment(partial(self.draw_votes, place, question, later), run_every=self.every)()

    def draw_votes(self, place: str, question: Question, later: bool) -> None:
        """Draw the answers, if they are shown, and what a teacher can do with them."""
        asked = self.asked(place)
        if self.over or not asked or asked.stage == REVEALED or later != (asked.stage == LATER):
            st.rerun()
        try:
            here, found = n_here(the_store(), self.word), Ballot.of(the_store(), self.word, place, asked, question)
        except (Closed, Unavailable) as problem:
            note(str(problem), "class")
            return
        note(Markup("<b>{}</b>").format(found.told(here)), "class")
        if asked.stage == SHOWN:
            found.draw()
        elif isinstance(question, Choice):
            note(Markup("<br>").join(map(Markup("○ {}").format, question.options)), "class")
        if not (on_stage() and self.has_console):  # which has these buttons, and the slide has room
            self.draw_acts(found)

    def draw_acts(self, ballot: Ballot) -> None:
        """Draw what can be done with a question now, first what usually comes next."""
        place, asked, voted = ballot.place, ballot.asked, bool(ballot.last.given)
        with st.container(horizontal=True):
            if asked.stage == OPEN:
                self.button("Show", place, asked._replace(stage=SHOWN), "primary")
            elif asked.turn == 1:
                turn = 2 if voted else 1  # without a first vote there is no second one
                self.button("Vote again", place, asked._replace(turn=turn, stage=OPEN))
            look: Any = "primary" if asked.stage == SHOWN else "secondary"
            st.button("Reveal", key=f"{place}_reveal", type=look, on_click=self.reveal, args=(ballot,))
            if asked.turn == 1 and asked.stage != LATER:
                here = self.now.get(VIEW, "")
                to = asked._replace(stage=LATER, view=here if place.startswith(f"{View(here).page}_") else "")
                self.button("Ask again at the end", place, to, disabled=not voted)

    def button(self, label: str, place: str, to: Poll, look: Any = "secondary", disabled: bool = False) -> None:
        key = f"{place}_{label.lower().replace(' ', '_')}"
        args = (ASK + place, to.text)
        st.button(label, key=key, type=look, disabled=disabled, on_click=self.say_now, args=args)

    def reveal(self, ballot: Ballot) -> None:
        """Tell the class the right answer, and keep how often each one was given."""
        self.say_now(ASK + ballot.place, ballot.asked._replace(stage=REVEALED).text)
        with suppress(Closed, Unavailable):
            found = Ballot.of(the_store(), self.word, *ballot[:3])  # with what came since it was drawn
            self.say(RECORD, shown_as(ballot.place, as_plain_text(ballot.question.text)), self.record_of(found).text)

    def record_of(self, ballot: Ballot) -> Record:
        store = the_store()
        return record_of(ballot.question.text, ballot.lines, store.clock(), n_here(store, self.word))

    def ballots(self, page: str = "", step: str | None = None) -> Iterator[Ballot]:
        """Return the questions that the class was asked, or those of one step."""
        for place, text in the_store().read(self.word, desk.ASKED).items():
            asked, found = self.asked(place), question_in(text)
            if asked and found and place.startswith(page) and step in (None, found[1]):
                yield Ballot.of(the_store(), self.word, place, asked, found[0])

    def records(self) -> list[str]:
        """Return what was kept of the class, and of the questions that are not revealed how they stand."""
        kept = [*the_store().read(self.word, RECORD).values()]
        waits = [one for one in self.ballots() if one.asked.stage != REVEALED and one.last.given]
        return kept + [self.record_of(one).text for one in waits]

    def packed(self) -> list[Any]:
        """Return what the browser keeps; of a long record, what came last."""
        room, record = LONGEST, dict[str, str]()
        for text in reversed(self.record):
            if (room := room - len(text)) > 0:
                record[str(len(record))] = text
        return [self.word, self.tab, self.key, record]

    def draw_bar(self, page: Any) -> None:
        """Draw how the class stands, below each page."""
        here = view_of(page.name, page.controls.query()) if page.name in NAMES else ""
        if here and here != self.view:
            before, self.view = self.view, here
            if before or not on_stage():  # where a view is loaded before it is shown
                self.say_view(here)
        self.keep_plan()
        try:
            here = " · ".join(filter(None, (f"{n_here(the_store(), self.word)} here", the_store().problem(self.word))))
        except (Closed, Unavailable) as problem:
            here = str(problem)
        base, way = base_address(), Markup(' · <a href="{}" target="_self">Ask again: {} →</a>')
        told = Markup("Class <b>{}</b> · {} · {}").format(
            self.word, in_network(base).partition("//")[2].rstrip("/"), here
        )
        for view in self.asked_again() if not on_stage() else ():
            if view.link != self.view:
                told += way.format(urljoin(base, view.link), seen(name_of(view)))
        if on_stage():  # which reads what was said on other screens
            slide, order = (self.desk.slide, self.desk.since, self.desk.told), (self.desk.order, self.desk.given)
            stands = {"slide": slide, "order": order, "begun": self.desk.begun, "console": self.has_console}
            told += Markup('<i data-desk="{}"></i>').format(json.dumps(stands))
        note(told, "class")

    def draw_buttons(self, page: Any) -> None:
        if self.left_wall:
            self.left_wall = False
            st.rerun()  # of all, or what the wall draws by itself would come in the next dialog
        if on_stage():  # which presses it when it shows the view
            st.button("Here", key="class_here", on_click=self.come_here)
        if st.button("Wall", icon=":material/grid_view:", type="tertiary", key="class_wall"):
            self.show_wall(page)
        if st.button("The class", icon=":material/qr_code:", type="tertiary", key="class_more"):
            self.invite()

    def show_wall(self, page: Any) -> None:
        """Draw what was sent of this view, as it comes in."""

        def draw() -> None:
            try:
                texts = list(the_store().read(self.word, place).values())
                chosen, here = the_store().read(self.word, RECORD), n_here(the_store(), self.word)
            except (Closed, Unavailable) as problem:
                note(str(problem), "class")
                return
            n = len(texts)
            note(Markup("<b>{} of {}</b> pressed “Send to the wall”").format(n, max(here, n)), "class")
            draw_wall(page.name, texts)
            show_chosen(place, chosen)

        place = place_of(page)
        live = st.fragment(draw, run_every=2 * self.every)
        st.dialog("The wall", width="large", on_dismiss=lambda: setattr(self, "left_wall", True))(live)()

    @st.dialog("The class", width="large")
    def invite(self) -> None:
        """Draw what students need, what the teacher needs elsewhere, and the end of the class."""
        base = base_address()
        link = address(base, {"class": self.word})
        left, right = st.columns(2, gap="medium")
        with left:
            note(Markup('<p class="word">{}</p>').format(self.word), "class")
            st.code(link, language=None, wrap_lines=True)
            self.offer_following()
            self.offer_end()
            st.link_button("Open your console", self.way_in(CONSOLE), icon=":material/tablet:", key="class_console")
        with right:
            ways(link, "the class", "class")
        note(KEPT)
        if self.over:
            st.rerun()

    def way_in(self, place: str) -> str:
        """Return the own link of the teacher to the console, or to the stage at the slide of the class."""
        words = {place: "on", "teach": f"{self.word}.{self.key}"}
        plan = {} if place == CONSOLE else {PLAN: self.desk.plan}
        return address(base_address(), words | plan) + (f"#{self.desk.slide + 1}" if plan else "")

    def offer_own_link(self) -> None:
        """Let the teacher take the console to another screen, such as a phone."""
        with st.expander("Your own link, for your phone", key="class_key", on_change="rerun") as secret:
            if secret.open:
                st.markdown("Who opens this link is the teacher of the class: keep it off the projector.")
                st.code(self.way_in(CONSOLE), language=None, wrap_lines=True)
                ways(self.way_in(CONSOLE), "your console", "class_own")

    def offer_following(self) -> None:
        """Let the teacher say whether students' pages follow at once."""
        st.session_state["class_follow"] = self.now.get(room.FOLLOW) == "1"  # another screen may have said it
        st.toggle(
            "Students’ pages follow mine at once",
            key="class_follow",
            on_change=lambda: self.say_now(room.FOLLOW, "1" if st.session_state["class_follow"] else ""),
        )

    def offer_end(self) -> None:
        """Let the teacher close the class, after a question."""
        with st.popover("Close the class …"):
            st.markdown("This ends the class for all and deletes its answers.")
            offer_record(self.word, self.records, "_last")
            st.button("Close it now", key="class_close", type="primary", on_click=self.close)

    def drop(self, tabs: list[str], name: str) -> None:
        """Forget tabs that misbehave, with all that they sent; the class sees their text no more."""
        self.say(RECORD, name, "")
        try:
            for tab in tabs:
                the_store().drop(self.word, tab)
        except Unavailable as problem:
            self.trouble = str(problem)

    def close(self) -> None:
        """End the class, and forget all of it."""
        try:
            the_store().close(self.word)
            self.over = CLOSED
        except Left as problem:
            self.over = str(problem)
        except Unavailable as problem:
            self.trouble = str(problem)


def offer_record(word: str, records: Callable[[], list[str]], where: str = "") -> None:
    """Offer what a class answered as files, which are made when they are asked for."""
    offset = st.context.timezone_offset or 0
    with st.container(horizontal=True):
        for kind, label, made in (("html", "Download the record", as_page), ("csv", "Its table (CSV)", as_csv)):
            data = partial(lambda made: made(word, records(), offset), made)
            file, key = f"class-{word}.{kind}", f"class_{kind}{where}"
            st.download_button(label, data, file, f"text/{kind}", key, on_click="ignore")


def base_address() -> str:
    """Return the address of the course."""
    return urljoin(st.context.url or "", ".")
