"""Points, and a line of text with which a student shows them to a teacher.

The checksum finds slips and casual changes. It is no proof, because anyone who can run this file can make such a line.
A teacher who must be sure asks for the program too. With the seed in the line it runs on the same tests again.
"""

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from attention_core.text.characters import beginning
from pages.exercises.catalogue import POINTS

HEAD, PART = "Attention, from scratch", " · "
LONGEST_NAME, NOBODY = 60, "no name"
HINT, SOLUTION = 0.1, 0.8  # the fractions that they cost
SOLVED = re.compile(r"([a-z_]+) (\d{1,3}) \(seed (\d{1,12})\)", re.ASCII)


class Solved(NamedTuple):
    """What was solved: the id of an exercise or a task, the points that are left, the seed of the tests (0: a task)."""

    exercise: str
    points: int
    seed: int


class Claim(NamedTuple):
    """What a line says; `problem` is empty if the line is whole."""

    name: str
    solved: tuple[Solved, ...]
    points: int
    problem: str


def earned(full: int, hints: int, solution: bool) -> int:
    """Return the points for an exercise: each hint costs 10 %, the solution leaves 20 %; never less than 1."""
    left = 1 - (SOLUTION if solution else HINT * hints)
    return max(1, int(full * left + 1e-9))


def line_for_teacher(name: str, solved: Sequence[Solved]) -> str:
    """Return the line: who, which exercises for how many points with which seeds, the sum, and a checksum."""
    parts = [HEAD, plain_name(name)]
    parts += [f"{exercise} {points} (seed {seed})" for exercise, points, seed in sorted(solved)]
    parts += [f"{sum(one.points for one in solved)} points"]
    return PART.join([*parts, f"check {checksum(parts)}"])


def read_line(line: str) -> Claim:
    """Return what a line says, and what is wrong with it if anything is."""
    parts = " ".join(line.split()).split(PART)
    if len(parts) < 4 or parts[0] != HEAD:
        return Claim("", (), 0, "This line is not from this course, or part of it is missing.")
    name, *middle = parts[1:-2]
    found = [SOLVED.fullmatch(part) for part in middle]
    solved = tuple(Solved(match[1], int(match[2]), int(match[3])) for match in found if match)
    points = sum(one.points for one in solved)
    if len(solved) < len(middle) or parts[-2] != f"{points} points":
        problem = "The points do not add up, or part of the line cannot be read."
    elif parts[-1] != f"check {checksum(parts[:-1])}":
        problem = "The line was changed after the course made it."
    elif not possible(solved):
        problem = "This version of the course does not give these points."
    else:
        problem = ""
    return Claim(name, solved, points, problem)


def possible(solved: Sequence[Solved]) -> bool:
    """Tell whether there are such exercises, each once, for at least as many points."""
    names = [one.exercise for one in solved]
    known = all(one.exercise in POINTS and 1 <= one.points <= POINTS[one.exercise] for one in solved)
    return known and len(set(names)) == len(names)


def plain_name(name: str) -> str:
    """Return a name without anything that could be taken for another part of the line."""
    shown = "".join(" " if unicodedata.category(character)[0] in "CZ" else character for character in name)
    return beginning(" ".join(shown.replace("·", " ").split()), LONGEST_NAME).strip() or NOBODY


def checksum(parts: Sequence[str]) -> str:
    """Return eight letters and digits that depend on every letter of the parts."""
    digest = hashlib.sha256(PART.join(parts).encode("utf-8")).hexdigest()
    return f"{digest[:4]}-{digest[4:8]}"
