"""A teacher of a class: who is here, how a question is answered, and when the class may see it."""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any
from urllib.parse import urljoin

import streamlit as st
from markupsafe import Markup

from pages.class_room import desk
from pages.class_room.ballot import Ballot
from pages.class_room.desk import question_in, written
from pages.class_room.host import Host, base_address
from pages.class_room.member import note
from pages.class_room.record import Record, as_csv, as_page, record_of
from pages.class_room.room import ASK, LATER, OPEN, OWN, RECORD, REVEALED, SEAT, SHOWN, VIEW, Poll, n_here, the_store
from pages.class_room.seats import as_table
from pages.class_room.store import Closed, Unavailable
from pages.class_room.walls import draw_wall, place_of, show_chosen, shown_as, step_of
from pages.links.address import address
from pages.links.course import CONSOLE, LESSONS
from pages.links.nearby import in_network
from pages.look.html import as_plain_text, caption, seen
from pages.page.ask import Answered, Then, answers, beside, choose_variant, fingerprint, settle, variant
from pages.questions.kinds import BY_TEACHER, Choice, Question
from pages.teaching.lecture import number_on_stage, on_stage, ways
from pages.teaching.own import questions_in
from pages.teaching.plan import NAMES, View, name_of, view_in, view_of

LONGEST = 40_000  # characters of a record that a browser keeps
AT_THE_END = "Closes the vote and shows the picture. Come back to this slide at the end, and let the class vote again."


