"""Lesson 4 as a whole: its colours."""

import re

import pytest

from tests.app.causal_mask.scene import STEPS
from tests.app.steps import step
from tests.app.visits import charts, domain


@pytest.mark.parametrize("name", STEPS)
def test_colours_stay_where_they_are_while_cells_and_seeds_change(name):
    scenes = ({}, {"q": "mat", "k": "cat"}, {"seed": "1"})
    if name in ("leak", "shuffle"):
        scenes = ({}, {"masked_in": "no layer", "changed": "mat"})
    found = [
        [domain(chart) for chart in charts(step("causal_mask", name, **scene)) if "i" in chart.data] for scene in scenes
    ]
    assert found == [found[0]] * len(scenes)


@pytest.mark.parametrize("name", STEPS)
def test_of_one_word_nothing_is_counted_as_1_of_1(name):
    seen = step("causal_mask", name, text="one", weights="random")
    told = " ".join([*seen.html, *(chart.alt for chart in seen.charts), *(str(one) for one in seen.page.asked)])
    assert not re.search(r"\b[01] of 1\b|\b1 (words|cells|numbers|vectors)\b", told)
