"""What a page computed can be computed again: by a script or a notebook that knows nothing but NumPy."""

import ast
import builtins
import dis
import inspect
import json
import re
from importlib import import_module
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest

from attention_core.equations.attention import AttentionCache
from attention_core.equations.masks import additive_mask, causal_mask
from attention_core.equations.softmax import softmax
from attention_core.experiments.one_head import HeadMatrices, attend, hand_set_embedding, hand_set_head, random_head
from attention_core.experiments.perturb import one_number_changed, rotate_in_plane, softmax_at, softmax_both_ways
from attention_core.model.activations import insides
from attention_core.model.as_text import pack, unpack
from attention_core.model.config import Config
from attention_core.model.generate import decisions
from attention_core.model.parameters import init_model
from attention_core.shipped.models import model_at
from attention_core.text.corpora import source_of
from attention_core.text.word_vectors import word_vectors
from pages.page.matrices import hand_set_scene, random_scene, trained_scene
from pages.reproduce import script as module
from pages.reproduce.recipe import Recipe, literal
from pages.reproduce.script import READING_ORDER, names_needed, notebook, script, sources
from tests.app.bare import printed, run_bare

INF = float("inf")
WORDS = ["the", "cat", "the", "mat", "."]
HOSTILE = ['"', "'", '"""', "\\", "\\n", "\n", "\u202eabc", "\ud800", "{words}", "مرحبا", "👩‍👩‍👧", "#", ""]
CALLED = [random_head, word_vectors, attend, hand_set_head, hand_set_embedding, softmax_at, softmax_both_ways]
CALLED += [one_number_changed, rotate_in_plane, HeadMatrices]
FUTURE = "from __future__ import annotations\n"


class Pair(NamedTuple):
    """A result with two parts, one of which may have parts itself."""

    first: object
    second: object


def full_recipe():
    """Return a recipe with a call of every function that the first lesson needs."""
    recipe = Recipe()
    run = recipe.run
    recipe.given("words", WORDS)
    head = run("head", random_head, 7, 3, 18, 2)
    attention = run("attention", attend, run("x", word_vectors, WORDS, 7, 18), head)
    by_hand = run(
        "by_hand", attend, run("x", hand_set_embedding, WORDS, 13), run("job", hand_set_head, "same word", 13, 5)
    )
    run("cold", softmax_at, attention.scores, 0.0)
    run("warm", softmax_at, attention.scores, INF)
    run("both_ways", softmax_both_ways, by_hand.scores, row=1, times=1000.0)
    changed = run("changed", one_number_changed, head.w_q, 6, 2, -0.5)
    run("changed_head", HeadMatrices, changed, *head[1:])
    run("keys", rotate_in_plane, attention.v, 45.0)
    return recipe


def undefined(code):
    """Return the names that a script reads and nothing in it defines."""
    whole = compile(code, "script", "exec", dont_inherit=True)
    pieces, known, read = [whole], {*dir(builtins), "__name__", "__annotations__"}, set()
    for piece in pieces:
        pieces += [constant for constant in piece.co_consts if inspect.iscode(constant)]
        steps = list(dis.get_instructions(piece))
        own = {step.argval for step in steps if step.opname in ("STORE_NAME", "STORE_GLOBAL")}
        read |= {step.argval for step in steps if step.opname in ("LOAD_NAME", "LOAD_GLOBAL")} - own
        known |= own if piece is whole else set()
    return read - known


def rounded(arrays):
    """Return arrays as a script prints them: as floats."""
    return {name: np.asarray(array, dtype=float) for name, array in arrays.items()}


def assert_prints(recipe, code):
    """Require that a script prints every array of a recipe, and no other."""
    found, expected = printed(run_bare(code)), rounded(recipe.arrays())
    assert list(found) == list(expected)
    for name, array in expected.items():
        assert found[name].shape == array.shape, name
        np.testing.assert_allclose(found[name], array, atol=1e-6, err_msg=name)


# the recipe


