"""Lesson 4 as a whole: its links, its script, its strip and its questions."""

from collections import defaultdict
from itertools import cycle

import numpy as np
import pytest

from pages.reproduce.recipe import Recipe
from pages.reproduce.script import script
from tests.app.bare import printed, run_bare
from tests.app.causal_mask.scene import (
    LONG,
    MASKS,
    STEPS,
    page,
)
from tests.app.steps import step
from tests.app.visits import (
    charts,
    domain,
    heatmap,
    main,
    nodes,
    opened,
    reveal,
    shared,
    visit,
)


@pytest.mark.parametrize("name", STEPS)
def test_colours_stay_where_they_are_while_cells_and_seeds_change(name):
    scenes = ({}, {"q": "mat", "k": "cat"}, {"seed": "1"})
    if name in ("leak", "layers", "shuffle", "swap"):
        scenes = ({}, {"changed": "on", "layer": "2", "word": "cat"})
    found = [
        [domain(chart) for chart in charts(step("causal_mask", name, **scene)) if "i" in chart.data] for scene in scenes
    ]
    assert found == [found[0]] * len(scenes)


def test_a_link_brings_back_the_view():
    link = {"step": "leak", "mask": "block", "block": "2", "seed": "5", "changed": "cat", "new": "moon", "paint": "2.1"}
    app = page(**link)
    query = shared(app)
    assert query == {f"causal_mask_{name}": value for name, value in link.items()}
    again = reveal(opened("causal_mask", query))
    np.testing.assert_array_equal(heatmap(main(app)).values, heatmap(main(again)).values)


@pytest.mark.parametrize(("step", "weights"), [*zip(STEPS, cycle(["hand-made", "trained"]), strict=False)])
def test_the_script_of_a_view_prints_its_numbers(step, weights, monkeypatch):
    recipes = []
    monkeypatch.setattr("pages.page.page.Recipe", lambda: recipes.append(Recipe()) or recipes[-1])
    page(step=step, weights=weights, mask="prefix", pattern="prefix", paint="2", closer="0 · −∞")
    recipe = next(recipe for recipe in reversed(recipes) if recipe.steps)  # a page lets go of its own at its end
    found = printed(run_bare(script(recipe, "title", "link", "masked.weights")))
    arrays = recipe.arrays()
    assert {"masked.weights", "masked.output"} <= arrays.keys()
    for name, array in arrays.items():
        np.testing.assert_allclose(found[name], array.astype(float), atol=1e-6, err_msg=name)


@pytest.mark.parametrize("place", range(len(STEPS)))
@pytest.mark.promise("page 4")
def test_a_stage_shows_its_small_picture_once_its_questions_are_answered(place):
    def drawn(app):
        return sum(not node["ghost"] for node in nodes(app).values())

    asked = visit("causal_mask", step=STEPS[place])
    assert drawn(asked) == (len(STEPS) if STEPS[place] == "added" else place)
    assert drawn(reveal(asked)) == len(STEPS)


@pytest.mark.promise("page 2")
def test_each_question_comes_before_what_gives_it_away():
    shown = {
        "predictions": 0,
        "cheats": 0,
        "see": 1,
        "added": 1,
        "laboratory": 1,
        "leak": 0,
        "paint": 2,
        "order": 1,
        "layers": 0,
        "shuffle": 0,
    }
    for name, n_charts in shown.items():
        assert len(step("causal_mask", name, unanswered="all").charts) == n_charts, name


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("text", ["a", LONG, "<b>x</b> {y} *z* $q$ `c`"])
@pytest.mark.parametrize("mask", [MASKS[name] for name in ("none", "padding", "nothing left")])
def test_every_question_can_be_asked_again_of_any_sentence(name, text, mask):
    for variant in range(2):
        seen = step("causal_mask", name, variants=defaultdict(lambda variant=variant: variant), text=text, **mask)
        assert seen.page.asked or (name, text) == ("swap", "a")  # a swap needs two words
        assert "<b>x</b>" not in " ".join([*seen.html, *(question.text + question.why for question in seen.page.asked)])
