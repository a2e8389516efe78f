"""What a page computed can be computed again: by a script or a notebook that knows nothing but NumPy."""

import ast
import json
import re

import numpy as np
import pytest

from attention_core.equations.masks import additive_mask, causal_mask
from pages.reproduce.recipe import Recipe
from pages.reproduce.script import notebook, script
from tests.app.bare import printed, run_bare
from tests.app.reproduce.recipes import INF, assert_prints, full_recipe, undefined


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


def test_a_script_prints_the_arrays_of_the_page():
    recipe = full_recipe()
    code = script(recipe, "Q/K/V · Attention, from scratch", "https://example.org/?qkv_seed=18")
    assert undefined(code) == set()
    assert_prints(recipe, code)


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
    *('"""', '""" + evil() + """', "\\", '\\"""', '"', "'''", '\n"""\nevil()\n"""', "\r\n\x0c", "\x00"),
    *("\ud800", "\\N{x}"),
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


def test_with_altair_a_script_draws_the_weights(tmp_path, monkeypatch):
    recipe = full_recipe()
    monkeypatch.chdir(tmp_path)
    names = {}
    with np.printoptions():
        exec(compile(script(recipe, "Title", "link", "attention.weights"), "script", "exec", dont_inherit=True), names)
    drawn = names["picture"].to_dict()["data"]["values"]
    weights = recipe.arrays()["attention.weights"]
    assert [cell["weight"] for cell in drawn] == weights.ravel().tolist()
    assert [cell["query"] for cell in drawn[::5]] == ["1 the", "2 <\u2060cat>", "3 the", "4 mat", "5 ."]
    assert [cell["key"] for cell in drawn[:5]] == ["1 the", "2 <\u2060cat>", "3 the", "4 mat", "5 ."]
    assert "vega" in (tmp_path / "weights.html").read_text(encoding="utf-8")
