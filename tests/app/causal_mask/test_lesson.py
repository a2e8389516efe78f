"""Lesson 4 as a whole: its colours, and its small pictures."""

import pytest

from tests.app.causal_mask.scene import STEPS
from tests.app.steps import step
from tests.app.visits import charts, domain, nodes, reveal, visit


@pytest.mark.parametrize("name", STEPS)
def test_colours_stay_where_they_are_while_cells_and_seeds_change(name):
    scenes = ({}, {"q": "mat", "k": "cat"}, {"seed": "1"})
    if name in ("leak", "layers", "shuffle", "swap"):
        scenes = ({}, {"changed": "on", "layer": "2", "word": "cat"})
    found = [
        [domain(chart) for chart in charts(step("causal_mask", name, **scene)) if "i" in chart.data] for scene in scenes
    ]
    assert found == [found[0]] * len(scenes)


@pytest.mark.parametrize("place", [0, 3, 6])
@pytest.mark.promise("page 4")
def test_a_stage_shows_its_small_picture_once_its_questions_are_answered(place):
    def drawn(app):
        return sum(not node["ghost"] for node in nodes(app).values())

    asked = visit("causal_mask", step=STEPS[place])
    assert drawn(asked) == (len(STEPS) if STEPS[place] == "added" else place)
    assert drawn(reveal(asked)) == len(STEPS)
