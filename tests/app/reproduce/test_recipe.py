"""What a page computed is remembered as calls, and said as code."""

import numpy as np
import pytest

from attention_core.equations.softmax import softmax
from attention_core.experiments.qkv.perturb import rotate_in_plane
from attention_core.model.activations import insides
from attention_core.model.config import Config
from attention_core.model.parameters import init_model
from attention_core.text.encoded import pack, unpack
from pages.reproduce.recipe import Recipe, literal
from pages.reproduce.script import script
from tests.app.reproduce.recipes import HOSTILE, INF, WORDS, Pair, assert_prints


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


@pytest.mark.parametrize(
    "value",
    [{"a": 1}, 1j, b"bytes", softmax, Pair(1, 2), np.array(["a"]), np.array([None]), np.longdouble(1), [1, {"a": 1}]],
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
    [Config(7, 6, 3, 2, 5, d_ff=0), Config(7, 6, 2, 1, 5, positions="alibi", norm="post", causal=False)],
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
