"""The memory of trained models: what sessions hold, how much may be kept, and what is dropped first."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Protocol

from attention_core.arrays import Array
from pages.tiny_lm.train.job import Job

MOST_KEPT = 64 << 20  # bytes of all models that open pages hold: of runs that rest or have ended, and from files


class Holder(Protocol):
    """A run, or a student's own model: something in a session that holds models."""

    owner: str
    since: float

    def arrays(self) -> list[Array]:
        """Return what it holds."""

    def drop(self) -> None:
        """Let go of the models."""


def bytes_of(holders: Iterable[Holder]) -> int:
    """Return the bytes of all models of some holders; a model that two of them hold counts once."""
    return sum({id(array): array.nbytes for holder in holders for array in holder.arrays()}.values())


def evict(holders: Iterable[Holder], present: Callable[[str], bool]) -> None:
    """Drop models until the others take at most MOST_KEPT: of closed tabs first, then of the tab with most bytes."""
    tabs = defaultdict[str, list[Holder]](list)
    for holder in holders:
        if not isinstance(holder, Job) or holder.ended or holder.state == "paused":
            tabs[holder.owner].append(holder)
    left = sorted(
        tabs.values(),
        key=lambda tab: (present(tab[0].owner), -bytes_of(tab), min(holder.since for holder in tab)),
    )
    while left and bytes_of(holder for tab in left for holder in tab) > MOST_KEPT:
        for holder in left.pop(0):
            if isinstance(holder, Job) and not holder.ended:
                holder.state = "stopped"
                holder.release()
            holder.drop()