def test_a_call_is_made_once_and_its_result_given_back():
    calls = []

    def count(*arguments, **named):
        calls.append((arguments, named))
        return result

    result, recipe = [3.0], Recipe()
    assert recipe.run("counted", count, 2, by=5) is result
    assert calls == [((2,), {"by": 5})]
    assert recipe.code == "counted = count(2, by=5)"
    assert recipe.functions == [count]


def test_a_call_whose_result_ships_is_said_and_not_made():
    def never(*_):
        raise AssertionError

    recipe = Recipe()
    x = recipe.given("x", [1.0, 2.0])
    assert recipe.found("loss", 0.5, never, x, 3) == 0.5
    assert recipe.code == "x = [1.0, 2.0]\nloss = never(x, 3)"
    assert recipe.functions == [never]
    assert recipe.arrays()["loss"] == 0.5


def test_what_is_given_comes_back_and_is_said():
    recipe = Recipe()
    assert recipe.given("words", WORDS) is WORDS
    assert recipe.code == "words = ['the', 'cat', 'the', 'mat', '.']"
    assert recipe.functions == []


def test_a_function_called_twice_is_needed_once():
    recipe = Recipe()
    recipe.run("a", softmax, [1.0])
    recipe.run("b", rotate_in_plane, [1.0, 2.0], 90.0)
    recipe.run("c", softmax, [2.0])
    assert recipe.functions == [softmax, rotate_in_plane]


def test_a_call_that_fails_is_not_remembered():
    recipe = Recipe()
    with pytest.raises(ValueError, match=r"^x must have at least 1 axes"):
        recipe.run("shares", softmax, 1.0)
    assert recipe.steps == []


def test_a_result_and_its_parts_are_said_by_name():
    recipe, array, words = Recipe(), np.ones((3, 2)), ["a"]
    recipe.given("words", words)
    recipe.given("x", array)
    result = recipe.run("result", lambda: Pair(array, Pair(np.zeros(2), words)))
    assert recipe.text(array) == "result.first"  # and no longer "x": both are right
    assert recipe.text(words) == "result.second.second"
    assert recipe.text(result) == "result"
    assert recipe.text(result.second) == "result.second"
    assert recipe.text(result.second.first) == "result.second.first"


def test_what_only_equals_a_result_is_said_as_itself():
    recipe, array = Recipe(), np.ones(2)
    recipe.given("x", array)
    recipe.given("one", 1.0)
    assert recipe.text(array) == "x"
    assert recipe.text(array.copy()) == "np.array([1.0, 1.0], np.float64)"
    assert recipe.text(1.0) == "1.0"


def test_the_latest_of_a_name_wins_and_what_it_replaced_is_said_in_full():
    recipe, old, new = Recipe(), Pair(np.zeros(2), [1]), Pair(np.ones(2), [2])
    recipe.given("other", old.second)
    recipe.run("head", lambda: old)
    assert recipe.text(old) == "head"
    assert recipe.text(old.second) == "head.second"
    recipe.run("head", lambda: new)
    assert recipe.text(new.first) == "head.first"
    assert recipe.text(old.second) == "other"  # `head.second` would be [2] by now
    assert recipe.text(old.first) == "np.array([0.0, 0.0], np.float64)"
    with pytest.raises(TypeError, match=r"^a script cannot say Pair"):
        recipe.text(old)


def test_a_name_is_not_lost_with_one_that_begins_like_it():
    recipe, array = Recipe(), np.ones(2)
    recipe.given("head_of_all", array)
    recipe.given("head", np.zeros(2))
    recipe.given("head", np.zeros(3))
    assert recipe.text(array) == "head_of_all"


def test_a_result_made_from_the_one_it_replaces_is_said_by_the_old_name():
    recipe = Recipe()
    x = recipe.given("x", [[3.0, 1.0]])
    recipe.run("x", rotate_in_plane, recipe.run("x", rotate_in_plane, x, 90.0), 90.0)
    assert recipe.code.splitlines()[1:] == ["x = rotate_in_plane(x, 90.0)"] * 2


