"""The code behind a view: a short program that runs when pasted, and prints the number that the page shows."""

import ast
import contextlib
import io
import re

import numpy as np
import pytest

from attention_core.equations.masks import causal_mask
from attention_core.experiments.qkv.perturb import rotate_in_plane
from attention_core.text.word_vectors import word_vectors
from pages.causal_mask.added import FORMS, READS
from pages.links.course import LESSONS
from pages.page.steps import NOW
from pages.positional_encoding.clinic import BUGS
from pages.reproduce.program import InView, program
from pages.reproduce.recipe import Recipe, Short
from tests.app.reproduce.recipes import HOSTILE
from tests.app.steps import step
from tests.app.visits import charts, rerun, visit
from tests.lessons import steps_of

MOST_LINES = 17  # of a view as it opens, its imports included
NO_MAP = ("spread.", "moved_on", "decided.bets")  # results with rows and columns that no map of the step shows
OPENED = [(lesson.name, name, {}) for lesson in LESSONS for name in steps_of(lesson.name) if not name.startswith(NOW)]
OPENED.remove(("tiny_lm", "train", {}))  # a run of training computes nothing that is repeated
SET = [
    *(("qkv", name, {"weights": "trained", "head": "2"}) for name in ("x", "match", "softmax", "mix")),
    ("causal_mask", "see", {"weights": "trained", "job": "same word"}),
    *(("causal_mask", "added", {"form": form, "reads": reads}) for form in FORMS for reads in READS),
    *(("multi_head", name, {"weights": "trained"}) for name in steps_of("multi_head") if name != NOW),
    *(("positional_encoding", "clinic", {"mistake": bug}) for bug in BUGS),
    *(("positional_encoding", "alike", {"alike_kind": f"learned, {whose}"}) for whose in ("untrained", "trained")),
    ("tiny_lm", "tokens", {"corpus": "this text", "merges": "93"}),
    *(("tiny_lm", name, {"model": "Copy task"}) for name in ("bet", "draw", "loss", "lens")),
]


def run(text):
    """Return the numbers that a program prints in a namespace of its own."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), np.printoptions(precision=17):
        exec(compile(text, "program", "exec", dont_inherit=True), {"__name__": "__main__"})
    words = re.findall(r"True|False|-?(?:nan|inf|\d+\.?\d*(?:e[+-]?\d+)?)", out.getvalue())
    return np.array([float({"True": 1, "False": 0}.get(word, word)) for word in words])


def lines_of(text):
    return [line for line in text.splitlines() if line]


def chosen_numbers(seen):
    """Return the numbers at the place that the program prints, in the charts that have it."""
    place = re.search(r"\[(\d+), (\d+)\]$", seen.page.view.number.expression)
    if not place or seen.page.view.number.expression.startswith(NO_MAP):
        return []
    maps = [chart.data for chart in seen.charts if {"i", "j"} <= set(chart.data)]
    cells = [data[(data["i"] == int(place[1])) & (data["j"] == int(place[2]))] for data in maps]
    return [value for cell in cells for value in cell.select_dtypes("number").drop(columns=["i", "j"]).values.ravel()]


def is_shown(value, seen):
    """Return whether a chart holds a number, or a text says it rounded."""
    numbers = [chart.data.select_dtypes("number").to_numpy(float).ravel() for chart in seen.charts]
    if numbers and np.isclose(np.concatenate(numbers), value, rtol=0, atol=1e-6, equal_nan=True).any():
        return True
    if np.isnan(value):
        return any("NaN" in block for block in seen.html)
    texts = " ".join([*map(str, seen.html), *(chart.alt for chart in seen.charts)])
    texts = re.sub(r"<[^>]*>", " ", texts).replace("\u2212", "-").replace(",", "")
    forms = (*(f"{value:.{digits}f}" for digits in range(6)), f"{value:.3g}")
    return any(re.search(rf"(?<![\d.]){re.escape(form)}(?![\d.]*\d)", texts) for form in forms)


@pytest.mark.parametrize(("lesson", "name", "link"), [*OPENED, *SET], ids=str)
def test_a_short_program_prints_the_number_in_view(lesson, name, link):
    seen = step(lesson, name, **link)
    text = program(seen.page.recipe, seen.page.view.number)
    printed, at_its_place = run(text), chosen_numbers(seen)
    assert link or len(lines_of(text)) <= MOST_LINES
    assert printed.size
    if at_its_place:
        assert np.isclose(at_its_place, printed[0], rtol=0, atol=1e-6, equal_nan=True).any()
    assert [value for value in printed if not is_shown(value, seen)] == []


def test_the_home_page_prints_a_weight_of_its_map():
    app = visit("home")
    app.session_state["home_code"] = app.session_state["home_closer_The weights of all words"] = True
    text = rerun(app).code[0].value
    place = [int(number) for number in re.search(r"\[(\d+), (\d+)\]", text.splitlines()[-1]).groups()]
    shown = next(one.data for one in charts(app) if "weight" in one.data)
    (weight,) = shown[(shown["i"] == place[0]) & (shown["j"] == place[1])]["weight"]
    np.testing.assert_allclose(run(text)[0], weight, atol=1e-6)


@pytest.mark.parametrize("lesson", [lesson.name for lesson in LESSONS])
def test_a_program_runs_while_questions_are_open_too(lesson):
    for page in [step(lesson, name, unanswered="all").page for name in steps_of(lesson) if name != "train"]:
        if page.recipe.steps:
            run(program(page.recipe, page.view.number))


def test_a_program_has_the_lines_that_its_number_depends_on():
    recipe = Recipe()
    first = recipe.given("x", [[3.0, 1.0]])
    recipe.run("unused", causal_mask, 3)
    recipe.run("x", rotate_in_plane, first, 90.0)
    text = program(recipe, InView("x[0, 0]", "an entry", len(recipe.steps)))
    recipe.given("x", [[7.0, 7.0]])
    assert (
        text
        == program(recipe, InView("x[0, 0]", "an entry", 3))
        == (
            "from attention_core.experiments.qkv.perturb import rotate_in_plane\n\n"
            "x = [[3.0, 1.0]]\nx = rotate_in_plane(x, 90.0)\nprint(x[0, 0])  # an entry"
        )
    )
    assert program(recipe) == "x = [[7.0, 7.0]]\nprint(x)"
    recipe.run("blocked", causal_mask, 3)
    assert lines_of(program(recipe))[0] == "from attention_core import causal_mask"  # as it is called in public


def test_words_cannot_become_code():
    recipe = Recipe()
    recipe.given("words", HOSTILE)
    x = recipe.run("x", word_vectors, HOSTILE, 3)
    for word in (*HOSTILE, "a\nprint(1)", "a\rprint(1)", "\x0cprint(1)"):
        text = program(recipe, InView("x[0, 0]", word, 2))
        assert ast.dump(ast.parse(text)) == ast.dump(ast.parse(program(recipe, InView("x[0, 0]", "", 2))))
        np.testing.assert_allclose(run(text), x[0, 0])
        assert "\u202e" not in text


def test_data_too_long_to_be_shown_give_no_program():
    recipe = Recipe()
    recipe.given("x", np.zeros((40, 40)))
    recipe.made("y", 2.0, float, lambda: "2.0")
    assert [program(recipe, InView(name, "", 2)) for name in ("x", "y")] == [None, None]
    recipe.given("x", np.zeros((40, 40)), Short("np.zeros((40, 40))"))
    assert program(recipe, InView("x[0, 0]", "", 3)) == "import numpy as np\n\nx = np.zeros((40, 40))\nprint(x[0, 0])"
