"""A computation in stages: a strip of thumbnails to jump along, Back and Next to walk."""

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from pages.shared.frame import Page


class Stage(NamedTuple):
    """One stage: its word in the link, the label under its thumbnail, what it claims and what it says."""

    name: str
    label: str
    claim: str
    text: str


def strip(page: Page, stages: Sequence[Stage], thumbnails: Sequence[str], current: Stage, narrowest: int = 64) -> None:
    """Draw the stages side by side; the current one has a border. Longer labels want a larger `narrowest` width."""
    grid = st.grid(len(stages), min_column_width=narrowest, gap="xsmall", key=f"{page.name}_strip")
    for stage, thumbnail in zip(stages, thumbnails, strict=True):
        with grid.cell():
            st.html(f'<div class="course stage">{thumbnail}</div>')
            here = stage is current
            st.button(
                f"**{stage.label}**" if here else stage.label,
                key=f"{page.name}_to_{stage.name}",
                type="secondary" if here else "tertiary",
                width="stretch",
                disabled="step" in page.controls.locked,
                on_click=page.controls.put,
                kwargs={"step": stage.name},
            )


def walk(page: Page, stages: Sequence[Stage], current: Stage) -> None:
    """Draw Back and Next, which Shift with an arrow key presses too."""
    place = stages.index(current)
    fixed = "step" in page.controls.locked
    with st.container(horizontal=True, width="content", vertical_alignment="bottom", key=f"{page.name}_walk"):
        for label, icon, side, to, shortcut in (
            ("Back", ":material/arrow_back:", "left", place - 1, "Shift+Left"),
            ("Next", ":material/arrow_forward:", "right", place + 1, "Shift+Right"),
        ):
            inside = 0 <= to < len(stages)
            st.button(
                label,
                key=f"{page.name}_{label.lower()}",
                icon=icon,
                icon_position=side,
                type="tertiary" if label == "Back" else "secondary",
                shortcut=shortcut,
                disabled=fixed or not inside,
                on_click=page.controls.put,
                kwargs={"step": stages[to].name if inside else current.name},
            )
