"""+ −∞: the mask in its forms, read as it is meant and inverted."""

from functools import partial

import numpy as np
import pytest

from tests.app.causal_mask.scene import blocked_by, close, every_scene
from tests.app.steps import step
from tests.app.visits import charts, heatmap, main

show = partial(step, "causal_mask", "added")


@every_scene
def test_the_mask_is_shown_in_all_its_forms(scene):
    held, blocked = show(**scene).scene, blocked_by(7)
    additive = np.where(blocked, -np.inf, 0)
    wanted = {
        "True / False": blocked.astype(float),
        "0 / −∞": additive,
        "score + mask": held.plain.scores + additive,
        "attention weights": held.masked.weights,
    }
    for form, values in wanted.items():
        app = show(form=form, **scene)
        close(heatmap(main(app)).values, values)
        if form in ("True / False", "0 / −∞"):
            texts = main(app).data["text"].to_numpy().reshape(blocked.shape)
            on, off = form.split(" / ")
            yes, no = (on, off) if form == "True / False" else (off, on)
            np.testing.assert_array_equal(texts, np.where(blocked, yes, no))


def test_an_inverted_mask_shows_the_future_alone_and_leaves_the_last_word_no_key():
    seen = show(reads="allowed", form="attention weights")
    weights = heatmap(main(seen)).values
    powers = np.where(blocked_by(7), np.exp(seen.scene.plain.scores), 0)[:-1]
    close(weights[:-1], powers / powers.sum(axis=1, keepdims=True))
    texts = main(seen).data["text"].to_numpy().reshape(7, 7)
    assert set(texts[-1]) == {"NaN"}
    assert "NaN" not in texts[:-1]
    additive = heatmap(main(show(reads="allowed", form="0 / −∞"))).values
    np.testing.assert_array_equal(np.isneginf(additive), ~blocked_by(7))


@pytest.mark.parametrize("bits", ["64", "32"])
def test_a_large_number_hides_nothing_where_everything_is_hidden_and_is_as_good_where_a_key_is_left(bits):
    app = show(bits=bits, q="on")
    weights, masked = app.scene.plain.weights, app.scene.masked.weights
    plain, infinite, large = (chart.data["value"].to_numpy() for chart in charts(app)[1:4])
    close(plain, weights[3])
    np.testing.assert_array_equal(infinite, np.zeros(7))
    np.testing.assert_allclose(large, weights[3] if bits == "64" else np.full(7, 1 / 7), atol=1e-6)
    for chart in charts(show(bits=bits, row_has="as in the mask", q="on"))[2:4]:
        np.testing.assert_allclose(chart.data["value"], masked[3], atol=1e-6)
