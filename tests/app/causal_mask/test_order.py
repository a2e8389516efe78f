"""rows: computed one at a time."""

from functools import partial

import numpy as np
import pytest

from tests.app.causal_mask.scene import close, every_scene, expected, page
from tests.app.steps import step
from tests.app.visits import click, heatmap, main, press, set_to, shared

show = partial(step, "causal_mask", "order")


@every_scene
@pytest.mark.promise("causal_mask 4")
def test_rows_one_by_one_are_the_rows_of_all_at_once(scene):
    blocked, _, (_, weights, _) = expected(**scene)
    app = show(rows="eagc", **scene)
    chart = main(app)
    seen = heatmap(chart).values
    done = [4, 0, 6, 2]
    close(seen[done], weights[done])
    waiting = np.ones((7, 7), bool)
    waiting[done] = False
    texts = chart.data["text"].to_numpy().reshape(7, 7)
    assert (texts[waiting] == "?").all()
    assert (texts[~waiting & blocked] == "").all()


def test_rows_are_computed_by_clicks_and_buttons():
    app = page(step="order")
    click(app, 0, 3)
    assert shared(app)["causal_mask_rows"] == "ga"  # after the row that was asked about
    press(app, "Compute last to first")
    assert shared(app)["causal_mask_rows"] == "gfedcba"
    press(app, "Clear")
    assert (main(app).data["text"] == "?").all()
    set_to(app, causal_mask_q="the₅")
    press(app, "Compute this row")
    assert shared(app)["causal_mask_rows"] == "e"


def test_no_row_must_be_computed_before_another():
    assert show().question("first").right == (2,)
