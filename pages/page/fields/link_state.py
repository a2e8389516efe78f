"""What the link of a page says: every value that changes the view, and what a teacher locks or hides."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import streamlit as st
from streamlit.errors import StreamlitAPIException

from pages.links.address import address
from pages.links.course import EVERYWHERE, HIDEABLE, NUMBERS, WALKING
from pages.look.html import indexed
from pages.look.style import hiding
from pages.teaching.lecture import on_stage

LONGEST_TEXT = 1000  # code points: a link with more of them may not fit through a server or a mail


class Control(NamedTuple):
    """A control as it was drawn or set last: its key in the link, its label, its default and its value."""

    key: str
    label: str
    default: Any  # None while a button or a chart has set it and no step has drawn it
    value: Any
    state: Callable[[Any], Any] | None  # makes the value as a bound widget holds it; None without such a widget
    start: Any = None  # the value that the link of this visit gave it, if it gave one
    was_reset: bool = False  # when it is drawn next it takes its default, which may depend on what else was reset

    @property
    def origin(self) -> Any:
        """The value to which a reset returns."""
        return self.default if self.start is None else self.start


class LinkState:
    """The controls of a page. The name of a control is its query parameter without the page's prefix.

    For a visit last `given`, the query of the link with which it began, one for all pages, and `known`, each control of
    this page that was drawn or set so far. All else is of one run: what was drawn (`made`), what was asked for
    (`read`), and what the link says that the page does not take (`refused`), does not show (`hidden`) or does not let
    its visitors change (`fixed` by the link alone, `locked` with what is hidden).
    """

    def __init__(self, page: str, words: Sequence[str] = ()) -> None:
        self.page, self.names = page, frozenset(" ".join((EVERYWHERE, *words)).split())
        self.given: dict[str, str] = st.session_state.setdefault("given", st.query_params.to_dict())
        self.known: dict[str, Control] = st.session_state.setdefault(f"_{page}_known", {})
        self.made: dict[str, Control] = {}
        self.read: set[str] = set()
        self.refused: dict[str, str] = {}
        self.hidden = self.names_in("hide", self.names.union(HIDEABLE))
        self.fixed = self.names_in("lock", self.names | {NUMBERS})
        self.locked = self.hidden if on_stage() else self.fixed | self.hidden  # a lecturer can change everything
        if NUMBERS in self.locked:
            self.locked |= self.names - WALKING

    def leave_out(self, *names: str) -> None:
        """Hide controls that would change nothing in this view; they keep their values."""
        st.html(f"<style>{hiding(self.page, frozenset(names))}</style>")

    def last(self, name: str, default: Any, legal: Callable[[str], bool] = lambda raw: False) -> Any:
        """Return the last value of a control that this step does not draw; at first, what the link says if it may."""
        self.read.add(name)
        if name in self.known:
            return self.known[name].value
        raw = st.query_params.get(self.key(name), "")
        return raw if legal(raw) else default

    def key(self, name: str) -> str:
        return f"{self.page}_{name}"

    def hold(self, name: str, label: str, default: Any, value: Any, state: Callable[[Any], Any] | None = None) -> Any:
        """Note what a control is in this run; return its value."""
        key, before = self.key(name), self.known.get(name)
        start = before.start if before else value if key in self.given else None
        self.made[name] = self.known[name] = Control(key, indexed(label), default, value, state, start)
        return value

    def from_link(self, name: str, legal: Callable[[str], bool]) -> str | None:
        """Return a control's value in the link; an illegal one is registered as refused."""
        self.read.add(name)
        key = self.key(name)
        raw = st.query_params.get(key)
        if raw is not None and not legal(raw) and (name in self.known or st.session_state.get(f"_{self.page}_steps")):
            self.write(key, None)  # another step drew it, with other values
        elif raw is not None and not legal(raw):
            self.refused[key] = raw
        return raw

    def put(self, **values: Any) -> None:
        """Set controls from a button or a chart, drawn or not. Locked controls keep their value."""
        for name, value in values.items():
            if name in self.locked:
                continue
            control = self.known.get(name, Control(self.key(name), name, None, None, type(value)))
            if control.state:
                st.session_state[control.key] = control.state(value)
            self.write(control.key, None if value == control.default else query_word(value))
            self.known[name] = control._replace(value=value, was_reset=False)

    def write(self, key: str, word: str | None) -> None:
        """Set or remove a query parameter. Streamlit refuses where a widget is bound to it, and then sets it itself."""
        with suppress(StreamlitAPIException):
            if word is None:
                st.query_params.pop(key, None)
            else:
                st.query_params[key] = word

    def reset(self) -> None:
        """Set every control but the step back to where the visit began; where it is already, to its default."""
        others = {name: control for name, control in self.known.items() if name != "step"}
        here = {"step": self.known["step"].value} if "step" in self.known else {}
        moved = any(control.value != control.origin for control in others.values())
        starts = {name: control.start for name, control in others.items() if control.start is not None}
        self.clear(**(starts if moved else {}), **here)

    def clear(self, **values: Any) -> None:
        """Set every control that is not locked to the value given, or to its default. What is asked stays."""
        self.forget()
        usual = {name: control.default for name, control in self.known.items() if name not in ("ask", "quiz")}
        self.put(**usual | values)
        for name in usual.keys() - values.keys() - self.locked:
            self.known[name] = self.known[name]._replace(was_reset=self.known[name].state is not None)

    def forget(self) -> None:
        """Drop the controls that were put and never drawn."""
        for name in [name for name, control in self.known.items() if control.default is None]:
            key = self.known.pop(name).key
            st.session_state.pop(key, None)
            self.write(key, None)

    def changed(self) -> dict[str, str]:
        """Return the query of a link: the controls that are not at their defaults, those of other steps too."""
        waiting = {key: value for key, value in st.query_params.items() if self.waits(key, value)}
        moved = [one for one in (self.known | self.made).values() if one.value != one.default]
        return waiting | {control.key: query_word(control.value) for control in moved}

    def waits(self, key: str, value: str) -> bool:
        """Return whether a query parameter belongs to a control that was not drawn yet."""
        name = key.removeprefix(f"{self.page}_")
        waiting = key != name and name in self.names and name not in self.known
        return waiting and len(key) + len(value) <= LONGEST_TEXT

    def names_in(self, word: str, names: frozenset[str]) -> frozenset[str]:
        """Return the control names in a dot-separated query parameter; names unknown to the page are refused."""
        listed = st.query_params.get(self.key(word), "").split(".")
        if unknown := [name for name in listed if name and name not in names]:
            self.refused[self.key(word)] = ".".join(unknown)
        return names.intersection(listed)

    def query(self, locks: Sequence[str] = (), hides: Sequence[str] = (), **marks: str) -> dict[str, str]:
        """Return the query of a link to this view, with what is locked and hidden."""
        hidden, locked = self.hidden.union(hides), self.fixed.union(locks)
        locked -= self.names - WALKING if NUMBERS in locked else frozenset()
        lists = {"lock": locked - hidden, "hide": hidden}
        said_too = marks | {word: ".".join(sorted(names)) for word, names in lists.items() if names}
        return self.changed() | {self.key(word): value for word, value in said_too.items()}

    def keep_link(self) -> None:
        """Keep what a link to this page says, for the links on other pages, and in the address."""
        st.session_state.setdefault("links", {})[self.page] = self.query()
        for name, control in self.known.items():
            if name not in self.made and control.value != control.default:  # this step does not draw it
                self.write(control.key, query_word(control.value))

    def link(self, locks: Sequence[str] = (), hides: Sequence[str] = (), **marks: str) -> str:
        """Return the address of this view, with some controls locked, some hidden and some marks of the page set."""
        return address(st.context.url or "", self.query(locks, hides, **marks))


def query_word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
