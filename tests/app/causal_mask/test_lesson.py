"""Lesson 4 as a whole: its colours."""

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
