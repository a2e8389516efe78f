"""The controls of a page: every value that changes the view is in the link, clamped, and can be locked by a teacher."""

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, TypeVar

import streamlit as st
from streamlit.errors import StreamlitAPIException

from attention_core.text.characters import beginning
from pages.links.address import address
from pages.links.course import EVERYWHERE, HIDEABLE, NUMBERS, WALKING
from pages.look.html import indexed
from pages.look.style import hiding
from pages.teaching.lecture import on_stage

LONGEST_TEXT = 1000  # code points: a link with more of them may not fit through a server or a mail
# The browser refuses what is longer, and halves of characters, which no message to the server can carry.
FITS = (rf"^\P{{Cs}}{{0,{LONGEST_TEXT}}}$", f"At most {LONGEST_TEXT:,} whole characters fit here.")


Word = TypeVar("Word", bound=str)


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


class Controls:
    """The controls of a page. The name of a control is its query parameter without the page's prefix.

    A page is run anew for each click. What a visit knows lasts: `given`, the query of the link with which it began, is
    one for all pages, and `known` has each control of this page that was drawn or set so far, also by other steps.
    All else is of this run: what was drawn (`made`), what was asked for (`read`), and what the link says that the page
    does not take (`refused`), does not show (`hidden`) or does not let its visitors change (`fixed` by the link alone,
    `locked` with what is hidden).
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

    def integer(self, name: str, label: str, low: int, high: int, default: int, **options: Any) -> int:
        """Return the integer in a number field.

        The widget is one for floats: an endless number in a link ("1e309") makes one for ints raise instead of falling
        back to its default.
        """
        usual = float(default)
        bounds = (float(low), float(high), usual, 1.0)
        options |= {"format": "%.0f", "legal": between(low, high)}
        value = self.draw(st.number_input, name, usual, label, *bounds, **options)
        return self.hold(name, label, default, min(max(math.floor(value + 0.5), low), high), float)

    def slider(
        self, name: str, label: str, low: float, high: float, default: float, step: float, **options: Any
    ) -> Any:
        """Return the value of a slider. Its numbers are all ints or all floats."""
        legal = between(low, high)
        value = self.draw(st.slider, name, default, label, low, high, default, step, legal=legal, **options)
        return self.hold(name, label, default, on_step(value, low, high, step), type(default))

    def choice(self, name: str, label: str, choices: Sequence[Word], default: Word, **options: Any) -> Word:
        """Return the chosen word of a segmented control."""
        if any(indexed(str(word)) != word for word in choices):
            return self.labelled(name, label, choices, default)
        options = {"default": default, "required": True, **options}
        value = self.draw(st.segmented_control, name, default, label, choices, legal=choices.__contains__, **options)
        return self.hold(name, label, default, value if value in choices else default, str)

    def labelled(self, name: str, label: str, choices: Sequence[Word], default: Word) -> Word:
        """Return a choice whose link says √d_k where its label says √dₖ: a bound control would write the label."""
        value: Any = self.mark(name, label, default, choices.__contains__)
        key = f"_{self.key(name)}_label"
        st.session_state[key] = value
        options: dict[str, Any] = {"format_func": indexed, "required": True, "disabled": name in self.locked}
        with st.container(key=self.key(name)):
            options["on_change"] = lambda: self.put(**{name: st.session_state[key]})
            st.segmented_control(label, choices, key=key, **options)
        return value

    def select(self, name: str, label: str, choices: Sequence[Word], default: Word, **options: Any) -> Word:
        index = choices.index(default)
        value = self.draw(st.selectbox, name, default, label, choices, index, legal=choices.__contains__, **options)
        return self.hold(name, label, default, value if value in choices else default, str)

    def pick(self, name: str, label: str, names: Sequence[str], usual: int = 0, width: int = 150) -> int:
        """Return the place of the chosen one of a list of names; `usual` is a place too, or beyond the last."""
        return names.index(self.select(name, label, names, names[min(usual, len(names) - 1)], width=width))

    def picked(self, name: str, names: Sequence[str], usual: int = 0) -> int:
        """Return the place of the chosen name before its list is drawn."""
        chosen = st.session_state.get(self.key(name)) or self.last(name, "", names.__contains__)
        return names.index(chosen) if chosen in names else min(usual, len(names) - 1)

    def dial(self, name: str, label: str, choices: Sequence[Word], default: Word, **options: Any) -> Word:
        """Return the chosen word of a slider over words."""
        options["legal"] = choices.__contains__
        value = self.draw(st.select_slider, name, default, label, choices, default, **options)
        return self.hold(name, label, default, value if value in choices else default, str)

    def switch(self, name: str, label: str, **options: Any) -> bool:
        """Return whether a switch is on. Its default is off."""
        value = self.draw(st.toggle, name, False, label, legal=lambda raw: raw.lower() in ("true", "false"), **options)
        return self.hold(name, label, False, bool(value), bool)

    def text(self, name: str, label: str, default: str, **options: Any) -> str:
        options |= {"validate": FITS, "legal": lambda raw: True}
        value = self.draw(st.text_input, name, default, label, default, **options)
        return self.hold(name, label, default, beginning(value or "", LONGEST_TEXT), str)

    def passage(self, name: str, label: str, default: str, **options: Any) -> tuple[str, str]:
        """Return a text of several lines, as much of it as a link can carry, and in words what was left out."""
        typed = self.draw(st.text_area, name, default, label, default, legal=lambda raw: True, **options) or ""
        kept = self.hold(name, label, default, beginning(typed, LONGEST_TEXT), str)
        left_out = f"Only the first {len(kept):,} of {len(typed):,} characters are read: a link cannot carry more."
        return kept, left_out if kept != typed else ""

    def place(self, name: str, label: str, choices: Sequence[str], default: str) -> str:
        """Return a choice that the page's own buttons set by `put`."""
        return self.mark(name, label, default, choices.__contains__)

    def number(self, name: str, label: str, low: float, high: float, default: float, step: float) -> Any:
        """Return a number that a picture of ours sets by `put`. Its numbers are all ints or all floats."""
        legal = between(low, high)
        raw = self.from_link(name, legal)
        value = float(raw) if raw is not None and legal(raw) else default
        return self.hold(name, label, default, on_step(value, low, high, step))

    def mark(self, name: str, label: str, default: str, legal: Callable[[str], bool]) -> str:
        """Return a short text that the page's own buttons or charts set by `put`, such as which cells are painted."""
        raw = self.from_link(name, legal)
        return self.hold(name, label, default, raw if raw is not None and legal(raw) else default)

    def last(self, name: str, default: Any, legal: Callable[[str], bool] = lambda raw: False) -> Any:
        """Return the last value of a control that this step does not draw; at first, what the link says if it may."""
        self.read.add(name)
        if name in self.known:
            return self.known[name].value
        raw = st.query_params.get(self.key(name), "")
        return raw if legal(raw) else default

    def key(self, name: str) -> str:
        """Return a control's query parameter."""
        return f"{self.page}_{name}"

    def draw(
        self,
        widget: Callable[..., Any],
        name: str,
        usual: Any,
        *arguments: Any,
        legal: Callable[[str], bool],
        **options: Any,
    ) -> Any:
        """Draw a widget whose value is in the link; one that was reset takes what is usual now."""
        key = self.key(name)
        if self.from_link(name, legal) is None and name in self.known and self.known[name].was_reset:
            st.session_state[key] = usual
        options["disabled"] = options.get("disabled", False) or name in self.locked
        return widget(indexed(arguments[0]), *arguments[1:], key=key, bind="query-params", **options)

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
        if raw is not None and not legal(raw) and name not in self.known:  # what was drawn before is not the link’s
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
        usual = {name: control.default for name, control in self.known.items() if name != "ask"}
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


def between(low: float, high: float) -> Callable[[str], bool]:
    """Return a test of whether a word is a number between two others."""

    def legal(raw: str) -> bool:
        try:
            value = float(raw)
        except ValueError:
            return False
        return math.isfinite(value) and low <= value <= high

    return legal


def on_step(value: float, low: float, high: float, step: float) -> Any:
    """Return the nearest of the numbers from low to high, as int or float like the step."""
    steps = round((min(max(value, low), high) - low) / step)
    return type(step)(round(low + steps * step, 9))


def query_word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
