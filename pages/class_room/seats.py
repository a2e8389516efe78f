"""The seats of a class that is kept for a term: how far each is, under a number that belongs to no name."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from pages.class_room.ballot import Ballot
from pages.class_room.room import hashed, read
from pages.links.course import LESSONS
from pages.page.ask import AT_ONCE, OUTCOMES
from pages.reproduce.files import csv_of

HEAD = ("seat", "votes", *(lesson.title for lesson in LESSONS), "right at once", "tasks and programs")


def written(did: Mapping[str, Any]) -> str:
    """Return what a student did as the class keeps it: outcomes by their numbers, as a text there is short."""
    return json.dumps([{place: OUTCOMES.index(one) for place, one in did["answered"].items()}, did["solved"]])


def done_in(text: str | None) -> tuple[dict[str, str], dict[str, int]]:
    """Return what is in order of a text, which a tab may have forged."""
    match read(text):
        case [dict(answered), dict(solved)]:
            known = {at: OUTCOMES[i] for at, i in answered.items() if type(i) is int and i in range(len(OUTCOMES))}
            return known, {name: points for name, points in solved.items() if type(points) is int}
    return {}, {}


def as_table(kept: Mapping[str, str], ballots: Iterable[Ballot]) -> bytes:
    """Return a line for each seat: its votes, how far it is in each lesson, and what else it solved."""
    votes, rows = Counter(tab for ballot in ballots for sent in ballot.votes for tab in sent), list[list[str]]()
    for tab in kept.keys() | votes.keys():
        answered, solved = done_in(kept.get(tab))
        found = [[answered.get(f"{lesson.name}_{name}") for name in lesson.questions] for lesson in LESSONS]
        ends = [f"{sum(map(bool, outcomes))} of {len(outcomes)}" for outcomes in found]
        at_once = sum(outcomes.count(AT_ONCE) for outcomes in found)
        rows.append([hashed(tab)[:6], str(votes[tab]), *ends, str(at_once), str(len(solved))])
    return csv_of(HEAD, sorted(rows)).encode("utf-8-sig")
