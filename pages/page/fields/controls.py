"""The controls of a page: a widget for each value, which is in the link and clamped."""

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, TypeVar

import streamlit as st

from attention_core.text.characters import beginning
from pages.look.html import indexed
from pages.page.fields.link_state import LONGEST_TEXT, LinkState

# The browser refuses what is longer, and halves of characters, which no message to the server can carry.
FITS = (rf"^\P{{Cs}}{{0,{LONGEST_TEXT}}}$", f"At most {LONGEST_TEXT:,} whole characters fit here.")

Word = TypeVar("Word", bound=str)


class Controls(LinkState):
    """The widgets that set the words of a link; each method draws one and returns its value.

    Those named `bare_…` draw none: a button or a picture of the page sets such a word by `put`.
    """

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

    def seed(self, default: int, **options: Any) -> int:
        told = "Fixes what is random here: the same seed, the same numbers. Where nothing is, it changes nothing"
        return self.integer("seed", "Seed", 0, 9999, default, help=told, **options)

    def slider(
        self, name: str, label: str, low: float, high: float, default: float, step: float, **options: Any
    ) -> Any:
        """Return the value of a slider. Its bounds, default and step are all ints or all floats."""
        legal = between(low, high)
        value = self.draw(st.slider, name, default, label, low, high, default, step, legal=legal, **options)
        return self.hold(name, label, default, on_step(value, low, high, step), type(default))

    def choice(self, name: str, label: str, choices: Sequence[Word], default: Word, **options: Any) -> Word:
        if any(indexed(str(word)) != word for word in choices):
            return self.labelled(name, label, choices, default)
        options = {"default": default, "required": True, **options}
        value = self.draw(st.segmented_control, name, default, label, choices, legal=choices.__contains__, **options)
        return self.hold(name, label, default, value if value in choices else default, str)

    def labelled(self, name: str, label: str, choices: Sequence[Word], default: Word) -> Word:
        """Return a choice whose link says √d_k where its label says √dₖ: a bound control would write the label."""
        value: Any = self.bare_text(name, label, default, choices.__contains__)
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

    def pick(self, name: str, label: str, names: Sequence[str], usual: int = 0) -> int:
        """Return the place of the chosen one of a list of names; `usual` is a place too, or beyond the last."""
        return names.index(self.select(name, label, names, names[min(usual, len(names) - 1)], width=150))

    def picked(self, name: str, names: Sequence[str], usual: int = 0) -> int:
        """Return the place of the chosen name before its list is drawn."""
        usual = min(usual, len(names) - 1)
        chosen = st.session_state.get(self.key(name)) or self.last(name, "", names.__contains__)
        follows = self.follows(name, st.query_params.get(self.key(name)), names[usual])
        return usual if follows or chosen not in names else names.index(chosen)

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

    def bare_choice(self, name: str, label: str, choices: Sequence[str], default: str) -> str:
        """Return one of a few words."""
        return self.bare_text(name, label, default, choices.__contains__)

    def bare_number(self, name: str, label: str, low: float, high: float, default: float, step: float) -> Any:
        """Return a number. Its bounds, default and step are all ints or all floats."""
        legal = between(low, high)
        raw = self.from_link(name, legal)
        value = float(raw) if raw is not None and legal(raw) else default
        return self.hold(name, label, default, on_step(value, low, high, step))

    def bare_text(self, name: str, label: str, default: str, legal: Callable[[str], bool]) -> str:
        """Return a short text, such as which cells are painted; the default, if what the link says is not `legal`."""
        raw = self.from_link(name, legal)
        return self.hold(name, label, default, raw if raw is not None and legal(raw) else default)

    def draw(
        self,
        widget: Callable[..., Any],
        name: str,
        usual: Any,
        *arguments: Any,
        legal: Callable[[str], bool],
        **options: Any,
    ) -> Any:
        """Draw a widget whose value is in the link."""
        key = self.key(name)
        if self.follows(name, self.from_link(name, legal), usual):
            st.session_state[key] = usual
        options["disabled"] = options.get("disabled", False) or name in self.locked
        return widget(indexed(arguments[0]), *arguments[1:], key=key, bind="query-params", **options)

    def follows(self, name: str, raw: str | None, usual: Any) -> bool:
        """Return whether a control takes what is usual now, as it was reset, or never set: the link does not say it."""
        one = self.known.get(name)
        return raw is None and one is not None and (one.was_reset or one.value == one.default != usual)


def between(low: float, high: float) -> Callable[[str], bool]:
    """Return a test of whether a word is a number between two others."""

    def legal(raw: str) -> bool:
        with suppress(ValueError):
            return low <= float(raw) <= high
        return False

    return legal


def on_step(value: float, low: float, high: float, step: float) -> Any:
    """Return the nearest of the numbers from low to high, as int or float like the step."""
    steps = round((min(max(value, low), high) - low) / step)
    return type(step)(round(low + steps * step, 9))
