"""Lesson 3 as a whole: its links, its scripts, its presets and its questions."""

import pytest

from tests.app.multi_head.scene import page
from tests.app.visits import controls, press, set_to, shared, visit


@pytest.mark.parametrize(
    ("weights", "idle"),
    [("trained", {"d_model", "heads", "causal", "seed"}), ("hand-made", {"d_model", "heads"}), ("random", set())],
)
def test_settings_that_would_change_nothing_are_not_there(weights, idle):
    app = visit("multi_head", step="free", weights=weights)
    settings = {f"multi_head_{name}" for name in ("text", "weights", "d_model", "heads", "causal", "seed")}
    assert settings - controls(app).keys() == {f"multi_head_{name}" for name in idle}


def test_after_an_example_and_a_reset_the_arcs_are_again_those_of_the_head_that_the_page_opens_with():
    app = visit("multi_head", step="heads")
    opened_with = app.button_group(key="multi_head_arcs").value
    press(app, "3 causal heads")
    assert app.button_group(key="multi_head_arcs").value != opened_with
    press(app, "Reset")
    assert app.button_group(key="multi_head_arcs").value == opened_with
    assert shared(app) == {"multi_head_step": "heads"}


@pytest.mark.parametrize("width", ["6", "12", "64"])
def test_heads_are_the_divisors_of_the_width_and_another_number_falls_back(width):
    app = set_to(page(step="heads", d_model="32", heads="8"), multi_head_d_model=width)
    (found,) = [control for control in app.segmented_control if control.key == "multi_head_heads"]
    assert found.options == [str(n) for n in range(1, 13) if int(width) % n == 0]
    assert found.value in found.options
