"""Pairs of a position's vector as the hands of clocks, which turn while the position is dragged."""

from collections.abc import Sequence
from typing import NamedTuple

from attention_core.arrays import Array
from pages.page.moving import Slider, component, draw_moving
from pages.page.page import Page

CLOCKS = component("moving_clocks", "moving_arrows", "moving_clocks")


class Clock(NamedTuple):
    """One pair: its hand (P, 2) at each position that the sliders reach, across and up."""

    title: str
    pair: int
    rows: Array


def moving_clocks(page: Page, clocks: Sequence[Clock], start: int, sliders: tuple[Slider, Slider]) -> None:
    """Draw clocks with a hand for position t and one for t + k. The sliders are "here" (t) and "steps" (k).

    Rows begin at position `start`.
    """
    picture = {
        "from": start,
        "clocks": [clock._asdict() | {"rows": clock.rows.round(6).tolist()} for clock in clocks],
    }
    draw_moving(CLOCKS, page, "clocks", picture, sliders)
