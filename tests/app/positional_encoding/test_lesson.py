"""Lesson 5 as a whole: in each step the controls that change something there."""

import pytest

from tests.app.steps import step


@pytest.mark.parametrize(
    ("name", "kind", "there", "missing"),
    [
        ("add", "learned", {"d_model", "add_strength"}, {"base"}),
        ("compare", "learned", {"d_model", "seed"}, {"strength"}),
        ("order", "sinusoidal", {"d_model"}, {"base", "strength"}),
        ("rope", "none", {"base"}, {"d_model", "strength"}),
    ],
)
def test_a_control_that_would_move_nothing_is_not_drawn(name, kind, there, missing):
    drawn = step("positional_encoding", name, kind=kind).page.controls.made.keys()
    assert there <= drawn
    assert not missing & drawn
