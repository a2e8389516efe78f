"""Hand-ins: the one file that a student hands in, and the table that a teacher gets of many.

`python -m pages.practice.hand_in FOLDER` prints the table of a folder, of which archives are opened too. Programs run
again in the sandbox; points for tasks and answers, and the use of hints, are what the file says.
"""

import io
import json
import sys
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pages.exercises.catalogue import EXERCISES, POINTS
from pages.exercises.grading.report import NO_VERDICT, Report
from pages.exercises.submission import run
from pages.links.course import LESSONS
from pages.reproduce.files import csv_of

KIND = "hand-in of Attention, from scratch"
PARTS = {"programs": str, "points": int, "answers": str, "seeds": str}
LARGEST, MOST = 500_000, 1000  # bytes of a file, and files of an archive
ENTRY = b"PK\1\2"  # begins each entry in the directory of an archive
LONGEST, LISTED = 200, 20  # characters of a name, its last ones, and files with one seed that a row lists
FULL = sum(POINTS.values())
HEAD = ("file", "points", "problem", "same seed as", "programs that pass", "programs that do not", "answers")
MOODLE = ("Identifier", "Full name", "Grade", "Maximum Grade", "Last modified (grade)", "Feedback comments")
CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Attention, from scratch")
IN_MOODLE = "_assignsubmission_file"  # in the names that it gives to files, after a student and a number
Contents = dict[str, dict[str, Any]]  # by the names of PARTS
Found = tuple[str, bytes | str]  # a file and what is in it, or why that cannot be had


class Row(NamedTuple):
    """What is found in one file."""

    file: str
    problem: str
    points: int | None = None  # of a file that could be read
    passed: Sequence[str] = ()
    failed: Sequence[str] = ()  # each with what is wrong
    answers: str = ""
    seeds: frozenset[tuple[str, str]] = frozenset()
    same: Sequence[str] = ()  # files with the same seed

    @property
    def cells(self) -> list[str]:
        points = "" if self.points is None else str(self.points)
        lists = map("; ".join, (self.same, self.passed, self.failed))
        cells = [self.file, points, self.problem, *lists, self.answers]
        return [cell.encode(errors="replace").decode() for cell in cells]  # halves of characters are in no table


def written(work: Contents) -> str:
    """Return the file that a student hands in."""
    return json.dumps({"kind": KIND, **work}, indent=1)


def work_in(data: bytes) -> Contents:
    """Return what a file says, or raise ValueError with what is wrong with it."""
    if len(data) > LARGEST:
        raise ValueError(f"The file is larger than {LARGEST // 1000} KB.")
    try:
        found = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError, MemoryError):
        raise ValueError("The file is not JSON. A hand-in is, as it was downloaded.") from None
    if not isinstance(found, dict) or found.get("kind") != KIND:
        raise ValueError("The file is not a hand-in of this course.")
    for name, kind in PARTS.items():
        part = found.get(name)
        if not isinstance(part, dict) or not all(type(value) is kind for value in part.values()):
            raise ValueError(f"Its part “{name}” is damaged.")
    return {name: found[name] for name in PARTS}


def files_in(name: str, data: bytes) -> Iterator[Found]:
    """Return a file, or the hand-ins of an archive, of which no more is read than a hand-in may have."""
    if not name.lower().endswith(".zip"):
        yield name, data
        return
    # counted before the directory is read, which takes seconds where it is long; its end may say another number
    if (most := data.count(ENTRY)) > 10 * MOST:  # folders count too, and archives within the archive
        yield name, f"The archive has about {most} entries. It may have {MOST} files."
        return
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = [one for one in archive.infolist() if not (one.is_dir() or one.filename.startswith("__MACOSX/"))]
            if len(entries) > MOST or not entries:
                yield name, f"The archive has {len(entries)} files. It may have 1 to {MOST}."
                return
            for entry in entries:
                try:
                    with archive.open(entry) as file:
                        found: bytes | str = file.read(LARGEST + 1)
                except Exception as problem:
                    found = f"The file cannot be read: {said_by(problem)}."
                yield entry.filename[-LONGEST:], found
    except Exception as problem:
        yield name, f"The archive cannot be read: {said_by(problem)}."


def said_by(problem: Exception) -> str:
    """Return what went wrong: a damaged archive raises more than zipfile says, and more with each version."""
    return str(problem)[:LONGEST] or type(problem).__name__


def check(file: str, data: bytes | str, run: Callable[[str, str], Report] = run) -> Row:
    """Return what is found in one file. Its programs run again."""
    if isinstance(data, str):
        return Row(file, data)
    try:
        work = work_in(data)
    except ValueError as refused:
        return Row(file, str(refused))
    claimed = {name: min(max(points, 0), POINTS[name]) for name, points in work["points"].items() if name in POINTS}
    points = sum(number for name, number in claimed.items() if name not in EXERCISES)
    passed, failed, problem = [], [], ""
    for name in EXERCISES.keys() & work["programs"].keys():
        report = run(work["programs"][name], name)
        if report.status == "passed":
            passed.append(name)
            points += claimed.get(name) or POINTS[name]
        elif report.status in NO_VERDICT:
            problem = "Not all programs could run here. Check this file again."
        else:
            failed.append(f"{name}: {report.message}")
    if lost := sorted(name for name in claimed.keys() & EXERCISES.keys() if name not in passed):
        problem = problem or f"The file claims points for {', '.join(lost)}, which does not pass."
    counted = Counter(outcome[:30] for outcome in work["answers"].values())
    answers = ", ".join(f"{n} {outcome}" for outcome, n in counted.most_common(3))
    seeds = frozenset((page[:30], seed[:30]) for page, seed in [*work["seeds"].items()][: len(LESSONS)])
    return Row(file, problem, points, sorted(passed), sorted(failed), answers, seeds)


def with_same_seeds(rows: Sequence[Row]) -> list[Row]:
    """Return the rows, each with the files that have a seed of its own too."""
    having = defaultdict[tuple[str, str], list[Row]](list)
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
                yield from files_in(name, data)


if __name__ == "__main__":
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        sys.exit("python -m pages.practice.hand_in FOLDER")
    print(table_of(with_same_seeds([check(*found) for found in files_of(Path(sys.argv[1]))])), end="")
