"""softmax, closely: what a constant does to the weights, and what the wrong axis does."""

from functools import partial

from tests.app.steps import step

show = partial(step, "qkv", "detail", weights="random")


def test_the_explanation_is_of_what_was_asked_whatever_the_map_shows():
    """It stands above the map of another experiment too."""
    why = show(experiment="wrong axis").question("shift").why
    assert "Every exponential of the row is multiplied by e" in why
