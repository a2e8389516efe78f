"""What a teacher says beside questions: to class, projector and console, and how long the class lasts."""

import json
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from typing import Any
from urllib.parse import urljoin

import streamlit as st

from pages.class_room import desk, room
from pages.class_room.desk import Desk
from pages.class_room.member import GONE, SIGN, Member
from pages.class_room.room import NOW, RECORD, VIEW, the_store
from pages.class_room.store import Closed, Left, Unavailable
from pages.links.address import address
from pages.links.course import CONSOLE, PLAN
from pages.look.html import indexed
from pages.server.shares import visitor
from pages.teaching.lecture import number_on_stage, ways
from pages.teaching.plan import Plan, View, keep, lesson_of, plan_in, planned

CLOSED = "You closed the class. Nothing of it is kept."


class Host(Member):
    is_teacher = True

    def __init__(self, word: str, key: str, tab: str = "") -> None:
        super().__init__(word, tab, key)
        self.view = ""  # as this tab said it last
        self.slide: int | None = None  # the place of this page on a stage
        self.desk = Desk()
        self.refused = ""  # why the class cannot be kept
        self.plan: Plan | None = None  # as this tab had it last
        self.watches: Callable[[Any], Any] | None = None  # how a console looks at the class
        self.sight: Any = None  # and what it saw
        self.tells = ""  # "1" where the console shows right answers before the class has them

    def look(self) -> bool:
        """Hear what the teacher said on other screens; for a console, what the class did is news too."""
        news = super().look()
        with suppress(Closed, Unavailable):  # which the member has heard already
            before, self.desk = (self.desk, self.sight), Desk.of(the_store().read(self.word, desk.DESK))
            if self.watches:
                if the_store().clock() - self.desk.signed > SIGN:
                    self.say(desk.DESK, desk.SIGN, str(round(the_store().clock())))
                self.sight = self.watches(self)
                news |= before != (self.desk._replace(signed=before[0].signed), self.sight)
        return news

    @property
    def is_shown(self) -> bool:
        """Whether this page is in sight: a slide is loaded before it is shown."""
        return self.slide in (None, self.desk.slide)

    def is_asked(self, shelf: str) -> bool:
        """Return whether a text can be sent: what a slide asks waits until it is shown."""
        return super().is_asked(shelf) and (self.is_shown or shelf not in (NOW, desk.ASKED))

    @property
    def has_console(self) -> bool:
        return the_store().clock() - self.desk.signed < room.ABSENT

    def say_now(self, name: str, text: str) -> None:
        self.now[name] = text
        self.say(NOW, name, text)

    def come_here(self) -> None:
        self.say_slide(number_on_stage())
        self.say_view(self.view)

    def say_slide(self, slide: int, told: bool = False) -> None:
        """Say which slide is shown, and let the clock begin with the first one."""
        now = the_store().clock()
        goes_on = now - self.desk.begun < desk.LONGEST  # or it is the next lecture of the class
        since = self.desk.since if goes_on and slide == self.desk.slide else now  # a projector that is opened again
        self.say(desk.DESK, desk.SLIDE, json.dumps([slide, since, told]))
        self.desk = self.desk._replace(slide=slide)
        if self.desk.order:
            self.order(desk.NOTHING)  # which would lie over the new one
        if not goes_on:
            self.say(desk.DESK, desk.BEGUN, str(now))

    def order(self, what: str) -> None:
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

    def names_of(self, view: View, slide: str = "") -> tuple[str, str]:
        """Return what the lesson of a view is called, and the view: as the plan calls it, or by its step."""
        same = {str(i): one for i, one in enumerate(plan_in(self.desk.plan).views) if one.place == view.place}
        found = same.get(slide) or next(iter(same.values()), view)
        return lesson_of(view), found.title or indexed(view.step[0])

    def say_view(self, link: str) -> None:
        """Say which view the class is at. An own question stays with the class: it has its answer in it."""
        view = View(link)
        if word := view.word("quiz"):
            name = room.hashed(self.key + word)[:12]
            self.say(NOW, room.OWN + name, word)
            view = view.with_word("quiz", name)
        self.say_now(VIEW, view.link)
        self.say_now(room.PART, self.part_of(self.desk.slide))

    def part_of(self, slide: int) -> str:
        """Return what tells the votes of a slide from those of an earlier one of its step or questions, or nothing."""
        views = (planned().views or plan_in(self.desk.plan).views)[: slide + 1]
        (own, place) = (views[-1].word("quiz"), views[-1].place) if views else ("", ())
        return (
            f"__{slide}" if any(one.place == place or (own and one.word("quiz") == own) for one in views[:-1]) else ""
        )

    def way_in(self, place: str) -> str:
        """Return the own link of the teacher to the console, or to the stage at the slide of the class."""
        words = {place: "on", "teach": f"{self.word}.{self.key}"}
        plan = {} if place == CONSOLE else {PLAN: self.desk.plan}
        return address(base_address(), words | plan) + (f"#{self.desk.slide + 1}" if plan else "")

    def offer_own_link(self) -> None:
        with st.expander("Your own link, for a phone too: keep it", key="class_key", on_change="rerun") as secret:
            if secret.open:
                st.markdown("Who opens this link is the teacher of the class: keep it off the projector.")
                st.caption("This browser knows it too, for a day or until you close the class.")
                st.code(self.way_in(CONSOLE), language=None, wrap_lines=True)
                ways(self.way_in(CONSOLE), "your console", "class_own")

    def offer_following(self) -> None:
        follow = partial(self.say_now, room.FOLLOW)
        switch("Students’ pages follow mine at once", "class_follow", bool(self.now.get(room.FOLLOW)), follow)

    def keep(self, on: str) -> None:
        """Keep the class for its next lecture, or no longer than others."""
        self.refused = ""
        try:
            room.keep_class(the_store(), self.word, bool(on), visitor().address)
            self.look()
        except Closed:
            self.over = self.over or GONE
        except Unavailable as problem:
            self.refused = str(problem)

    def offer_keeping(self) -> None:
        switch("Meet again: keep this class for 14 days", "class_keep", self.is_laid_aside, self.keep)
        if self.refused:
            st.caption(self.refused)
        if self.is_laid_aside:
            last = datetime.fromtimestamp(room.number(self.now[room.KEPT]), UTC)
            told = "You can leave: your own link opens it until {} {:%B}. Students come back with the same code."
            st.caption(told.format(last.day, last))

    def remove(self, tabs: list[str], name: str) -> None:
        """Forget tabs that misbehave, with all that they sent; the class sees their text no more."""
        self.say(RECORD, name, "")
        self.drop(*tabs)

    def close(self) -> None:
        try:
            the_store().close(self.word)
            self.over = CLOSED
        except Left as problem:
            self.over = str(problem)
        except Unavailable as problem:
            self.trouble = str(problem)


def switch(label: str, key: str, on: bool, change: Callable[[str], None]) -> None:
    """Draw a switch of the class, which another screen may have moved."""
    st.session_state[key] = on
    st.toggle(label, key=key, on_change=lambda: change("1" if st.session_state[key] else ""))


def base_address() -> str:
    return urljoin(st.context.url or "", ".")
