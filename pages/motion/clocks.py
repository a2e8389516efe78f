"""Pairs of a vector as the hands of clocks, which rotate while a position is dragged."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from pages.motion.sliders import Options, Slider, draw_moving
from pages.page.page import Page


class Hand(NamedTuple):
    """A hand: where it points at position 0, across and up, and the sliders whose sum is its position."""

    label: str
    role: str
    start: tuple[float, float]
    at: Sequence[str]
    since: Sequence[str] | None = ()  # the same for the position where its arc begins; None: it has no arc
    only: int | None = None  # the option of the choice under which it rotates


class Clock(NamedTuple):
    """A pair: the angle of one step, in radians, and its hands."""

    title: str
    pair: int
    turn: float
    hands: Sequence[Hand]


def moving_clocks(
    page: Page,
    clocks: Sequence[Clock],
    limit: float,
    sliders: Sequence[Slider],
    score: dict[str, Any] | None = None,
    choice: Options | None = None,
) -> None:
    """Draw clocks with hands up to a length `limit`.

    With a score they are pairs of q and k, whose products are drawn as bars above their sum: {"width": that of q,
    "shift": the slider that moves both, if there is one, "bars": whether they are drawn}.
    """
    parts = [clock._asdict() | {"hands": [hand._asdict() for hand in clock.hands]} for clock in clocks]
    picture = {"clocks": parts, "limit": limit, "score": score}
    draw_moving("clocks", page, "rope" if score else "clocks", picture, sliders, choice)
