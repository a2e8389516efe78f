"""A step of a lesson is a module, or a folder, named as its word in the link; it knows no other step."""

import ast
import re
from importlib import import_module
from pathlib import Path

import pytest

from pages.links.course import LESSONS
from pages.page.steps import NOW
from tests.lessons import doors_of, names_of, steps_of

ROOT = Path(__file__).parents[1]
MOST_LINES = 250  # of a module; a step that needs more is a folder
MOST_LINES_OF_A_PAGE = 60
each_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)


def modules(lesson: str) -> list[Path]:
    return sorted((ROOT / "pages" / lesson).rglob("*.py"))


@each_lesson
def test_a_page_is_its_steps_and_no_more(lesson):
    assert sorted(names_of(lesson.name)) == sorted(steps_of(lesson.name))
    assert len((ROOT / lesson.file).read_text(encoding="utf-8").splitlines()) <= MOST_LINES_OF_A_PAGE


@each_lesson
def test_no_step_imports_a_step(lesson):
    found = []
    for path in modules(lesson.name):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"pages.{lesson.name}"):
                names = node.module.split(".")[2:3] or [one.name for one in node.names]
                own = path.relative_to(ROOT / "pages" / lesson.name).parts[0].removesuffix(".py")
                others = {*names} & {*steps_of(lesson.name)} - {own}
                found += [(path.name, name) for name in others]
    assert found == []


@each_lesson
def test_what_a_door_helps_with_is_a_question_of_the_path(lesson):
    helps = {name: import_module(f"pages.{lesson.name}.{name}").STEP.helps.split() for name in steps_of(lesson.name)}
    assert {name for name, questions in helps.items() if questions} <= set(doors_of(lesson.name))
    assert {question for questions in helps.values() for question in questions} <= set(lesson.questions)


@each_lesson
def test_every_module_of_a_lesson_can_be_read_in_one_sitting(lesson):
    lengths = {path.name: len(path.read_text(encoding="utf-8").splitlines()) for path in modules(lesson.name)}
    assert {name: length for name, length in lengths.items() if length > MOST_LINES} == {}


@each_lesson
def test_every_step_has_a_question_with_a_proof_or_tests_that_call_it_or_are_named_as_what_it_uses(lesson):
    tests = sorted((ROOT / "tests" / "app" / lesson.name).glob("test_*.py"))
    named = {path.stem.removeprefix("test_") for path in tests}
    calls = rf'(?:(?<="{lesson.name}", )|(?<=step\()|(?<=step, )|(?<=step=))"(\w+)"'
    called = re.findall(calls, "".join(path.read_text(encoding="utf-8") for path in tests))
    for name in set(steps_of(lesson.name)) - {*named, *called, *lesson.questions.values()}:
        if not name.startswith(NOW):  # tests of all lessons call the ends of paths
            source = (ROOT / "pages" / lesson.name / f"{name}.py").read_text(encoding="utf-8")
            assert named & set(re.findall(rf"from pages\.{lesson.name}\.(\w+) import", source)), name
