"""Pictures that move while a slider is dragged: nothing runs until it is released, and its value is in the link."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import streamlit as st

from pages.look.glossary import meaning
from pages.look.modules import assets
from pages.page.page import Page

HTML = '<div class="fields"></div><div class="panels"></div><div class="status" role="status" aria-live="polite"></div>'
HERE, KINDS = Path(__file__).parent, ("bars", "clocks", "planes", "text")
PICTURES = {
    kind: st.components.v2.component(f"attention_moving_{kind}", **assets(HERE / f"{kind}.js", HTML)) for kind in KINDS
}


class Slider(NamedTuple):
    """A slider: its control, and the word of the link for each stop where it can rest."""

    name: str
    label: str
    stops: Sequence[str]  # what is read at each stop
    rests: Sequence[int]  # the stops on which it can be released
    at: int
    disabled: bool = False


class Options(NamedTuple):
    name: str
    label: str
    options: Sequence[str]
    at: int
    disabled: bool = False


def over_numbers(name: str, label: str, numbers: Sequence[float], here: float, disabled: bool = False) -> Slider:
    """Return a slider over numbers, which stands at one of them."""
    stops = [f"{number:g}" for number in numbers]
    return Slider(name, label, stops, range(len(stops)), stops.index(f"{here:g}"), disabled)


def draw_moving(
    kind: str, page: Page, name: str, picture: dict[str, Any], sliders: Sequence[Slider], choice: Options | None = None
) -> None:
    """Draw a picture of a kind with its sliders, and set their controls where one was released."""
    key = f"{page.name}_{name}_picture"

    def state(control: Slider | Options) -> dict[str, Any]:
        """Return a control, and what the link of a teacher does to it."""
        controls = page.controls
        return control._asdict() | {
            "disabled": control.disabled or control.name in controls.locked,
            "hidden": control.name in controls.hidden,
            "meaning": meaning(control.label),
        }

    def moved() -> None:
        known = page.controls.known
        words = values_of(st.session_state[key].moved, sliders, choice)
        read = {name: known[name].state or type(known[name].default) for name in words}
        page.controls.put(**{name: read[name](word) for name, word in words.items()})

    data = picture | {
        "sliders": [state(slider) | {"rests": list(slider.rests)} for slider in sliders],
        "choice": choice and state(choice),
    }
    PICTURES[kind](key=key, data=data, on_moved_change=moved)


def values_of(event: Any, sliders: Sequence[Slider], choice: Options | None = None) -> dict[str, str]:
    """Return the controls that a message of the browser sets; what is not on offer is not set."""
    event = event if isinstance(event, dict) else {}
    offers = {slider.name: [slider.stops[i] for i in slider.rests] for slider in sliders}
    if choice:
        offers[choice.name] = list(choice.options)
    return {name: event[name] for name, words in offers.items() if event.get(name) in words}
