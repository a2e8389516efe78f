"""What a tab offers besides numbers: words to choose from, and the cells of a heatmap."""

from typing import Any, NamedTuple

import pyarrow as pa
from streamlit.proto.ButtonGroup_pb2 import ButtonGroup
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.Slider_pb2 import Slider
from streamlit.proto.WidgetStates_pb2 import WidgetState


class Choice(NamedTuple):
    """One of a few words: a list, buttons side by side, a switch, a slider over words."""

    id: str
    kind: str
    options: list[str]
    in_link: str  # its word there, or nothing
    form: str

    def state(self, option: str) -> WidgetState:
        """Return what the browser sends of it."""
        state = WidgetState(id=self.id)
        if self.kind in ("selectbox", "radio"):
            state.string_value = option
        elif self.kind == "checkbox":
            state.bool_value = option == "true"
        else:
            state.string_array_value.data.append(option)
        return state


def choice_of(element: Any, kind: str) -> Choice | None:
    """Return a choice among words, or None if the element is no such thing or cannot be used."""
    if element.disabled or (kind == "slider" and element.type != Slider.SELECT_SLIDER):
        return None
    if kind == "button_group" and element.style == ButtonGroup.PILLS:  # an example or an exercise: no word
        return None
    if kind == "checkbox":
        options = ["true", "false"]
    elif kind == "button_group":
        options = [option.content for option in element.options]
    else:
        options = list(element.options)
    return Choice(element.id, kind, options, element.query_param_key, element.form_id) if options else None


def said(element: Any, choice: Choice) -> str:
    """Return the word that the page itself has chosen, or nothing."""
    if choice.kind == "checkbox":
        return str(element.value).lower()
    if choice.kind in ("selectbox", "radio"):
        return element.raw_value
    return next(iter(element.raw_values if choice.kind == "button_group" else element.raw_value), "")


def cells(element: Element) -> list[dict[str, int]]:
    """Return what a click on each cell of a heatmap reports."""
    chart = element.vega_lite_chart
    data = chart.data.data or chart.datasets[0].data.data
    table = pa.ipc.open_stream(data).read_all()
    return table.select([name for name in ("i", "j", "turn") if name in table.column_names]).to_pylist()
