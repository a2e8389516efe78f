"""The steps of a lesson as one picture: a node for each, and wires that show what is computed from what."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import streamlit as st
from markupsafe import Markup

from pages.look.html import inline
from pages.look.style import COLOURS, THUMBNAILS

HTML = '<nav class="flow" aria-label="Steps of this lesson"><svg aria-hidden="true"></svg></nav>'
CSS, JS = (Path(__file__).with_suffix(ending).read_text(encoding="utf-8") for ending in (".css", ".js"))
FLOW = st.components.v2.component("attention_flow", html=HTML, css=f":host{{{COLOURS}}}{THUMBNAILS}{CSS}", js=JS)


class Flow(NamedTuple):
    """Where the steps stand: columns of names from left to right, and wires from one name to another.

    The picture of a step may have parts, each with a letter, and a wire may name one of them: "projections/Q".
    """

    columns: tuple[tuple[str, ...], ...] = ()
    wires: tuple[tuple[str, str], ...] = ()
    parts: Mapping[str, tuple[str, ...]] = {}

    def of(self, names: Sequence[str]) -> "Flow":
        """Return the flow of the steps that a lesson has; those without a place follow as a chain."""
        columns = [tuple(name for name in column if name in names) for column in self.columns]
        columns = [column for column in columns if column]
        wires = [wire for wire in self.wires if all(end.partition("/")[0] in names for end in wire)]
        placed = {name for column in columns for name in column}
        for name in names:
            if name not in placed:
                wires += [(columns[-1][-1], name)] if columns else []
                columns.append((name,))
        return Flow(tuple(columns), tuple(wires), self.parts)


GHOST = Markup('<span class="ghost"></span>')  # stands for a picture that is not shown
CHAIN = Flow()  # each step after the one before it


class Node(NamedTuple):
    """A step in the picture: its label, and its thumbnail, which is empty while it is not shown."""

    name: str
    label: str
    picture: Markup


def in_parts(pictures: Mapping[str, Markup]) -> Markup:
    """Return small pictures under each other as one, each with its letter."""
    part = Markup('<span data-part="{0}">{1}<i>{0}</i></span>')
    parts = Markup("").join(part.format(letter, picture) for letter, picture in pictures.items())
    return Markup('<span class="parts">{}</span>').format(parts)


def draw_flow(
    nodes: Sequence[Node], flow: Flow, current: str, locked: bool, go: Callable[[str], None], key: str
) -> None:
    """Draw the flow; a click on a step, or Enter, calls `go` with its name."""
    names = [node.name for node in nodes]
    columns, wires, parts = flow.of(names)
    empty = {name: in_parts(dict.fromkeys(letters, GHOST)) for name, letters in parts.items()}
    steps = [
        {
            "name": node.name,
            "label": inline(node.label),
            "picture": node.picture,
            "empty": empty.get(node.name, GHOST),
            "ghost": not node.picture,
            "current": node.name == current,
            "disabled": locked,
        }
        for node in nodes
    ]

    def follow() -> None:
        name = st.session_state[key].get("step")
        if name in names and not locked:
            go(name)

    FLOW(key=key, data={"steps": steps, "columns": columns, "wires": wires}, on_step_change=follow)
