"""What a script takes along: every function that it calls, and all that they need."""

import ast
import inspect
from importlib import import_module
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest

from attention_core.equations.softmax import softmax
from pages.heads.matrices import random_scene
from pages.reproduce import script as module
from pages.reproduce.recipe import Recipe
from pages.reproduce.script import READING_ORDER, script, sources
from tests.app.reproduce.recipes import FUTURE, undefined

BESIDE_FILES = (  # they read a text or a model that lies beside them
    *("text.corpora", "text.story_words", "text.stories", "text.story_exercises", "shipped.plans"),
    *("shipped.models", "shipped.files", "experiments.multi_head.english_heads"),
    *("experiments.multi_head.english_predictions", "experiments.language.held_out"),
    *("experiments.positions.probes", "experiments.multi_head.retrained", "experiments.language.story_probes"),
    *("experiments.positions.beyond", "experiments.language.smaller_caches"),
)


@pytest.mark.parametrize("name", [name for name in READING_ORDER if name not in BESIDE_FILES])
def test_every_module_of_the_core_can_be_taken_along(name):
    home = f"attention_core.{name}"
    own = [value for value in vars(import_module(home)).values() if getattr(value, "__module__", None) == home]
    found = [value for value in own if inspect.isfunction(value) or inspect.isclass(value)]
    functions = [value for value in found if value.__name__ != "__annotate__"]  # which Python 3.14 adds to a module
    imports, definitions = sources(functions)
    code = FUTURE + "\n".join([*imports.values(), *dict.fromkeys(definitions.values())])
    assert undefined(code) == set()
    exec(compile(code, "script", "exec", dont_inherit=True), {})


def is_left_out_on_purpose(node):
    """Tell whether a statement is a docstring, or a condition that no script needs."""
    if isinstance(node, ast.If):
        return ast.unparse(node.test) in ("TYPE_CHECKING", "__name__ == '__main__'")
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


@pytest.mark.parametrize("name", READING_ORDER)
def test_the_core_is_written_so_that_nothing_is_left_behind(name):
    for node in ast.parse(inspect.getsource(import_module(f"attention_core.{name}"))).body:
        line = ast.unparse(node)
        if isinstance(node, ast.Import | ast.ImportFrom):
            if "attention_core" in line:
                assert node.module.removeprefix("attention_core.") in READING_ORDER, line
                assert not any(alias.asname for alias in node.names), line
        elif isinstance(node, ast.Assign):
            parts = [part for target in node.targets for part in ast.walk(target)]
            assert not any(isinstance(part, ast.Attribute | ast.Subscript) for part in parts), line
        elif not isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AnnAssign):
            assert is_left_out_on_purpose(node), line


@pytest.fixture
def invent(monkeypatch):
    """Return a function that puts modules of a given text in the place of the core."""

    def put(**texts):
        modules = {f"attention_core.{name}": text for name, text in texts.items()}
        monkeypatch.setattr(module, "outline", module.outline.__wrapped__)
        monkeypatch.setattr(module, "import_module", lambda name: name)
        monkeypatch.setattr(module, "inspect", SimpleNamespace(getsource=modules.__getitem__))
        monkeypatch.setattr(module, "READING_ORDER", list(texts))

    return put


def function(place):
    """Return what looks like a function of an invented module."""
    name, _, own = place.partition(".")
    return SimpleNamespace(__module__=f"attention_core.{name}", __qualname__=own)


FIRST = '''"""A module."""
from functools import lru_cache
import math
import numpy as np
from numpy.typing import NDArray

LOW, HIGH = 3, 5  # why
UNUSED = math.pi


class Base:
    """A base."""


@lru_cache(
    maxsize=HIGH
)
def cached(x: NDArray) -> NDArray:
    # a comment
    return LOW * np.ones(x)  # another
'''
SECOND = """from __future__ import annotations
from attention_core.first import Base, cached

class Derived(Base):
    size: int = 2
    def call(self): return top(self)

def top(x): return cached(2)
"""


def test_decorators_base_classes_and_constants_come_along_in_reading_order(invent):
    invent(first=FIRST, second=SECOND)
    imports, definitions = sources([function("second.Derived")])
    assert imports == {"lru_cache": "from functools import lru_cache", "np": "import numpy as np"}
    assert sorted(list(definitions)[:2]) == ["HIGH", "LOW"]
    assert list(definitions)[2:] == ["Base", "cached", "Derived", "top"]
    assert definitions["LOW"] == definitions["HIGH"] == "LOW, HIGH = 3, 5  # why"
    assert definitions["cached"] == FIRST[FIRST.index("@lru_cache") :].rstrip()
    assert definitions["Derived"].startswith("class Derived(Base):\n    size: int = 2\n")


@pytest.mark.parametrize(
    "second",
    [
        "from attention_core.first import LOW as other\nLOW = 4\ndef g(): return f() + LOW",
        "from sys import LOW\ndef g(): return f() + LOW",
    ],
)
def test_one_name_for_two_things_is_refused(invent, second):
    first = "LOW = 3\ndef f(): return LOW"
    invent(first=first, second="from attention_core.first import f\n" + second)
    with pytest.raises(ValueError, match=r"^names must differ in a script, got LOW twice"):
        sources([function("second.g")])


def test_one_name_for_two_imports_is_refused(invent):
    texts = {"first": "from math import pi\ndef f(): return pi", "second": "from cmath import pi\ndef g(): return pi"}
    invent(**texts)
    with pytest.raises(ValueError, match=r"^names must differ in a script, got pi twice"):
        sources([function("first.f"), function("second.g")])


def test_the_same_line_in_two_modules_stands_once(invent):
    invent(first="A = 1\ndef f(): return A", second="A = 1\ndef g(): return A")
    assert sources([function("first.f"), function("second.g")])[1]["A"] == "A = 1"


@pytest.mark.parametrize(
    "called", [np.dot, lambda x: x, np.random.default_rng(0).normal, random_scene, SimpleNamespace, NamedTuple]
)
def test_only_functions_of_the_core_can_be_taken_along(called):
    with pytest.raises(ValueError, match=r"^functions must stand at the top level of a module of attention_core, got"):
        sources([SimpleNamespace(__module__=str(called.__module__), __qualname__=called.__qualname__)])


@pytest.mark.parametrize("name", ["softmax", "np", "show", "exponentials", "HIGH"])
def test_a_step_must_not_take_the_name_of_what_a_script_defines(name):
    recipe = Recipe()
    recipe.run(name, softmax, [1.0])
    with pytest.raises(ValueError, match=f"^steps must not be named like what a script defines, got {name}$"):
        script(recipe, "title", "link")
