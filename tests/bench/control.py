"""The numbers that a student can change on a page."""

from typing import NamedTuple

from streamlit.proto.NumberInput_pb2 import NumberInput
from streamlit.proto.Slider_pb2 import Slider
from streamlit.proto.WidgetStates_pb2 import WidgetState

ENDLESS = 1000  # the values tried of a number field without bounds


class Control(NamedTuple):
    """A number that a student can change: a number field, or a slider with one handle."""

    id: str
    kind: str
    in_link: bool
    low: float
    high: float
    step: float
    start: float

    @property
    def key(self) -> str:
        """The name that the page gave it."""
        return key_of(self.id)

    def after(self, value: float) -> float:
        """Return the next legal value; after the highest comes the lowest."""
        following = value + self.step
        return following if following <= self.high + self.step / 1000 else self.low

    def state(self, value: float) -> WidgetState:
        """Return what the browser sends of it."""
        state = WidgetState(id=self.id)
        if self.kind == "slider":
            state.double_array_value.data.append(value)
        elif self.kind == "whole number":
            state.int_value = round(value)
        else:
            state.double_value = value
        return state


def key_of(id: str) -> str:
    """Return the name that the page gave to what the server calls by this one."""
    return id.split("-", maxsplit=2)[-1]


def control_of(element: NumberInput | Slider, kind: str) -> Control | None:
    """Return a number field or a slider as a control, or None if a student cannot change one number with it."""
    if element.disabled or element.form_id or element.ignore_rerun:
        return None
    start = element.value if element.set_value else element.default
    if kind == "number_input":
        low = element.min if element.has_min else start
        high = element.max if element.has_max else low + ENDLESS * element.step
        kind = "whole number" if element.data_type == NumberInput.INT else "number"
    else:
        of_numbers = element.type != Slider.SELECT_SLIDER and element.data_type in (Slider.INT, Slider.FLOAT)
        if not of_numbers or len(start) != 1:
            return None
        start, low, high = start[0], element.min, element.max
    return Control(element.id, kind, bool(element.query_param_key), low, high, element.step, start)