class Teacher(Host):
    every = 1.0

    def __init__(self, word: str, key: str, tab: str = "") -> None:
        super().__init__(word, key, tab)
        self.page: Any = None  # that is drawn
        self.dialog: str | None = ""  # that is open; None where one was closed just now
        self.drawn: dict[str, tuple[Question, Then | None]] = {}  # the questions on the page
        self.noted: dict[str, str] = {}  # and as the class keeps them
        self.record: list[str] = []  # as it was with the last sign: whatever becomes of the class, this tab has it
        self.recorded = 0.0

    def look(self) -> bool:
        """Hear the news, and keep the record with each sign."""
        was_shown = self.is_shown
        news = super().look()
        if self.is_shown and not was_shown:
            self.send()
            news = True
        self.leave_out()
        with suppress(Closed, Unavailable):
            if self.recorded != self.seen:
                self.record, self.recorded = self.records(), self.seen
        return news

    def packed(self) -> list[Any]:
        """Return what the browser keeps; of a long record, what came last."""
        room, record = LONGEST, dict[str, str]()
        for text in reversed(self.record):
            if (room := room - len(text)) > 0:
                record[str(len(record))] = text
        return [self.word, self.tab, self.key, record]

    def begin(self, page: Any) -> None:
        """Take for told what was revealed on another screen, before the page is drawn."""
        self.slide = number_on_stage() if on_stage() else None
        self.part = "" if self.slide is None else self.part_of(self.slide)
        for place, (question, then) in self.drawn.items():
            asked = self.asked(place + self.part)
            if asked and asked.stage == REVEALED and asked.mark == fingerprint(question):
                settle(place, question, None, then if place.startswith(f"{page.name}_") else None)
        variants: dict[str, int] = st.session_state.get("variants", {})
        for place, asked in self.own_polls.items():  # another screen may have let the class vote on a variant
            if asked.variant != variants.get(place, 0) and (asked.stage != REVEALED or place not in variants):
                choose_variant(place, asked.variant)
        if self.page and self.page.name != page.name:
            self.dialog = ""
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

    def asked_again(self) -> list[View]:
        return [*filter(None, (view_in(asked.view) for asked in self.polls.values() if asked.stage == LATER))]

    def asks(
        self, place: str, question: Question, blank: Then | None, then: Then | None, has_more: Callable[[], bool]
    ) -> bool | None:
        """Draw a question that is not revealed, and return whether its picture may be seen; None: it is none."""
        if self.over:
            return None
        answer, varies, kept = answers().get(place), has_more(), place + self.part
        if self.noted.get(kept) != (text := written(question, self.where, varies)):
            self.noted[kept] = text
            self.say(desk.ASKED, kept, text)  # from which a console counts
        if answer and answer.over:
            return None
        mark, asked = fingerprint(question), self.asked(kept)
        number = variant(place.removesuffix(f"_{question.name}"), question.name)
        if not asked or asked.mark not in ("", mark) or (not asked.mark and asked.variant == number):
            asked = asked._replace(mark=mark) if asked and not asked.mark else Poll(mark, number)
            self.say_now(ASK + kept, asked.text)
        self.drawn[place] = question, then
        if asked.stage == REVEALED:  # before a reload
            answers()[place] = Answered(question, None)
            return None
        later = asked.stage == LATER
        beside(place, partial(self.draw_panel, kept, question, varies, later), None if later else blank)
        return later

    def draw_panel(self, place: str, question: Question, varies: bool, later: bool) -> None:
        with st.container(border=True, key=f"{place}_ballot"):
            note(caption(question.text), "ask")
            st.fragment(partial(self.draw_votes, place, question, varies, later), run_every=self.every)()

    def draw_votes(self, place: str, question: Question, varies: bool, later: bool) -> None:
        asked = self.asked(place)
        if self.over or not asked or asked.stage == REVEALED or later != (asked.stage == LATER):
            st.rerun()
        try:
            here = n_here(the_store(), self.word)
            found = Ballot.of(the_store(), self.word, place, asked, question, varies, self.where)
        except (Closed, Unavailable) as problem:
            note(str(problem), "class")
            return
        note(Markup("<b>{}</b>").format(found.told(here)), "class")
        if asked.stage == SHOWN:
            found.draw()
        elif isinstance(question, Choice) and not later:
            note(Markup("<br> ").join(Markup("○ {}").format(caption(one)) for one in question.options), "class")
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
            label = f"Reveal{self.opens(ballot)}"
            st.button(label, key=f"{place}_reveal", type=look, on_click=self.reveal, args=(ballot,))
            if asked.turn == 1 and asked.stage != LATER:
                here = self.now.get(VIEW, "")
                to = asked._replace(stage=LATER, view=here if place.startswith(f"{View(here).page}_") else "")
                self.button("Ask again at the end", place, to, disabled=not voted, help=AT_THE_END)
            if asked.turn == 1 and asked.stage != OPEN and voted and ballot.varies:
                other = asked._replace(mark="", variant=asked.variant + 1, turn=2, stage=OPEN, shift=ballot.right)
                self.button("Vote on a similar question", place, other)

    def opens(self, ballot: Ballot) -> str:
        """Say which of a slide's own questions is asked as soon as this one is revealed, if one waits for that."""
        page, name, part = ballot.place.partition(ballot.question.name)
        word = name.removeprefix(f"{BY_TEACHER}_").partition("_")[0]
        owns = [own.name for own in questions_in(self.now.get(OWN + word, ""), f"{BY_TEACHER}_{word}") if own]
        place = owns.index(name) + 1 if name in owns else len(owns)
        rest = [page + own + part for own in owns[place:]]
        waits = rest and ballot.asked.stage != LATER and not any(map(self.asked, rest))
        return f", then question {place + 1} of {len(owns)}" if waits and (self.watches or on_stage()) else ""

    def button(self, label: str, place: str, to: Poll, look: Any = "secondary", **more: Any) -> None:
        key = f"{place}_{label.lower().replace(' ', '_')}"
        st.button(label, key=key, type=look, on_click=self.say_now, args=(ASK + place, to.text), **more)

    def reveal(self, ballot: Ballot) -> None:
        """Tell the class the right answer, and keep how often each one was given."""
        asked = ballot.asked._replace(stage=REVEALED)
        if not (ballot.last.given or asked.shift):  # nobody voted again
            asked = asked._replace(turn=1)
        self.say_now(ASK + ballot.place, asked.text)
        with suppress(Closed, Unavailable):  # with what came since it was drawn
            found = Ballot.of(the_store(), self.word, ballot.place, asked, ballot.question, *ballot[4:])
            self.say(RECORD, shown_as(ballot.place, as_plain_text(ballot.question.text)), self.record_of(found).text)

    def record_of(self, ballot: Ballot) -> Record:
        store = the_store()
        text = as_plain_text(ballot.question.text) + ballot.shift
        step, *slide = ballot.where.split("#")
        page = next((name for name in NAMES if ballot.place.startswith(f"{name}_")), "")
        names = self.names_of(View(page).with_word("step", step), *slide[:1]) if page else ()
        return record_of(text, ballot.lines, store.clock(), n_here(store, self.word), *names)

    @property
    def where(self) -> str:
        """The step that this page shows, on a stage with its slide."""
        return step_of(self.page) + (f"#{self.slide}" if self.slide is not None else "")

    def leave_out(self) -> None:
        """Let a console show no question that another sentence or setting has taken from the page."""
        if not (self.page and self.page.drawn_from):
            return
        page, asked = self.page, {question.name for question in self.page.view.asked}
        names = {name for one in LESSONS if one.name == page.name for name in (*one.questions, *one.deeper)}
        for place in (f"{page.name}_{name}{self.part}" for name in names - asked):
            kind, where, *more = json.loads(self.noted.get(place, "[0, 0]"))
            if where == self.where:
                self.noted[place] = json.dumps([kind, f"{where}#gone", *more])
                self.say(desk.ASKED, place, self.noted[place])

    def ballots(self, page: str = "", *steps: str) -> Iterator[Ballot]:
        """Return the questions that the class was asked, or those of one view."""
        for place, text in the_store().read(self.word, desk.ASKED).items():
            asked, found = self.asked(place), question_in(text)
            if asked and found and place.startswith(page) and (not page or found[1] in steps):
                yield Ballot.of(the_store(), self.word, place, asked, found[0], found[2], found[1])

    def records(self) -> list[str]:
        """Return what was kept of the class, and of the questions that are not revealed how they stand."""
        kept = [*the_store().read(self.word, RECORD).values()]
        waits = [one for one in self.ballots() if one.asked.stage != REVEALED and (one.last.given or one.first)]
        return kept + [self.record_of(one).text for one in waits]

    def draw_bar(self, page: Any) -> None:
        here = view_of(page.name, page.controls.query()) if page.name in NAMES else ""
        if here and here != self.view:
            before, self.view = self.view, here
            if self.slide is None or (before and self.desk.begun and self.is_shown):
                self.say_view(here)
        self.keep_plan()
        try:
            here = " · ".join(filter(None, (f"{n_here(the_store(), self.word)} here", the_store().problem(self.word))))
        except (Closed, Unavailable) as problem:
            here = str(problem)
        base, way = base_address(), Markup(' · <a href="{}" target="_self">Ask again: {} →</a>')
        near = in_network(base).partition("//")[2].rstrip("/")
        told = Markup("Class <b>{}</b> · {} · {}").format(self.word, near, here)
        for view in self.asked_again() if not on_stage() else ():
            if view.link != self.view:
                told += way.format(urljoin(base, view.link), seen(name_of(view)))
        if on_stage():  # which reads what was said on other screens
            slide, order = (self.desk.slide, self.desk.since, self.desk.told), (self.desk.order, self.desk.given)
            stands = {"slide": slide, "order": order, "begun": self.desk.begun, "console": self.has_console}
            told += Markup('<i data-desk="{}"></i>').format(json.dumps(stands))
        note(told, "class")

    def draw_buttons(self, page: Any) -> None:
        if self.dialog is None:
            self.dialog = ""
            st.rerun()  # of all, or what the wall draws by itself would come in the next dialog
        if on_stage():  # which presses it when it shows the view
            st.button("Here", key="class_here", on_click=self.come_here)
        dialogs: dict[str, tuple[str, str, Callable[[], None]]] = {
            "class_wall": ("Wall", ":material/grid_view:", partial(self.draw_wall, page)),
            "class_more": ("The class", ":material/qr_code:", self.invite),
        }
        for key, (label, icon, _) in dialogs.items():
            if st.button(label, icon=icon, type="tertiary", key=key):
                self.dialog = key
        if self.dialog:  # in each run, or news would close it
            title, _, draw = dialogs[self.dialog]
            st.dialog(title, width="large", on_dismiss=lambda: setattr(self, "dialog", None))(draw)()

    def draw_wall(self, page: Any) -> None:

        def draw() -> None:
            try:
                texts = list(the_store().read(self.word, place).values())
                chosen, here = the_store().read(self.word, RECORD), n_here(the_store(), self.word)
            except (Closed, Unavailable) as problem:
                note(str(problem), "class")
                return
            note(Markup("<b>{} of {}</b> sent something").format(len(texts), max(here, len(texts))), "class")
            draw_wall(page.name, texts)
            show_chosen(place, chosen)

        place = place_of(page)
        st.fragment(draw, run_every=2 * self.every)()

    def invite(self) -> None:
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
        note(self.what_is_kept)
        if self.over:
            st.rerun()

    def offer_end(self) -> None:
        with st.popover("Keep or close the class …", key="class_end", on_change="rerun") as end:
            self.offer_keeping()
            if end.open:
                with st.container(horizontal=True), suppress(Closed, Unavailable):
                    offer_record(self.word, self.records(), "_last")
                    if self.is_laid_aside:
                        file = f"class-{self.word}-seats.csv"
                        table = as_table(the_store().read(self.word, SEAT), self.ballots())
                        st.download_button("Progress of all (CSV)", table, file, "text/csv", on_click="ignore")
            with st.expander("Close the class"):  # one tap more
                st.markdown("Closing ends the class for everyone and deletes its answers.")
                st.button("Close the class now", key="class_close", on_click=self.close)


def offer_record(word: str, records: list[str], where: str) -> None:
    """Offer what a class answered as files, made at once: Streamlit forgets one to be made while the page runs."""
    offset = st.context.timezone_offset or 0
    for kind, label, made in (("html", "Download the record", as_page), ("csv", "Its table (CSV)", as_csv)):
        file, key = f"class-{word}.{kind}", f"class_{kind}{where}"
        look: Any = "primary" if kind == "html" else "secondary"
        st.download_button(label, made(word, records, offset), file, f"text/{kind}", key, on_click="ignore", type=look)