def same(a, b):
    """Tell whether two values are the same to the last bit, the sign of zero and the type included."""
    if isinstance(a, np.ndarray):
        return (a.dtype, a.shape, a.tobytes()) == (b.dtype, b.shape, b.tobytes())
    if isinstance(a, list | tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and repr(a) == repr(b)


@pytest.mark.parametrize(
    "value",
    [
        *(None, True, False, 0, -3, 10**30, 0.1, -0.0, 1e-300, 1.7976931348623157e308, INF, -INF, float("nan")),
        *HOSTILE,
        HOSTILE,
        [1.5, -INF, [float("nan")]],
        (),
        (1,),
        (1, (INF, "a")),
        np.array([[0.1, -0.0, INF], [-INF, float("nan"), 1e-300]]),
        np.array([0.1, -INF], np.float32),
        np.array([[True, False, True]]),
        np.array([-(2**63), 2**63 - 1]),
        np.array([[3], [5]], np.uint8),
        np.array(0.1),
        np.zeros((0, 5)),
        np.zeros((3, 0, 2), np.float32),
        np.array([0.1, 0.2], ">f8").astype("<f8"),
        np.arange(12.0).reshape(3, 4).T,
        [np.array([1.0]), np.array([2])],
    ],
    ids=repr,
)
def test_a_literal_makes_the_same_value_again(value):
    text = literal(value)
    text.encode("utf-8")  # a file can hold it
    assert "\n" not in text
    assert same(eval(text, {"np": np}), value)


def test_single_numbers_of_numpy_become_plain_ones():
    values = [np.float64(0.5), np.float32(0.5), np.int64(3), np.True_, np.str_("a"), np.float64("-inf")]
    assert [literal(value) for value in values] == ["0.5", "0.5", "3", "True", "'a'", 'float("-inf")']


def test_an_array_of_the_other_byte_order_keeps_its_numbers():
    array = np.array([0.1, 0.2], ">f8")
    np.testing.assert_array_equal(eval(literal(array), {"np": np}), array)


@pytest.mark.parametrize(
    "value",
    [
        {"a": 1},
        {1},
        1j,
        b"bytes",
        object(),
        softmax,
        slice(3),
        Pair(1, 2),
        np.array([1j]),
        np.array(["a"]),
        np.array([None]),
        np.complex128(1j),
        np.longdouble(1),
        [1, {"a": 1}],
        (object(),),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_cannot_be_said_is_not_said(value):
    recipe = Recipe()
    with pytest.raises(TypeError, match=r"^a script cannot say "):
        recipe.given("value", value)
    with pytest.raises(TypeError, match=r"^a script cannot say "):
        recipe.run("value", lambda value: value, value)
    assert recipe.steps == []


@pytest.mark.parametrize(
    "config",
    [
        Config(7, 6, 3, 2, 5, d_ff=0),
        Config(7, 6, 1, 1, 5, positions="alibi", norm="post", causal=False),
        Config(7, 6, 2, 1, 5, alibi_slopes=(1.0, 0.0)),
    ],
    ids=str,
)
def test_what_is_too_long_to_be_read_is_short_in_the_page_and_whole_in_the_script(config):
    recipe, model = Recipe(), init_model(config, 3)
    assert recipe.made("model", model, unpack, lambda: pack(model)) is model
    tokens = recipe.given("tokens", np.array([3, 1, 4]))
    inside = recipe.run("inside", insides, model, tokens)
    assert recipe.code.splitlines()[0] == "model = unpack(…)"
    assert len(recipe.code) < 150
    assert recipe.functions == [unpack, insides]
    assert recipe.code.splitlines()[1:] == recipe.full_code.splitlines()[1:]
    names = {"np": np, "unpack": unpack, "insides": insides}
    exec(recipe.full_code, names)
    assert names["model"].config == config
    assert names["model"].flat.tobytes() == model.flat.tobytes()
    np.testing.assert_array_equal(names["inside"].weights, inside.weights)
    assert_prints(recipe, script(recipe, "title", "link", weights="inside.weights[0, 0]"))


def test_a_model_that_ships_is_carried_along():
    recipe, model = Recipe(), model_at("pronoun", 50)
    recipe.made("model", model, unpack, lambda: pack(model))
    recipe.given("words", ["the", "cat"])
    tokens = recipe.given("tokens", source_of("pronoun").vocabulary.encode(["the", "cat"]))
    recipe.run("table", decisions, model, tokens, 3, 0.8, seed=5)
    code = script(recipe, "title", "link")
    assert len(code) < 150_000
    assert_prints(recipe, code)


def test_what_is_made_in_vain_is_not_made():
    def never():
        raise AssertionError

    recipe, model = Recipe(), init_model(Config(7, 6, 3, 2, 5))
    recipe.made("model", model, unpack, never)
    assert recipe.text(model) == "model"
    assert recipe.code == "model = unpack(…)"


def test_the_arrays_of_a_recipe_are_those_a_script_names():
    recipe = Recipe()
    recipe.given("words", WORDS)
    recipe.given("x", np.zeros(2))
    recipe.run("result", lambda: Pair(np.ones(3), Pair(0.5, None)))
    x = recipe.given("x", np.arange(5))
    arrays = recipe.arrays()
    assert list(arrays) == ["x", "result.first", "result.second.first"]
    assert arrays["x"] is x
    assert arrays["result.second.first"].shape == ()
    np.testing.assert_array_equal(arrays["result.first"], np.ones(3))


def test_the_arrays_of_attention_leave_out_the_mask_that_is_not_there():
    recipe = Recipe()
    recipe.run("attention", attend, np.ones((2, 3)), recipe.run("head", random_head, 3, 2))
    fields = [f"attention.{field}" for field in AttentionCache._fields if field != "mask"]
    assert list(recipe.arrays()) == ["head.w_q", "head.w_k", "head.w_v", *fields]


# the bare environment


def test_a_bare_script_finds_numpy_and_the_standard_library_alone():
    code = """
import json, sys
import numpy, numpy.random
for name in ("attention_core", "pages", "altair", "streamlit", "pytest", "site", "sitecustomize"):
    try:
        __import__(name)
    except ImportError:
        print("no", name)
print(__name__)
"""
    lines = run_bare(code).splitlines()
    assert lines[:5] == [f"no {name}" for name in ("attention_core", "pages", "altair", "streamlit", "pytest")]
    assert lines[-1] == "__main__"


@pytest.mark.parametrize(
    "code", ["import pandas", "1 / 0", "import warnings\nwarnings.warn('x')", "import sys\nprint('x', file=sys.stderr)"]
)
def test_a_bare_script_that_goes_wrong_is_a_failure(code):
    with pytest.raises(AssertionError):
        run_bare(code)


def test_printed_numbers_are_read_as_they_were_shown():
    shown = """note (this is none)
x (2, 3)
[[ 1.   -0.25  inf]
 [ nan  -inf 1000000.  ]]
empty (0, 5)
[]
cube (2, 1, 2)
[[[1 2]]

 [[3 4]]]
head.scale ()
0.5
small ()
1e-10
kept (2,)
[ True False]
With 3 words more.
"""
    found = printed(shown)
    assert {name: array.shape for name, array in found.items()} == {
        "x": (2, 3),
        "empty": (0, 5),
        "cube": (2, 1, 2),
        "head.scale": (),
        "small": (),
        "kept": (2,),
    }
    np.testing.assert_array_equal(found["x"], [[1, -0.25, INF], [float("nan"), -INF, 1e6]])
    np.testing.assert_array_equal(found["cube"].ravel(), [1, 2, 3, 4])
    assert (found["head.scale"], found["small"]) == (0.5, 1e-10)
    np.testing.assert_array_equal(found["kept"], [1, 0])


# what a script takes along


@pytest.mark.parametrize("function", CALLED, ids=lambda function: function.__name__)
def test_the_sources_of_a_function_define_every_name_they_need(function):
    imports, definitions = sources([function])
    code = FUTURE + "\n".join([*imports.values(), *definitions.values()])
    assert undefined(code) == set()
    names = {}
    exec(compile(code, "script", "exec", dont_inherit=True), names)
    assert callable(names[function.__name__])


BESIDE_FILES = (  # they read a text or a model that lies beside them
    "text.corpora",
    "text.stories",
    "text.story_exercises",
    "text.story_reader",
    "shipped.models",
    "shipped.making",
    "experiments.english_heads",
    "experiments.english_predictions",
    "experiments.held_out",
    "experiments.probes",
    "experiments.story_links",
    "experiments.story_probes",
)


@pytest.mark.parametrize("name", [name for name in READING_ORDER if name not in BESIDE_FILES])
def test_every_module_of_the_core_can_be_taken_along(name):
    home = f"attention_core.{name}"
    own = [value for value in vars(import_module(home)).values() if getattr(value, "__module__", None) == home]
    functions = [value for value in own if inspect.isfunction(value) or inspect.isclass(value)]
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
            assert not any(isinstance(part, ast.Attribute | ast.Subscript) for part in map_targets(node)), line
        elif not isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AnnAssign):
            assert is_left_out_on_purpose(node), line


def map_targets(node):
    """Return every part of what an assignment assigns to."""
    return [part for target in node.targets for part in ast.walk(target)]


def test_the_undefined_is_found_wherever_it_stands():
    code = f"""{FUTURE}
import os
def f(a: Annotation, b=default) -> Result:
    c = [inner for d in a]
    return lambda: (a, b, c, os, deep, len)
class A(Base):
    x: Field = value
    y = x
"""
    assert undefined(code) == {"default", "inner", "deep", "Base", "value"}


@pytest.mark.parametrize(
    ("code", "needed"),
    [
        ("def f(a: A, *, b: B = c) -> D: return e + a", {"a", "c", "e"}),
        ("@decorator(argument)\ndef f(): pass", {"decorator", "argument"}),
        ("class A(Base, metaclass=Meta):\n  x: X = y\n  def f(self): return z", {"Base", "Meta", "y", "z"}),
        ("A: B = c", {"c"}),
        ("f = lambda x=d: x.e[g]", {"x", "d", "g"}),
        ("a = [b for c in d if e]", {"b", "d", "e"}),
        ("a = f'{b} {c:{d}}'", {"b", "c", "d"}),
    ],
)
def test_names_are_needed_where_they_are_read_and_not_in_annotations(code, needed):
    assert set(names_needed(ast.parse(code))) == needed


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


# scripts


def test_a_script_prints_the_arrays_of_the_page():
    recipe = full_recipe()
    code = script(recipe, "Q/K/V · Attention, from scratch", "https://example.org/?qkv_seed=18")
    assert undefined(code) == set()
    assert_prints(recipe, code)


@pytest.mark.parametrize("kind", ["random", "same", "previous word", "trained"])
def test_a_scene_is_rebuilt(kind):
    recipe, words = Recipe(), ["the", "cat", "sees", "the", "dog"]
    if kind == "trained":
        trained_scene(recipe, words, 2, same=False)
    elif kind == "previous word":
        hand_set_scene(recipe, words, kind, 5, same=True)
    else:
        random_scene(recipe, words, 7, 3, 2, 5, same=kind == "same")
    code = script(recipe, "title", "link", weights="attention.weights")
    assert undefined(code) == set()
    assert_prints(recipe, code)


def test_hostile_words_are_words_in_a_script():
    recipe = Recipe()
    recipe.given("words", HOSTILE)
    recipe.run("x", word_vectors, HOSTILE, 3)
    assert_prints(recipe, script(recipe, "title", "link", weights="x"))


def test_a_script_says_where_picture_and_numbers_come_from():
    recipe = full_recipe()
    code = script(recipe, "Q/K/V", "https://example.org/?a=1")
    text = ast.get_docstring(ast.parse(code))
    assert text.startswith("Q/K/V. Rebuilds one view")
    assert text.endswith("https://example.org/?a=1")
    assert recipe.code in code
    assert code.endswith("\n")
    assert not re.search(r"[ \t]$", code, flags=re.MULTILINE)


def test_a_blocked_cell_and_a_boolean_mask_are_printed():
    recipe = Recipe()
    blocked = recipe.run("blocked", causal_mask, 3)
    recipe.run("mask", additive_mask, blocked)
    found = printed(run_bare(script(recipe, "title", "link")))
    np.testing.assert_array_equal(found["blocked"], [[0, 1, 1], [0, 0, 1], [0, 0, 0]])
    np.testing.assert_array_equal(found["mask"], [[0, -INF, -INF], [0, 0, -INF], [0, 0, 0]])


BREAKS = [
    '"""',
    '""" + evil() + """',
    "\\",
    '\\"""',
    '"',
    "'''",
    '\n"""\nevil()\n"""',
    "\r\n\x0c",
    "\x00",
    "\ud800",
    "\\N{x}",
]


@pytest.mark.parametrize("text", BREAKS, ids=repr)
@pytest.mark.parametrize("place", ["title", "link"])
def test_nothing_in_the_heading_ends_its_string(text, place):
    recipe = Recipe()
    recipe.given("x", [1.0])
    heading = {"title": "Title", "link": "link", place: text}
    code = script(recipe, **heading)
    code.encode("utf-8")
    usual = ast.parse(script(recipe, "Title", "link"))
    found = ast.parse(code)
    assert isinstance(found.body[0].value.value, str)
    assert [ast.dump(node) for node in found.body[1:]] == [ast.dump(node) for node in usual.body[1:]]
    assert json.loads(notebook(recipe, **heading))["cells"][0]["cell_type"] == "markdown"


# notebooks


@pytest.mark.parametrize("weights", [None, "attention.weights"])
def test_a_notebook_prints_what_the_script_prints(weights):
    recipe = full_recipe()
    book = json.loads(notebook(recipe, "Title", "link", weights))
    code = "\n\n".join("".join(cell["source"]) for cell in book["cells"] if cell["cell_type"] == "code")
    assert run_bare(code) == run_bare(script(recipe, "Title", "link", weights))


def test_a_notebook_has_the_fields_of_its_format():
    book = json.loads(notebook(full_recipe(), "Title", "link", "attention.weights"))
    assert set(book) == {"cells", "metadata", "nbformat", "nbformat_minor"}
    assert (book["nbformat"], book["nbformat_minor"]) == (4, 5)
    assert set(book["metadata"]["kernelspec"]) >= {"name", "display_name"}
    cells = book["cells"]
    assert [cell["cell_type"] for cell in cells] == ["markdown", *["code"] * 5]
    assert len({cell["id"] for cell in cells}) == len(cells)
    for cell in cells:
        code = {"execution_count", "outputs"} if cell["cell_type"] == "code" else set()
        assert set(cell) == {"cell_type", "id", "metadata", "source"} | code
        assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", cell["id"])
        assert cell["metadata"] == {}
        assert cell.get("execution_count") is None
        assert cell.get("outputs", []) == []
        lines = cell["source"]
        assert all(isinstance(line, str) and line.endswith("\n") for line in lines[:-1])
        assert lines[-1] == lines[-1].rstrip("\n") != ""
    assert "".join(cells[-1]["source"]).endswith("\npicture")
    ast.parse("".join(cells[-1]["source"]))


@pytest.mark.promise("page 5")
def test_with_altair_a_script_draws_the_weights(tmp_path, monkeypatch):
    recipe = full_recipe()
    monkeypatch.chdir(tmp_path)
    names = {}
    with np.printoptions():
        exec(compile(script(recipe, "Title", "link", "attention.weights"), "script", "exec", dont_inherit=True), names)
    drawn = names["picture"].to_dict()["data"]["values"]
    weights = recipe.arrays()["attention.weights"]
    assert [cell["weight"] for cell in drawn] == weights.ravel().tolist()
    assert [cell["query"] for cell in drawn[::5]] == ["1 the", "2 cat", "3 the", "4 mat", "5 ."]
    assert [cell["key"] for cell in drawn[:5]] == ["1 the", "2 cat", "3 the", "4 mat", "5 ."]
    assert "vega" in (tmp_path / "weights.html").read_text(encoding="utf-8")
