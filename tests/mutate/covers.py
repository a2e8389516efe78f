"""Which tests cover a module: those of its name first, then those that import it, then those of its room."""

import ast
import re
from functools import cache
from pathlib import PurePath

from tests.mutate.mutants import ROOT

EVERY = (
    "answers/",
    "sentences/",
    *(f"app/test_{name}" for name in ("rounding", "every_step", "now", "explained", "every_chart", "experiments")),
)
SAMPLE = "scaling"  # the lesson whose steps are asked about what all have
RECORD = "tests/test_record.py"  # a case for each module
VIEWS = "tests/app/test_rounding.py"  # and for each step
MESSAGES = "tests/core/test_bad_input.py"  # of the core
MOST = 8  # modules that use another whose tests are asked too


@cache
def imports(path: str) -> frozenset[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse((ROOT / path).read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return frozenset(found)


@cache
def files(folder: str, pattern: str) -> tuple[str, ...]:
    return tuple(sorted(str(path.relative_to(ROOT)) for path in (ROOT / folder).rglob(pattern)))


def words_of(path: str) -> list[str]:
    """Return the room of a module and its own name; of a lesson, lesson and step."""
    folders = PurePath(path).with_suffix("").parts[1:]
    names = [name for name in folders if name not in ("__init__", "memory", "lessons")]
    return [names[0].lstrip("0123456789_"), *names[1:]] if names else [PurePath(path).stem]


def is_lesson(word: str) -> bool:
    return (ROOT / "pages" / word / "scene.py").is_file()


def is_step(words: list[str]) -> bool:
    """Return whether a module belongs to one step of a lesson, as those that are shared do not."""
    places = [ROOT / "pages" / words[0] / f"{words[1]}{end}" for end in (".py", "/__init__.py") if len(words) > 1]
    return any(place.is_file() and b"\nSTEP = " in place.read_bytes() for place in places)


def covering(path: str) -> list[str]:
    """Return the files of tests that cover a module, the nearest first."""
    words, module = words_of(path), re.sub(r"(/__init__)?\.\w+$", "", path).replace("/", ".")
    tests = [test for test in files("tests", "test_*.py") if not test.startswith("tests/browser/")]
    core = path.startswith("attention_core/")
    of_room = f"tests/core/{words[0]}/" if core else f"tests/app/{words[0]}/"
    parted = (core or is_lesson(words[0])) and (ROOT / of_room).is_dir() and len(words) > 1
    near = [test for test in tests if test.startswith(of_room)] if parted else tests
    named = [test for word in words[:0:-1] or words for test in near if PurePath(test).stem.startswith(f"test_{word}")]
    using = [test for test in tests if module in imports(test)]
    users = [words_of(user) for user in files("pages", "*.py") if module in imports(user)][:MOST]
    beside = [test for user in users for test in tests if test.endswith(f"{user[0]}/test_{user[-1]}.py")]
    every = [test for test in tests if test.startswith(tuple(f"tests/{one}" for one in EVERY))]
    room = [test for test in tests if test.startswith((of_room, f"tests/{words[0]}/")) or f"/test_{words[0]}" in test]
    if is_step(words) or (named and len(words) > 2 and core):
        room = [test for test in room if test.endswith("test_lesson.py")]
    first = [f"tests/exercises/test_{name}.py" for name in ("tasks", "honest", "diagnosis") if "/lessons/" in path]
    views = [VIEWS] * (is_lesson(words[0]) or path.startswith("pages/exercises/"))
    last = [MESSAGES, *[VIEWS] * ("/experiments/" in path)] if core else [VIEWS, *every]
    nearest = [*views, *first, *named, *using, *(() if is_lesson(words[0]) else room)]
    return list(dict.fromkeys([RECORD, *nearest, *last, *room, *beside]))


def concerns(path: str, item: str) -> bool:
    """Return whether a case of a test of all lessons is about a module."""
    file, _, case = item.partition("::")
    if file == RECORD:
        return path[:50] in case  # as a long name is shortened
    if not file.startswith(tuple(f"tests/{one}" for one in EVERY)) or "[" not in case:
        return True
    words = words_of(path)
    if file == VIEWS and not is_lesson(words[0]):
        return not path.startswith("pages/exercises/") or "where_no_step" in case
    if not is_lesson(words[0]):
        return SAMPLE in case or ("/lessons/" in path and "task" in case)
    if names := re.findall(r"now_\w+", case.partition("[")[2]):  # questions of the end of a path
        source = (ROOT / path).read_text(encoding="utf-8")
        return any(name in source or name.removeprefix("now_") in words for name in names)
    return words[0] in case and (not is_step(words) or words[1] in case)
