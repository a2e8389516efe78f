"""A teacher of a class: who is here, how a question is answered, and when the class may see it."""

from contextlib import suppress
from functools import partial
from typing import Any
from urllib.parse import urljoin

import streamlit as st
from markupsafe import Markup

from pages.class_room.member import KEPT, Member, note
from pages.class_room.pictures import draw_answers, tally
from pages.class_room.record import as_csv, as_page, record_of
from pages.class_room.room import ASK, FOLLOW, LATER, NOW, OPEN, RECORD, REVEALED, SHOWN, VIEW, Poll, n_here, the_store
from pages.class_room.store import Closed, Unavailable
from pages.class_room.walls import choose, draw_wall, place_of, shown_as
from pages.links.address import address
from pages.links.nearby import in_network
from pages.look.html import seen
from pages.page.ask import Answered, Then, answers, beside, fingerprint, settle, variant
from pages.questions.kinds import Choice, Question
from pages.teaching.lecture import on_stage, ways
from pages.teaching.plan import NAMES, View, name_of, planned, view_in, view_of

CLOSED = "You closed the class. Nothing of it is kept."


class Teacher(Member):
    is_teacher = True
    every = 1.0

    def __init__(self, word: str, key: str, tab: str = "") -> None:
        super().__init__(word, tab, key)
        self.view = ""  # as this tab said it last
        self.left_wall = False

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

    def say_view(self) -> None:
        """Say where this tab is. An own question stays with the class: it has its answer in it."""
        view = View(self.view)
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
        if asked.stage == REVEALED:  # before a reload
            answers()[place] = Answered(question, None)
            return None
        later = asked.stage == LATER
        beside(place, partial(self.draw_panel, place, question, then, later), None if later else blank)
        return later

    def draw_panel(self, place: str, question: Question, then: Then | None, later: bool) -> None:
        """Draw a question with what was answered so far."""
        with st.container(border=True, key=f"{place}_ballot"):
            note(Markup("{}").format(question.text), "ask")
            st.fragment(partial(self.draw_votes, place, question, then, later), run_every=self.every)()

    def draw_votes(self, place: str, question: Question, then: Then | None, later: bool) -> None:
        """Draw the answers, if they are shown, and what a teacher can do with them."""
        asked = self.asked(place)
        if self.over or not asked or asked.stage == REVEALED or later != (asked.stage == LATER):
            st.rerun()
        try:
            found, n = self.counts(place, question, asked.turn), n_here(the_store(), self.word)
            first = self.counts(place, question, 1).given if asked.turn == 2 else None
        except (Closed, Unavailable) as problem:
            note(str(problem), "class")
            return
        said = f"{len(found.given)} of {max(n, len(found.given))} answered"
        if asked.turn == 2:
            said += " · second vote"
        if later:
            said += " · asked again at the end"
        if found.elsewhere:
            said += f" · {found.elsewhere} with other numbers"
        note(Markup("<b>{}</b>").format(said), "class")
        if asked.stage == SHOWN:
            draw_answers(place, question, found.given, first)
        elif isinstance(question, Choice):
            note(Markup("<br>").join(map(Markup("○ {}").format, question.options)), "class")
        with st.container(horizontal=True):
            if asked.stage == OPEN:
                self.button("Show", place, asked._replace(stage=SHOWN), "primary")
            elif asked.turn == 1:
                turn = 2 if found.given else 1  # without a first vote there is no second one
                self.button("Vote again", place, asked._replace(turn=turn, stage=OPEN))
            if asked.turn == 1 and not later:
                here = self.view if place.startswith(f"{self.view.partition('?')[0]}_") else ""
                to = asked._replace(stage=LATER, view=here)
                self.button("Ask again at the end", place, to, disabled=not found.given)
            look: Any = "primary" if asked.stage == SHOWN else "secondary"
            st.button("Reveal", key=f"{place}_reveal", type=look, on_click=self.reveal, args=(place, question, then))

    def button(self, label: str, place: str, to: Poll, look: Any = "secondary", disabled: bool = False) -> None:
        key = f"{place}_{label.lower().replace(' ', '_')}"
        args = (ASK + place, to.text)
        st.button(label, key=key, type=look, disabled=disabled, on_click=self.say_now, args=args)

    def reveal(self, place: str, question: Question, then: Then | None) -> None:
        """Tell the class the right answer."""
        if asked := self.asked(place):
            self.say_now(ASK + place, asked._replace(stage=REVEALED).text)
            with suppress(Closed, Unavailable):
                first, last = (self.counts(place, question, turn).given for turn in (1, asked.turn))
                lines = tally(question, last, first if asked.turn == 2 else None)
                self.say(RECORD, shown_as(place, question.text), record_of(question.text, lines))
            settle(place, question, None, then)

    def draw_bar(self, page: Any) -> None:
        """Draw how the class stands, below each page."""
        view = view_of(page.name, page.controls.query()) if page.name in NAMES else ""
        if view and view != self.view:
            before, self.view = self.view, view
            if before or not on_stage():  # where a view is loaded before it is shown
                self.say_view()
        try:
            here = f"{n_here(the_store(), self.word)} here"
        except (Closed, Unavailable) as problem:
            here = str(problem)
        base, way = base_address(), Markup(' · <a href="{}" target="_self">{}: {} →</a>')
        told = Markup("Class <b>{}</b> · {} · {}").format(
            self.word, in_network(base).partition("//")[2].rstrip("/"), here
        )
        later = [asked.view for text in self.now.values() if (asked := Poll.of(text)) and asked.stage == LATER]
        ways = [("Next view", self.following()), *(("Ask again", view_in(link)) for link in later if link != self.view)]
        for label, to in ways:
            if to and not on_stage():
                told += way.format(urljoin(base, to.link), label, seen(name_of(to)))
        note(told, "class")

    def draw_buttons(self, page: Any) -> None:
        if self.left_wall:
            self.left_wall = False
            st.rerun()  # of all, or what the wall draws by itself would come in the next dialog
        if on_stage():  # which presses it when it shows the view
            st.button("Here", key="class_here", on_click=self.say_view)
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
            choose(self, place, page.title, texts, chosen)

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
            st.toggle(
                "Students’ pages follow mine at once",
                value=self.now.get(FOLLOW) == "1",
                key="class_follow",
                on_change=lambda: self.say_now(FOLLOW, "1" if st.session_state["class_follow"] else ""),
            )
            with st.popover("Close the class"):
                st.markdown("This ends the class for all and deletes its answers.")
                self.offer_record("_last")
                st.button("Close it now", key="class_close", type="primary", on_click=self.close)
        with right:
            ways(link, "the class", "class")
        self.offer_record()
        with st.expander("Your own link, for another tab of the teacher", key="class_key", on_change="rerun") as secret:
            if secret.open:
                st.code(address(base, {"teach": f"{self.word}.{self.key}"}), language=None, wrap_lines=True)
        note(KEPT)

        if self.over:
            st.rerun()

    def offer_record(self, where: str = "") -> None:
        """Offer the answers so far as files."""
        try:
            records = list(the_store().read(self.word, RECORD).values())
        except (Closed, Unavailable):
            return
        if records:
            with st.container(horizontal=True):
                for kind, made in (("csv", as_csv(records)), ("html", as_page(self.word, records))):
                    label, file = f"Download the answers ({kind.upper()})", f"class-{self.word}.{kind}"
                    st.download_button(label, made, file, f"text/{kind}", key=f"class_{kind}{where}", on_click="ignore")

    def following(self) -> View | None:
        """Return the view of the plan after the one in view; the first where none of them is."""
        views = planned().views
        place = next((i + 1 for i, view in enumerate(views) if view.link == self.view), 0)
        return views[place] if place < len(views) else None

    def close(self) -> None:
        """End the class, and forget all of it."""
        try:
            the_store().close(self.word)
            self.over = CLOSED
        except Unavailable as problem:
            self.trouble = str(problem)


def base_address() -> str:
    """Return the address of the course."""
    return urljoin(st.context.url or "", ".")
