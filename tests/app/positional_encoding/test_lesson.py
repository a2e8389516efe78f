"""Lesson 5 as a whole: in each step the controls that change something there."""

import pytest

from tests.app.steps import step

KIND_IN = {"alike": "alike_kind"}


@pytest.mark.parametrize(
    ("name", "kind", "there", "missing"),
    [
        ("alike", "RoPE", {"base"}, {"strength", "seed"}),
        ("alike", "learned", {"alike_kind", "seed"}, {"base"}),
        ("alike", "ALiBi", {"length"}, {"d_model", "base", "seed"}),
        ("add", "learned", {"d_model", "add_strength"}, {"base"}),
        ("terms", "learned", {"d_model", "terms_strength"}, {"base"}),
        ("compare", "ALiBi", {"strength", "base"}, set()),
        ("order", "sinusoidal", {"d_model"}, {"base", "strength"}),
        ("rope", "none", {"base"}, {"d_model", "strength"}),
    ],
)
def test_a_control_that_would_move_nothing_is_not_drawn(name, kind, there, missing):
    drawn = step("positional_encoding", name, **{KIND_IN.get(name, "kind"): kind}).page.controls.made.keys()
    assert there <= drawn
    assert not missing & drawn
