"""The steps of a lesson as one picture: a node for each, and wires that show what is computed from what."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import streamlit as st
from markupsafe import Markup

from pages.look.colours import PAPER
from pages.look.html import inline
from pages.look.modules import assets
from pages.look.style import THUMBNAILS

HTML = (
    '<nav class="whole" aria-label="Where this lesson stands"></nav>'
    '<nav class="flow" aria-label="Steps of this lesson"><svg aria-hidden="true"></svg></nav>'
)
FLOW = st.components.v2.component(
    "attention_flow", **assets(Path(__file__).with_suffix(".js"), HTML, f":host{{--paper:{PAPER.css}}}{THUMBNAILS}")
)


class Flow(NamedTuple):
    """Where the steps stand: columns of names from left to right, and wires from one name to another.

    The picture of a step may have parts, each with a letter, and a wire may name one of them: "projections/Q". Groups
    stand apart, each under its label: steps for which the lesson needs nothing else. `kinds` says of a step that its
    picture is of "bars" or a "line"; all others are maps. A picture that is not shown is drawn as its kind.
    """

    columns: tuple[tuple[str, ...], ...] = ()
    wires: tuple[tuple[str, str], ...] = ()
    groups: tuple[tuple[str, tuple[tuple[str, ...], ...]], ...] = ()
    kinds: Mapping[str, str] = MappingProxyType({})
    parts: Mapping[str, tuple[str, ...]] = MappingProxyType({})

    def of(self, names: Sequence[str]) -> "Flow":
        """Return the flow of the steps that a lesson has; those without a place follow as a chain."""
        columns = present(self.columns, names)
        groups = [(label, present(inside, names)) for label, inside in self.groups]
        wires = [wire for wire in self.wires if all(end.partition("/")[0] in names for end in wire)]
        placed = {
            name for inside in (columns, *(inside for _, inside in groups)) for column in inside for name in column
        }
        for name in names:
            if name not in placed:
                wires += [(columns[-1][-1], name)] if columns else []
                columns.append((name,))
        kept = tuple((label, tuple(inside)) for label, inside in groups if inside)
        return self._replace(columns=tuple(columns), wires=tuple(wires), groups=kept)


def present(columns: Sequence[Sequence[str]], names: Sequence[str]) -> list[tuple[str, ...]]:
    """Return columns without the steps that a lesson does not have."""
    kept = [tuple(name for name in column if name in names) for column in columns]
    return [column for column in kept if column]


CHAIN = Flow()  # each step after the one before it


def ghost(path: str) -> Markup:
    return Markup('<svg class="ghost" viewBox="0 0 46 46"><path d="{}"/></svg>').format(path)


GHOSTS = {  # what stands for a picture of a kind, with no numbers in it
    "map": ghost("M4 4h38v38h-38zM16.7 4v38M29.3 4v38M4 16.7h38M4 29.3h38"),
    "bars": ghost("M4 42h38M8 42v-14h6v14M20 42v-28h6v28M32 42v-20h6v20"),
    "line": ghost("M4 4v38h38M9 28c8 -18,14 -12,17 -4s8 8,14 -8"),
}


class Node(NamedTuple):
    """A step in the picture: its label, and its thumbnail, which is empty while it is not shown."""

    name: str
    label: str
    picture: Markup


def packed(picture: Markup) -> str:
    """Return a picture whose cells are joined: one tag has the classes of all. The browser takes them apart."""
    return str(picture).replace('"></i><i class="', " ")


def in_parts(pictures: Mapping[str, Markup]) -> Markup:
    """Return small pictures under each other as one, each with its letter."""
    part = Markup('<span data-part="{0}">{1}<i>{0}</i></span>')
    parts = Markup("").join(part.format(letter, picture) for letter, picture in pictures.items())
    return Markup('<span class="parts">{}</span>').format(parts)


def draw_flow(
    nodes: Sequence[Node], flow: Flow, current: str, locked: bool, go: Callable[[str], None], key: str, above: Markup
) -> str | None:
    """Draw the flow under the picture `above`; a click on a step, or Enter, calls `go` with its name.

    Return the name of the lesson on which a click has fallen above.
    """
    names = [node.name for node in nodes]
    columns, wires, groups, kinds, parts = flow.of(names)
    ghosts = {name: GHOSTS[kinds.get(name, "map")] for name in names}
    ghosts |= {name: in_parts(dict.fromkeys(letters, ghosts[name])) for name, letters in parts.items()}
    steps = [
        {
            "name": node.name,
            "label": inline(node.label),
            "picture": packed(node.picture or ghosts[node.name]),
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

    data = {"whole": above, "steps": steps, "columns": columns, "wires": wires, "groups": groups}
    lesson = FLOW(key=key, data=data, on_step_change=follow, on_lesson_change=lambda: None).lesson
    return lesson if isinstance(lesson, str) else None
