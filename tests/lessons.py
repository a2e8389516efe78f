"""The steps of a lesson, found by their modules."""

import ast
import re
from functools import cache
from importlib import import_module
from pathlib import Path

from pages.home.sections import WORDS
from pages.links.course import EVERYWHERE, HOME

ROOT = Path(__file__).parents[1]


@cache
def steps_of(lesson: str) -> tuple[str, ...]:
    """Return the words by which a link calls the steps of a lesson: the names of their modules, in no order."""
    folder = ROOT / "pages" / lesson
    modules = {path.stem: path for path in folder.glob("[!_]*.py")}
    packages = {path.parent.name: path for path in folder.glob("*/__init__.py")}
    return tuple(name for name, path in sorted((modules | packages).items()) if says_step(path))


def path_of(lesson: str) -> list[str]:
    return named_in(lesson, r"^PATH = \((.*?)\)$")


def doors_of(lesson: str) -> list[str]:
    """Return the steps off the path of a lesson, in the order in which its page lists them."""
    return named_in(lesson, r"^DOORS = \{(.*?)\}$")[::2]


def names_of(lesson: str) -> list[str]:
    """Return all steps of a lesson in the order in which its page lists them."""
    return path_of(lesson) + doors_of(lesson)


def named_in(lesson: str, listed: str) -> list[str]:
    (page,) = ROOT.glob(f"pages/?_{lesson}.py")
    found = re.search(listed, page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return re.findall(r"\w+", found[1]) if found else []


@cache
def controls_of(page: str) -> frozenset[str]:
    if page == HOME:
        return frozenset(WORDS.split())
    modules = [import_module(f"pages.{page}.{name}") for name in steps_of(page)]
    own = [one.STEP.link_words for one in modules]
    words = " ".join([EVERYWHERE, import_module(f"pages.{page}.scene").WORDS, *own])
    return frozenset(words.split())


@cache
def experiments_of(page: str) -> frozenset[str]:
    """Return the words of a link that a lesson sets back when the step that draws them is left."""
    steps = [import_module(f"pages.{page}.{name}").STEP for name in (steps_of(page) if page != HOME else ())]
    return frozenset(f"{page}_{word}" for step in steps for word in step.experiment.split())


def says_step(path: Path) -> bool:
    body = ast.parse(path.read_text(encoding="utf-8")).body
    names = [target for node in body if isinstance(node, ast.Assign) for target in node.targets]
    return any(isinstance(name, ast.Name) and name.id == "STEP" for name in names)
