"""The steps of a lesson, found by their modules."""

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]


@cache
def steps_of(lesson: str) -> tuple[str, ...]:
    """Return the words by which a link calls the steps of a lesson: the names of their modules, in no order."""
    folder = ROOT / "pages" / lesson
    modules = {path.stem: path for path in folder.glob("[!_]*.py")}
    packages = {path.parent.name: path for path in folder.glob("*/__init__.py")}
    return tuple(name for name, path in sorted((modules | packages).items()) if says_step(path))


def says_step(path: Path) -> bool:
    """Tell whether a module says that it is a step."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    names = [target for node in body if isinstance(node, ast.Assign) for target in node.targets]
    return any(isinstance(name, ast.Name) and name.id == "STEP" for name in names)
