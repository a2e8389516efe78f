"""A reader that grades stories: it follows any text by the plots and finds where it contradicts itself."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from attention_core.text.stories import Form, Slot, form_of, plots
from attention_core.text.story_words import PARTNERS, cast_of

Known = dict[str, frozenset[str]]  # by role: who or what can still have it


class Fault(NamedTuple):
    """The first contradiction of a story, and the index in the text at which it stands.

    The kind is that of a word that contradicts an earlier one (see FACT_KINDS, or "thing" for others), "order" for a
    sentence at the wrong time, "sentence" for no sentence of the plots, or "end" for no end.
    """

    kind: str
    at: int


def read(text: str) -> Fault | None:
    """Return the first contradiction of a story, or None if one cast explains it all.

    Every plot and every cast that agrees so far is followed. The fault is that of the reading that gets furthest.
    """
    ends: dict[int, Fault] = {}
    if any(_follow(plot, text, ends) for plot in plots()):
        return None
    last = max(ends)
    if ends[last].kind == "sentence" and any(form.pattern.match(text, last) for form in all_forms()):
        return Fault("order", last)
    return ends[last]


def _follow(plot: str, text: str, ends: dict[int, Fault]) -> bool:
    """Return True if the plot explains the text; otherwise note the fault at which each reading ends."""
    parts = plots()[plot]
    cast = {role: frozenset(values) for role, values in cast_of(plot).items()}
    readings: list[tuple[int, int, Known]] = [(0, 0, cast)]  # index in the text, number of the part, what is known
    while readings:
        at, start, known = readings.pop()
        for number in range(start, len(parts)):
            for sentence in filter(None, parts[number]):
                form = form_of(sentence)
                found = form.pattern.match(text, at)
                after = found and agree(form, found, known)
                if isinstance(after, Fault):
                    ends[at] = max(ends.get(at, after), after, key=lambda fault: (fault.at, fault.kind != "sentence"))
                elif found and after is not None:
                    readings.append((found.end(), number + 1, after))
            if "" not in parts[number]:
                break
        else:
            if at == len(text):
                return True
        ends.setdefault(at, Fault("end" if at == len(text) else "sentence", at))
    return False


def agree(form: Form, found: re.Match[str], known: Known) -> Known | Fault:
    """Return what is known after a sentence, or its first word that contradicts what was known before."""
    known = dict(known)
    for number, slot in enumerate((part for part in form.parts if isinstance(part, Slot)), 1):
        if not slot.role:
            continue
        possible = frozenset(value for value in known[slot.role] if slot.words[value] == found[number])
        if not possible or possible == known.get(PARTNERS.get(slot.role, "")):
            return Fault(slot.kind, found.start(number))
        known[slot.role] = possible
    return known


@lru_cache(maxsize=1)
def all_forms() -> tuple[Form, ...]:
    """Return the forms of all plots."""
    return tuple(form_of(sentence) for parts in plots().values() for part in parts for sentence in filter(None, part))
