"""constant: what softmax sees of a change of its scores."""

import json

import numpy as np
import pytest

from tests.app.scaling.scene import close, products, softmaxed, step
from tests.app.visits import heatmap, move, sent_to, shared, visit


@pytest.mark.parametrize(
    ("link", "change", "expected"),
    [
        ({"q": "2"}, lambda scores: scores + 2 * (np.arange(8) == 1)[:, None], 0),
        ({"experiment": "add to a column", "k": "3", "amount": "-1.5"}, lambda s: s - 1.5 * (np.arange(8) == 2), 64),
        ({"experiment": "multiply all", "times": "¼"}, lambda scores: scores / 4, 64),
    ],
)
@pytest.mark.promise("scaling 4")
def test_constants_move_what_they_move(link, change, expected):
    seen = step("scaling", "constant", **link)
    bars, before, after = seen.charts
    close(heatmap(before).values, softmaxed(products() / 8))
    close(heatmap(after).values, softmaxed(change(products() / 8)))
    close(bars.data["value"], heatmap(after).values[1 if link.get("q") else 0])
    assert after.data["moved"].sum() == expected


@pytest.mark.parametrize("what", range(3))  # added to a row, added to a column, multiplied
def test_what_softmax_sees_is_predicted(what):
    assert step("scaling", "constant", variants={"constant": what}).question("constant").right == (what,)


BARS = "attention_moving_bars"
CHANGES = {
    "add to a row": ("amount", lambda scores, by: scores + by * (np.arange(8) == 1)[:, None]),
    "add to a column": ("amount", lambda scores, by: scores + by * (np.arange(8) == 2)),
    "multiply all": ("times", lambda scores, by: scores * by),
}


@pytest.mark.parametrize("experiment", CHANGES)
def test_the_bars_are_the_row_under_every_change(experiment):
    name, change = CHANGES[experiment]
    app = visit("scaling", step="constant", ask="no", experiment=experiment, constant_q="2", constant_k="3")
    (drawn,) = sent_to(app, BARS)
    data = json.loads(drawn.json)
    (slider,) = data["sliders"]
    assert slider["name"] == name
    for stop, frame in zip(slider["stops"], data["panels"][0]["frames"], strict=True):
        by = {"¼": 0.25, "½": 0.5}.get(stop) or float(stop)
        expected = softmaxed(change(products() / 8, by))[1 if experiment == "add to a row" else 0]
        np.testing.assert_allclose(frame, expected, atol=5.1e-5)  # four digits are sent


def test_a_release_sets_the_amount_and_the_factor_in_the_link():
    app = move(visit("scaling", step="constant", ask="no"), BARS, amount="-1.5")
    assert shared(app)["scaling_amount"] == "-1.5"
    app = move(visit("scaling", step="constant", ask="no", experiment="multiply all"), BARS, times="¼")
    assert shared(app)["scaling_times"] == "¼"
