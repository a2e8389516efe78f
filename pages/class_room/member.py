"""A tab that belongs to a class: what it knows of it, and what it has still to say."""

import re
import secrets
import threading
from contextlib import suppress
from typing import Any

import streamlit as st
from markupsafe import Markup

from pages.class_room import room
from pages.class_room.ballot import Ballot
from pages.class_room.room import ASK, NOW, OWN, REVEALED, USED, Poll, hashed, say_here, the_store
from pages.class_room.store import Closed, Enough, Unavailable
from pages.look.html import caption
from pages.page.ask import fingerprint
from pages.questions.kinds import BY_TEACHER, Question
from pages.teaching.own import Open

VOTE = re.compile(r"vote:(?P<turn>[12]):(?P<place>[a-z_0-9]{1,80})")  # a shelf for votes
MOST, LONG = 300, 300  # votes that a browser keeps, and characters of one
SIGN = 14.0  # seconds between two signs that a tab is here
PATIENCE = 12  # looks of the server in which a busy browser has said which tab it is
GONE = "This class is over: it was closed, or a day has passed, or a newer class needed its place."
KEPT_LONGER = (
    "Kept on this course’s server until the class is closed, at most for 14 days after your teacher’s last visit: what "
    "you send and how far you are. It stands under a random number of your browser, which your hand-ins have too: no "
    "names, and “Leave and delete” deletes all of it at once."
)
KEPT = "Kept until the class is closed, for a day at most: what you send, under a random number. No names."
Said = tuple[str, str]  # a shelf and a name on it


