"""The code behind a view: a short program that runs when pasted, and prints the number that the page shows."""

import ast
import contextlib
import io
import re
import sys
from inspect import isfunction
from weakref import WeakKeyDictionary

import numpy as np
import pytest

import attention_core
from attention_core.equations.masks import additive_mask
from attention_core.experiments.qkv.one_head import attend, random_head
from attention_core.experiments.qkv.perturb import dot_products, masked_scores, rotate_in_plane
from attention_core.text.word_vectors import word_vectors
from pages.page.links.course import LESSONS
from pages.positional_encoding.clinic import BUGS
from pages.reproduce.program import Number, program
from pages.reproduce.recipe import Recipe
from pages.tiny_lm.checkpoints import baselines
from pages.tiny_lm.cost import BYTES, short
from tests.app.reproduce.recipes import HOSTILE
from tests.app.steps import step
from tests.app.visits import charts, rerun, visit
from tests.lessons import steps_of

MOST_LINES = 13  # of a view as it opens
NO_MAP = ("spread.", "moved_on", "decided.bets")  # results with rows and columns that no map of the step shows
RESULTS_SHIP = ["loss_of_rows"]  # the page reads what it returns from a file; the tests of the core compute it again
STEPS = [(lesson.name, name) for lesson in LESSONS for name in steps_of(lesson.name)]
EVERY = [pair for pair in STEPS if pair != ("tiny_lm", "train")]  # a run of training computes nothing that is repeated
HEADS = ({"weights": "hand-made"}, {"weights": "hand-made", "job": "same word"}, {"weights": "trained", "head": "2"})
VIEWS = [
    *(("qkv", name, link) for name in steps_of("qkv") for link in (*HEADS, {"same": True}) if name != "dot"),
    *(("causal_mask", name, link) for name in ("see", "leak", "shuffle", "order") for link in HEADS),
    ("causal_mask", "see", {"mask": "padding", "padding": 3}),
    ("causal_mask", "see", {"mask": "padding", "padding": "24", "q": "the₁", "k": "the₁"}),  # all rows are empty
    *(("scaling", name, {f"{name}_d_k": "512"}) for name in ("spread", "scores", "constant", "gradient")),
    ("scaling", "constant", {"experiment": "add to a column", "constant_k": 3}),
    *(("multi_head", name, {"weights": "trained"}) for name in steps_of("multi_head")),
    *(("multi_head", name, {"causal": True, "head": "3"}) for name in steps_of("multi_head")),
    ("multi_head", "writes", {"off": "1.3"}),
    ("multi_head", "writes", {"w_o": "identity (only concatenate)"}),
    ("multi_head", "reads", {"reads": "only its slice"}),
    *(("causal_mask", "added", {"form": form}) for form in ("True / False", "0 / −∞", "attention weights")),
    *(("positional_encoding", "clinic", {"mistake": bug}) for bug in BUGS),
    *(("positional_encoding", "table", {"kind": kind}) for kind in ("learned", "RoPE", "ALiBi", "none")),
    ("positional_encoding", "alike", {"kind": "learned", "whose": "trained"}),
    ("tiny_lm", "blocks", {"blocks_of": "trained"}),
    ("tiny_lm", "blocks", {"block_look": "lengths"}),
    ("positional_encoding", "rope", {"slide": 40, "asks": 4}),
    ("positional_encoding", "five", {"offset": 9}),
    *(("tiny_lm", "tokens", {"corpus": name, "merges": "93"}) for name in ("King James Bible", "this text")),
    ("tiny_lm", "tokens", {"typed": 'it’s "naïve" 🙂', "merges": "20"}),
    *(("tiny_lm", name, {"model": "Copy task"}) for name in ("bet", "draw", "loss", "lens", "stream", "heads")),
    *(("tiny_lm", "lens", {"lens": look}) for look in ("logit contributions", "ablation")),
    ("tiny_lm", "lens", {"lens": "ablation", "against": "yawned"}),
    *(("tiny_lm", "stream", {"stream": look}) for look in ("contributions", "LayerNorm", "ablation")),
    ("tiny_lm", "stream", {"stream": "MLP", "model": "King James Bible"}),
    *(("tiny_lm", "gradient", {"slopes": look}) for look in ("one step", "one parameter nudged")),
    *(("tiny_lm", "copy", {"copy_look": look}) for look in ("during training", "ablation")),
    *(("tiny_lm", "why", {"rival": rival}) for rival in ("a₁", "mean of other keys")),
    ("tiny_lm", "bench", {"model": "Copy task", "bench_way": "patch from the other prompt", "cut": "8"}),
    *(("tiny_lm", "heads", {"heads_look": look}) for look in ("two measures", "examples")),
    ("tiny_lm", "time", {"time_look": "ablations"}),
    ("tiny_lm", "bet", {"model": "King James Bible", "when": "early"}),
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


def names_imported(text):
    """Return the functions of the core that a program names."""
    tree = ast.walk(ast.parse(text))
    names = set()
    for node in tree:
        if isinstance(node, ast.ImportFrom):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "core":
            names.add(node.attr)
    return names


def chosen_numbers(seen):
    """Return the numbers at the place that the program prints, in the charts that have it."""
    place = re.search(r"\[(\d+), (\d+)\]$", seen.page.number.expression)
    if not place or seen.page.number.expression.startswith(NO_MAP):
        return []
    found = []
    for chart in seen.charts:
        if {"i", "j"} <= set(chart.data):
            at = (chart.data["i"] == int(place[1])) & (chart.data["j"] == int(place[2]))
            found += chart.data[at].select_dtypes("number").drop(columns=["i", "j"]).to_numpy(float).ravel().tolist()
    return found


def shown_numbers(seen):
    """Return all numbers in the charts of a step."""
    return [
        value
        for chart in seen.charts
        for column in chart.data.select_dtypes("number")
        for value in chart.data[column].to_numpy(float)
    ]


def is_shown(value, seen):
    """Return whether a chart holds a number, or a text says it rounded."""
    if np.isclose(shown_numbers(seen), value, rtol=0, atol=1e-6, equal_nan=True).any():
        return True
    if np.isnan(value):
        return any("NaN" in block for block in seen.html)
    texts = " ".join([*map(str, seen.html), *(chart.alt for chart in seen.charts)])
    texts = re.sub(r"<[^>]*>", " ", texts).replace("\u2212", "-").replace(",", "")
    return any(
        re.search(rf"(?<![\d.]){re.escape(form)}(?![\d.]*\d)", texts)
        for form in (*(f"{value:.{digits}f}" for digits in range(6)), f"{value:.3g}", short(value, BYTES))
    )


@pytest.fixture(scope="module")
def seen_once():
    """Return a function that draws a step as it opens, once."""
    drawn = {}

    def draw(lesson, name):
        if (lesson, name) not in drawn:
            drawn[lesson, name] = step(lesson, name)
        return drawn[lesson, name]

    return draw


@pytest.mark.promise("page 5")
@pytest.mark.parametrize(("lesson", "name"), EVERY, ids=str)
def test_every_step_names_a_number_and_a_short_program_prints_it(lesson, name, seen_once):
    seen = seen_once(lesson, name)
    text = program(seen.page.recipe, seen.page.number)
    assert len(lines_of(text)) <= MOST_LINES
    assert_prints_what_is_shown(text, seen)


def test_the_home_page_prints_a_weight_of_its_map():
    app = visit("home")
    app.session_state["home_code"] = True
    text = rerun(app).code[0].value
    assert len(lines_of(text)) <= MOST_LINES
    place = [int(number) for number in re.search(r"\[(\d+), (\d+)\]", text.splitlines()[-1]).groups()]
    shown = next(one.data for one in charts(app) if "weight" in one.data)
    (weight,) = shown[(shown["i"] == place[0]) & (shown["j"] == place[1])]["weight"]
    np.testing.assert_allclose(run(text)[0], weight, atol=1e-6)


@pytest.mark.parametrize(("lesson", "name", "link"), VIEWS, ids=str)
def test_the_program_follows_the_settings(lesson, name, link):
    seen = step(lesson, name, **link)
    assert_prints_what_is_shown(program(seen.page.recipe, seen.page.number), seen)


def assert_prints_what_is_shown(text, seen):
    printed, at_its_place = run(text), chosen_numbers(seen)
    assert printed.size
    if at_its_place:
        assert np.isclose(at_its_place, printed[0], rtol=0, atol=1e-6, equal_nan=True).any()
    assert [value for value in printed if not is_shown(value, seen)] == []
    assert names_imported(text) <= {function.__name__ for function in seen.page.recipe.called}


@pytest.mark.parametrize(("lesson", "name"), EVERY, ids=str)
def test_a_program_runs_while_questions_are_open_too(lesson, name):
    page = step(lesson, name, unanswered="all").page
    if page.recipe.steps:
        run(program(page.recipe, page.number))


@pytest.mark.parametrize(("lesson", "name"), EVERY, ids=str)
def test_every_function_whose_source_is_offered_was_called(lesson, name, monkeypatch):
    monkeypatch.setattr("pages.server.model_cache.KEPT", WeakKeyDictionary())
    baselines.cache_clear()
    called = set()

    def watch(frame, event, _):
        if event == "call":
            called.add(frame.f_code)

    sys.setprofile(watch)
    try:
        seen = step(lesson, name)
    finally:
        sys.setprofile(None)
    offered = [function for function in seen.page.recipe.called if isfunction(function)]
    assert seen.page.recipe.called
    assert [function.__name__ for function in offered if function.__code__ not in called] in ([], RESULTS_SHIP)


def head_recipe(mask=None, times=1.0):
    """Return a recipe with one head, its scores as large as told, and the head."""
    recipe = Recipe()
    words = recipe.given("words", ["the", "cat", "sat"])
    x = recipe.run("x", word_vectors, words, 6, 1)
    x = recipe.given("x", x * times) if times != 1 else x
    head = recipe.run("head", random_head, 6, 4, 2)
    added = [] if mask is None else [recipe.run("mask", additive_mask, recipe.given("blocked", mask))]
    return recipe, recipe.run("attention", attend, x, head, *added)


def printed_by(recipe, values, *place):
    """Return the program of a place in a result."""
    return program(recipe, Number(f"{recipe.text(values)}[{', '.join(map(str, place))}]", "", len(recipe.steps)))


def test_a_head_is_said_in_numpy():
    recipe, attention = head_recipe()
    text = printed_by(recipe, attention.output, 1, 2)
    assert "q, k, v = x @ head.w_q, x @ head.w_k, x @ head.w_v" in text
    assert "np.sqrt(4)" in text
    assert "attend" not in text
    np.testing.assert_allclose(run(text), attention.output[1, 2], atol=1e-12)


@pytest.mark.parametrize(("row", "spelled"), [([False, False, True], True), ([True, True, True], False)])
def test_a_head_with_an_empty_row_is_called_because_its_equation_would_divide_by_zero(row, spelled):
    blocked = np.array([[False, True, True], row, [False, False, False]])
    recipe, attention = head_recipe(blocked)
    text = printed_by(recipe, attention.weights, 1, 0)
    assert ("np.exp(scores + mask)" in text) is spelled
    assert ("attend" in text) is not spelled
    np.testing.assert_allclose(run(text), attention.weights[1, 0], atol=1e-12)


def test_scores_too_large_for_an_exponential_are_left_to_the_core():
    recipe, attention = head_recipe(times=100.0)
    text = printed_by(recipe, attention.weights, 0, 0)
    assert "attend(" in text
    np.testing.assert_allclose(run(text), attention.weights[0, 0], atol=1e-12)


def test_two_heads_keep_their_names():
    recipe, attention = head_recipe()
    turned = recipe.run("turned", rotate_in_plane, attention.v[:, :2].copy(), 90.0)
    other = recipe.run("other", attend, recipe.run("y", word_vectors, ["a", "b", "c"], 6, 5), recipe.steps[2].result)
    found = recipe.run("found", dot_products, attention.q, other.k)
    text = printed_by(recipe, found, 0, 1)
    assert "attention.q @ other.k.T" in text
    assert "turned" not in text
    np.testing.assert_allclose(run(text), found[0, 1], atol=1e-12)
    assert turned.shape == (3, 2)


def test_a_whole_head_as_an_argument_is_not_taken_apart():
    recipe, attention = head_recipe()
    scores = recipe.run("seen", masked_scores, attention)
    text = printed_by(recipe, scores, 2, 1)
    assert "masked_scores(" in text
    np.testing.assert_allclose(run(text), scores[2, 1], atol=1e-12)


def test_a_name_set_anew_means_what_it_meant_at_its_place():
    recipe = Recipe()
    first = recipe.given("x", [[3.0, 1.0]])
    recipe.run("x", rotate_in_plane, first, 90.0)
    number = Number("x[0, 0]", "", len(recipe.steps))
    recipe.given("x", [[7.0, 7.0]])
    np.testing.assert_allclose(run(program(recipe, number)), -1.0, atol=1e-12)
    np.testing.assert_allclose(run(program(recipe)), [7.0, 7.0])


def test_words_cannot_become_code():
    recipe = Recipe()
    recipe.given("words", HOSTILE)
    x = recipe.run("x", word_vectors, HOSTILE, 3)
    for word in (*HOSTILE, "a\nprint(1)", "a\rprint(1)", "\x0cprint(1)"):
        text = program(recipe, Number("x[0, 0]", word, 2))
        assert ast.dump(ast.parse(text)) == ast.dump(ast.parse(program(recipe, Number("x[0, 0]", "", 2))))
        np.testing.assert_allclose(run(text), x[0, 0])
        assert "\u202e" not in text


def test_data_too_long_to_be_shown_give_no_program():
    recipe = Recipe()
    recipe.given("x", np.zeros((40, 40)))
    recipe.made("y", 2.0, float, lambda: "2.0")
    for name in ("x", "y"):
        assert program(recipe, Number(name, "", 2)) is None
    recipe.say_shortly("x", "np.zeros((40, 40))")
    assert program(recipe, Number("x[0, 0]", "", 2)) == "import numpy as np\n\nx = np.zeros((40, 40))\nprint(x[0, 0])"
    assert recipe.called == []


def test_numbers_are_named_and_what_is_none_by_default_is_left_out():
    recipe = Recipe()
    words = recipe.given("words", ["a", "b"])
    x = recipe.run("x", word_vectors, words, 6, 1)
    head = recipe.run("head", random_head, 6, 4, 2, None)
    attention = recipe.run("attention", attend, x, head)
    text = printed_by(recipe, attention.k, 0, 0)
    assert "x = word_vectors(words, width=6, seed=1)\nhead = random_head(d_model=6, d_head=4, seed=2)\n" in text


def test_public_functions_are_called_by_their_public_name():
    recipe = Recipe()
    blocked = recipe.run("blocked", attention_core.causal_mask, 3)
    text = printed_by(recipe, blocked, 0, 1)
    assert text == "import attention_core as core\n\nblocked = core.causal_mask(3)\nprint(blocked[0, 1])"
