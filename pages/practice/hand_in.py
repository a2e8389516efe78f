"""Hand-ins: the one file that a student hands in, and the table that a teacher gets of many.

`python -m pages.practice.hand_in FOLDER` prints the table of a folder and its archives. Programs run again in the
sandbox; points for tasks and answers, and the use of hints, are what the file says.
"""

import json
import sys
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pages.exercises.catalogue import EXERCISES, POINTS
from pages.exercises.grading.report import NO_VERDICT, Report
from pages.exercises.submission import run
from pages.practice.hand_in_files import KIND, Contents, begin, claimed, said_by
from pages.reproduce.files import csv_of
from pages.server.brought import reader
from pages.server.messages import Gone

LISTED, ENDED = 20, 5  # files with one seed that a row lists; files of an archive that may end their reader
FULL = sum(POINTS.values())
HEAD = ("file", "points", "problem", "same seed as", "programs that pass", "programs that do not", "answers")
MOODLE = ("Identifier", "Full name", "Grade", "Maximum Grade", "Last modified (grade)", "Feedback comments")
CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Attention, from scratch")
IN_MOODLE = "_assignsubmission_file"  # in the names that it gives to files, after a student and a number


class Claim(NamedTuple):
    programs: dict[str, str]
    points: dict[str, int]
    answers: str
    seeds: frozenset[str]

    @classmethod
    def of(cls, message: Any) -> "Claim | str":
        """Return what its reader has sent, or what is wrong with the hand-in; raise ValueError if it sent neither."""
        match message:
            case str():
                return message[:300]
            case [dict(programs), dict(points), str(answers), list(seeds)] if (
                all(name in EXERCISES and isinstance(text, str) for name, text in programs.items())
                and all(name in POINTS and type(number) is int for name, number in points.items())
                and all(isinstance(seed, str) for seed in seeds)
            ):
                return cls(programs, points, answers, frozenset(seeds))
        raise ValueError("the message is not a hand-in")


Found = tuple[str, Claim | str]  # a file, and what it says or why that cannot be had


class Row(NamedTuple):
    file: str
    problem: str
    points: int | None = None  # of a file that could be read
    passed: Sequence[str] = ()
    failed: Sequence[str] = ()  # each with what is wrong
    answers: str = ""
    seeds: frozenset[str] = frozenset()
    same: Sequence[str] = ()  # files with the same seed

    @property
    def cells(self) -> list[str]:
        points = "" if self.points is None else str(self.points)
        lists = map("; ".join, (self.same, self.passed, self.failed))
        cells = [self.file, points, self.problem, *lists, self.answers]
        return [cell.encode(errors="replace").decode() for cell in cells]  # halves of characters are in no table


def written(work: Contents) -> str:
    return json.dumps({"kind": KIND, **work}, indent=1)


def read(name: str, data: bytes, wait: Callable[[int], None] = lambda ahead: None) -> Generator[Found, None, None]:
    """Yield the hand-ins of a file, read elsewhere. One that ends its reader has a row like one that is damaged."""
    done, ended, names = 0, 0, [name]
    while done < len(names):
        try:
            with reader(wait) as apart:
                names = apart.call(begin, name, np.frombuffer(data, np.uint8))
                while done < len(names):
                    claim = Claim.of(apart.call(claimed, done, [*EXERCISES], [*POINTS]))
                    done += 1
                    yield names[done - 1], claim
        except (Gone, RuntimeError, ValueError):
            yield names[done], "The file cannot be read: it takes too much memory or time, or is no hand-in."
            done, ended = done + 1, ended + 1
        if ended == ENDED and done < len(names):
            yield name, f"Other files, which were not read: {len(names) - done}."
            return


def check(file: str, claim: Claim | str, run: Callable[[str, str], Report] = run) -> Row:
    """Return what is found in one file. Its programs run again."""
    if isinstance(claim, str):
        return Row(file, claim)
    claimed = {name: min(max(points, 0), POINTS[name]) for name, points in claim.points.items()}
    points = sum(number for name, number in claimed.items() if name not in EXERCISES)
    passed, failed, problem = [], [], ""
    for name, program in claim.programs.items():
        report = run(program, name)
        if report.status == "passed":
            passed.append(name)
            points += claimed.get(name) or POINTS[name]
        elif report.status in NO_VERDICT:
            problem = "Not all programs could run here. Check this file again."
        else:
            failed.append(f"{name}: {report.message}")
    if lost := sorted(name for name in claimed.keys() & EXERCISES.keys() if name not in passed):
        problem = problem or f"The file claims points for what does not pass: {', '.join(lost)}."
    return Row(file, problem, points, sorted(passed), sorted(failed), claim.answers, claim.seeds)


def with_same_seeds(rows: Sequence[Row]) -> list[Row]:
    """Return the rows, each with the files that have a seed of its own too."""
    having = defaultdict[str, list[Row]](list)
    for row in rows:
        for seed in row.seeds:
            having[seed].append(row)
    same = ([one.file for seed in sorted(row.seeds) for one in having[seed][:LISTED] if one is not row] for row in rows)
    return [row._replace(same=[*dict.fromkeys(files)]) for row, files in zip(rows, same, strict=True)]


def table_of(rows: Iterable[Row]) -> str:
    return csv_of(HEAD, [row.cells for row in rows])


def for_moodle(rows: Iterable[Row]) -> str:
    """Return the points as the grading worksheet of an assignment, for the files that Moodle has named."""
    cells = []
    for row in rows:
        begins, mark, _ = row.file.partition(IN_MOODLE)
        student, _, number = begins.rpartition("/")[2].rpartition("_")
        if mark and number.isdecimal() and row.points is not None:
            problems = " ".join(filter(None, (row.problem, "; ".join(row.failed))))
            cells.append((f"Participant {number}", student, row.points, FULL, "-", problems))
    return csv_of(MOODLE, cells)


def for_canvas(rows: Iterable[Row]) -> str:
    """Return the points as an import of the gradebook, for the files that Canvas has named."""
    cells: list[tuple[Any, ...]] = [("    Points Possible", "", "", "", "", FULL)]
    for row in rows:
        match [part for part in row.file.rpartition("/")[2].split("_") if part != "LATE"]:
            case [student, number, submission, _, *_] if (number + submission).isdecimal() and row.points is not None:
                cells.append((student, number, "", "", "", row.points))
    return csv_of(CANVAS, cells)


def files_of(folder: Path) -> Iterator[Found]:
    """Return all hand-ins in a folder, and in the archives that it contains."""
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in (".json", ".zip") and not path.is_dir():
            name = str(path.relative_to(folder))
            try:
                data = path.read_bytes()
            except OSError as problem:
                yield name, f"The file cannot be read: {said_by(problem)}."
            else:
                yield from read(name, data)


if __name__ == "__main__":
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        sys.exit("python -m pages.practice.hand_in FOLDER")
    print(table_of(with_same_seeds([check(*found) for found in files_of(Path(sys.argv[1]))])), end="")