class Member:
    """A tab in a class."""

    is_teacher = False

    def __init__(self, word: str, tab: str = "", key: str = "") -> None:
        self.word, self.key = word, key
        self.tab = tab or secrets.token_urlsafe(12)
        self.votes: dict[str, str] = {}  # its last one on each shelf
        self.unsent: dict[Said, str] = {}
        self.now: dict[str, str] = {}  # what the teacher said last
        self.over = ""  # why the class has ended
        self.trouble = ""  # why something could not be sent
        self.looks, self.ticks, self.seen = 0, 0, 0.0  # of itself, of the server for it, and when it gave a sign last
        self.is_late = False  # whether its page has not run since there was news
        self.lock = threading.Lock()  # of what is not sent yet
        self.news = False  # whether the browser has to be told of a vote
        self.is_known = False  # whether its browser has said that it is this tab: until then it may be another one
        self.part = ""  # of the slide in view, where an earlier one asks the same: its votes are its own

    def asked(self, place: str) -> Poll | None:
        """Return how a question stands, if the teacher came to it."""
        return Poll.of(self.now.get(ASK + place))

    @property
    def is_laid_aside(self) -> bool:
        """Whether the class meets again, so that its teacher comes in by the own link, and by no browser alone."""
        return self.is_teacher and bool(self.now.get(room.KEPT))

    @property
    def polls(self) -> dict[str, Poll]:
        """The questions to which the teacher came, by their places."""
        places = [name.removeprefix(ASK) for name in self.now if name.startswith(ASK)]
        return {place: asked for place in places if (asked := self.asked(place))}

    @property
    def own_polls(self) -> dict[str, Poll]:
        """Those of the slide in view, by their places on its page."""
        polls = {place: asked for place, asked in self.polls.items() if ("__" in place) == bool(self.part)}
        return {at.removesuffix(self.part): asked for at, asked in polls.items() if at.endswith(self.part)}

    def own_questions(self, word: str) -> tuple[str, str]:
        """Return what the class calls the questions that the teacher wrote, of which a link has the name, and them."""
        name = word if OWN + word in self.now else hashed(self.key + word)[:12] if self.key else ""
        return "_".join(filter(None, (BY_TEACHER, name))), self.now.get(OWN + word, word)

    def ask_for_text(self, page: Any, question: Open) -> None:
        note(caption(question.text), "ask")

    def say(self, shelf: str, name: str, text: str) -> None:
        """Place a text on a shelf, now or as soon as the store can be had."""
        with self.lock:
            self.unsent[shelf, name] = text
        self.send()

    def send(self) -> None:
        self.trouble = ""
        try:
            with self.lock:
                for (shelf, name), text in list(self.unsent.items()):
                    if not self.is_asked(shelf):
                        continue
                    try:
                        the_store().put(self.word, shelf, name, text)
                    except Enough as problem:
                        self.trouble = str(problem)
                        self.votes.pop(shelf, None)
                    del self.unsent[shelf, name]
        except Closed:
            self.over = self.over or GONE
        except Unavailable as problem:
            self.trouble = str(problem)

    def is_asked(self, shelf: str) -> bool:
        """Return whether a text can be sent: a vote waits until the teacher asks its question."""
        vote = VOTE.fullmatch(shelf)
        asked = self.asked(vote["place"]) if vote else None
        return not vote or (asked is not None and int(vote["turn"]) <= asked.turn)

    @property
    def waits(self) -> bool:
        return any(self.is_asked(shelf) for shelf, _ in self.unsent) or abs(the_store().clock() - self.seen) > SIGN

    def look(self) -> bool:
        """Hear what the teacher says, send what waits and give a sign; return whether there is news."""
        before = self.now, self.over, self.trouble
        try:
            store = the_store()
            self.now = store.read(self.word, NOW) | {name: text for (s, name), text in self.unsent.items() if s == NOW}
            self.send()
            self.looks += 1
            if self.looks > 1 and (self.is_teacher or self.is_known or self.ticks > PATIENCE) and self.waits:
                if self.is_teacher:  # who is not counted, but the class is in use
                    store.put(self.word, USED, "", "")
                else:
                    say_here(store, self.word, self.tab)
                self.seen = store.clock()
        except Closed:
            self.over = self.over or GONE  # who closed it or left knows why
        except Unavailable as problem:
            self.trouble = str(problem)
        return before != (self.now, self.over, self.trouble)

    @property
    def what_is_kept(self) -> str:
        return KEPT_LONGER if self.now.get(room.KEPT) else KEPT

    def absent(self) -> None:
        with suppress(Closed, Unavailable):
            say_here(the_store(), self.word, self.tab, here=False)

    def drop(self, *tabs: str) -> None:
        self.trouble = ""
        try:
            for tab in tabs:
                the_store().drop(self.word, tab)
        except Unavailable as problem:
            self.trouble = str(problem)

    def leave(self) -> None:
        self.absent()
        self.over = "You left the class."  # and give no more signs

    def packed(self) -> list[Any]:
        """Return what the browser keeps, so that a reload loses nothing."""
        return [self.word, self.tab, self.key, dict([one for one in self.votes.items() if one[1]][-MOST:])]

    def unpack(self, votes: object) -> None:
        """Take back votes that the browser kept, and send them again: the server may not have had them."""
        found = votes if isinstance(votes, dict) else {}
        for shelf, vote in list(found.items())[:MOST]:
            if VOTE.fullmatch(shelf) and isinstance(vote, str) and len(vote) <= LONG:
                self.votes[shelf] = self.unsent[shelf, self.tab] = vote

    def show_answers(self, place: str, question: Question) -> None:
        asked = self.asked(place := place + self.part)
        if not asked or asked.stage != REVEALED or asked.mark != fingerprint(question):
            return
        with suppress(Closed, Unavailable):
            Ballot.of(the_store(), self.word, place, asked, question).draw(revealed=True)


def forget() -> None:
    """Let this tab be in no class, also when it is loaded again."""
    st.session_state.pop("class_room", None)
    st.session_state["given"].pop("class", None)
    st.query_params.pop("class", None)


def note(text: str, look: str = "note") -> None:
    st.html(Markup('<div class="course {}">{}</div>').format(look, text))
