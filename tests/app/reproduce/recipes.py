"""Recipes, and what their scripts print."""

import builtins
import dis
import inspect
from typing import NamedTuple

import numpy as np

from attention_core.experiments.qkv.one_head import HeadMatrices, attend, hand_set_embedding, hand_set_head, random_head
from attention_core.experiments.qkv.perturb import one_number_changed, rotate_in_plane, softmax_at
from attention_core.text.word_vectors import word_vectors
from pages.reproduce.recipe import Recipe
from tests.app.bare import printed, run_bare

INF = float("inf")
WORDS = ["the", "<cat>", "the", "mat", "."]
HOSTILE = ['"', "'", '"""', "\\", "\\n", "\n", "\u202eabc", "\ud800", "{words}", "مرحبا", "👩‍👩‍👧", "#", ""]
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
    run("by_hand", attend, run("x", hand_set_embedding, WORDS, 13), run("job", hand_set_head, "same word", 13, 5))
    run("cold", softmax_at, attention.scores, 0.0)
    run("warm", softmax_at, attention.scores, INF)
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
