"""parts: one head enlarged, and how each of its weights came about."""

import re
from functools import partial

import numpy as np
import pytest

from pages.look.html import number
from tests.app.steps import step
from tests.app.tiny_lm.models import in_view
from tests.app.visits import charts, heatmap, html_of, press, rerun, shared, visit

show = partial(step, "tiny_lm", "parts")


def card(seen):
    """Return the derivation of a weight as a reader reads it."""
    (block,) = [block for block in html_of(seen) if "How <b" in block]
    return re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", block))


@pytest.mark.parametrize(("label", "head"), [("Toy English", "1.4"), ("Copy task", "2.4")])
def test_a_head_is_enlarged_and_each_of_its_weights_explained(label, head):
    _, _, tokens, labels, inside = in_view(label)
    layer, place = (int(part) - 1 for part in head.split("."))
    weights = inside.weights[layer, place]
    found = heatmap(next(one for one in charts(show(model=label, head=head)) if one.alt.startswith(("Head", "Layer"))))
    assert found.rows == found.columns == labels
    np.testing.assert_allclose(found.values, weights, atol=1e-6)
    row = len(tokens) - 1
    for i, j in ((row, int(weights[-1].argmax())), (row, 0), (2, 1)):
        text = card(show(model=label, head=head, q=labels[i], k=labels[j]))
        assert f"{labels[i]} → {labels[j]} became {weights[i, j]:.2f}" in text
        assert f"q · k {number(float(inside.queries[layer, place, i] @ inside.keys[layer, place, j]))}" in text
    assert "this key is masked" in card(show(model=label, head=head, q=labels[1], k=labels[row]))


def test_a_button_enlarges_a_head_and_another_goes_back_to_all():
    app = visit("tiny_lm", step="parts", ask="no")
    app.session_state["tiny_lm_closer_Attention of every head"] = True
    press(rerun(app), "tiny_lm_put_head_1.4")
    assert shared(app)["tiny_lm_head"] == "1.4"
    assert "How" in card(app)
    app.button_group(key="_tiny_lm_in_view").set_value("all")
    assert "tiny_lm_head" not in shared(rerun(app))
