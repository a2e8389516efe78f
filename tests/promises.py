"""The table of promises: `python -m tests.promises` writes into it the tests that hold each promise.

A test says what it holds by a mark: `@pytest.mark.promise("page 3")`.
"""

import ast
import re
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
DOCUMENT = ROOT / ".github" / "docs" / "promises.md"
ROW = re.compile(r"^\| ([a-z_]+ \d+) \| (.+?) \| (.+?) \|(?:(.*)\|)?$")


class Promise(NamedTuple):
    """A row of the table: the name by which tests say that they hold it, what is promised, and where it is seen."""

    name: str
    text: str
    where: str
    held_by: str


def promises(text: str) -> list[Promise]:
    rows = [ROW.match(line) for line in text.splitlines()]
    return [Promise(row[1], row[2], row[3], (row[4] or "").strip()) for row in rows if row]


def holders() -> dict[str, list[str]]:
    """Return the tests that hold each promise, as pytest names them."""
    found = defaultdict(list)
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef):
                for name in marks(node):
                    found[name].append(f"{path.relative_to(ROOT).as_posix()}::{node.name}")
    return found


def marks(test: ast.FunctionDef) -> list[str]:
    """Return the promises that a test says it holds."""
    calls = [mark for mark in test.decorator_list if isinstance(mark, ast.Call)]
    calls = [call for call in calls if ast.unparse(call.func) == "pytest.mark.promise"]
    return [ast.literal_eval(argument) for call in calls for argument in call.args]


def written(text: str) -> str:
    """Return the document with the tests that hold each promise."""
    tests = holders()

    def line(text: str) -> str:
        row = ROW.match(text)
        return (
            f"| {row[1]} | {row[2]} | {row[3]} | {' '.join(f'`{test}`' for test in tests[row[1]])} |" if row else text
        )

    return "\n".join(map(line, text.splitlines())) + "\n"


if __name__ == "__main__":
    DOCUMENT.write_text(written(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")
