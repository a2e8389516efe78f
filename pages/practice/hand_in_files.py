"""What is in the files that somebody hands in: read in a process of its own, which sends back little."""

import io
import json
import zipfile
from collections import Counter
from collections.abc import Callable, Collection
from functools import partial
from typing import Any

from attention_core.arrays import Array

KIND = "hand-in of Attention, from scratch"
PARTS = {"programs": str, "points": int, "answers": str, "seeds": str}
LARGEST, MOST = 500_000, 1000  # bytes of a file, and files of an archive
INFLATED = 20_000_000  # bytes of all files of an archive
LONGEST, PROGRAM = 200, 8001  # characters of a name, its last ones, and of a program: longer ones are refused
SEEDS = 10  # of a file
Contents = dict[str, dict[str, Any]]  # by the names of PARTS
Opener = Callable[[], bytes]

brought: list[tuple[str, Opener]] = []  # the files that are read now
inflated = Counter[str]()  # their bytes so far


def begin(name: str, data: Array) -> list[str]:
    """Take in a file or an archive; return the names of its hand-ins."""
    brought[:] = files_in(name, data.tobytes())
    inflated.clear()
    return [file for file, _ in brought]


def claimed(number: int, programs: Collection[str], points: Collection[str]) -> str | tuple[Any, ...]:
    """Return what a hand-in says: programs and points of known names, answers and seeds; or what is wrong with it."""
    name, opened = brought[number]
    try:
        if inflated.total() > INFLATED:
            raise ValueError(f"The archive takes more than {INFLATED // 10**6} MB, so this file was not read.")
        inflated[name] += LARGEST  # also if it turns out to be damaged, which takes as long
        data = opened()
        inflated[name] += len(data) - LARGEST
        work = work_in(data)
    except ValueError as refused:
        return str(refused)
    counted = Counter(outcome[:30] for outcome in work["answers"].values())
    return (
        {each: work["programs"][each][:PROGRAM] for each in programs if each in work["programs"]},
        {each: max(-1, min(work["points"][each], 10**6)) for each in points if each in work["points"]},
        ", ".join(f"{n} {outcome}" for outcome, n in counted.most_common(3)),
        [f"{page[:30]}={seed[:30]}" for page, seed in [*work["seeds"].items()][:SEEDS]],
    )


def work_in(data: bytes) -> Contents:
    """Return what a file says, or raise ValueError with what is wrong with it."""
    if len(data) > LARGEST:
        raise ValueError(f"The file is larger than {LARGEST // 1000} KB.")
    try:
        found = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError, MemoryError):
        raise ValueError("The file is not JSON. Take the hand-in as it was downloaded.") from None
    if not isinstance(found, dict) or found.get("kind") != KIND:
        raise ValueError("The file is not a hand-in of this course.")
    for name, kind in PARTS.items():
        part = found.get(name)
        if not isinstance(part, dict) or not all(type(value) is kind for value in part.values()):
            raise ValueError(f"Its part “{name}” is damaged.")
    return {name: found[name] for name in PARTS}


def files_in(name: str, data: bytes) -> list[tuple[str, Opener]]:
    """Return a file, or those of an archive, each with what reads no more of it than a hand-in may have."""
    if not name.lower().endswith(".zip"):
        return [(name[-LONGEST:], lambda: data)]
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        entries = [one for one in archive.infolist() if not (one.is_dir() or one.filename.startswith("__MACOSX/"))]
        if len(entries) > MOST or not entries:
            raise ValueError(f"The archive may have 1 to {MOST} files, but has {len(entries)}.")
    except Exception as problem:  # a damaged archive raises more than zipfile says, and more with each version
        return [(name[-LONGEST:], partial(refuse, f"The archive cannot be read: {said_by(problem)}"))]
    return [(entry.filename[-LONGEST:], partial(entry_of, archive, entry)) for entry in entries]


def entry_of(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    try:
        with archive.open(entry) as file:
            return file.read(LARGEST + 1)
    except Exception as problem:
        raise ValueError(f"The file cannot be read: {said_by(problem)}") from problem


def refuse(problem: str) -> bytes:
    raise ValueError(problem)


def said_by(problem: Exception) -> str:
    return str(problem)[:LONGEST] or type(problem).__name__
