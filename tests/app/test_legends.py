"""Of equal maps side by side, one has the legend that explains all."""

import pytest

from tests.app.steps import step


@pytest.mark.parametrize(
    ("lesson", "name", "unanswered", "n_maps"), [("causal_mask", "see", (), 2), ("causal_mask", "laboratory", (), 5)]
)
def test_only_the_last_of_equal_maps_has_a_legend(lesson, name, unanswered, n_maps):
    colours = [chart.spec["layer"][0]["encoding"].get("color", {}) for chart in step(lesson, name, unanswered).charts]
    shown = [colour["legend"] is not None for colour in colours if "legend" in colour]
    assert shown == [False] * (n_maps - 1) + [True]
