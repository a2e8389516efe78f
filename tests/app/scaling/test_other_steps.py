"""Steps with a test or two: d_v and gradient."""

import math
import re
from functools import partial

import numpy as np
import pytest

from attention_core.experiments.scaling.random_scores import WIDTHS, over_widths
from tests.app.scaling.scene import FEW, SEED, close, products, softmaxed, step
from tests.app.visits import heatmap

show_gradient = partial(step, "scaling", "gradient")


@pytest.mark.parametrize("d_v", [4, 64, 512])
def test_dividing_by_the_wrong_width_hides_while_both_are_equal(d_v):
    seen = step("scaling", "d_v", d_v=d_v)
    good, bad = seen.charts
    close(heatmap(good).values, softmaxed(products() / 8))
    close(heatmap(bad).values, softmaxed(products() / math.sqrt(d_v)))
    assert (heatmap(good).values == heatmap(bad).values).all() == (d_v == 64)
    assert f"expected variance 64 ÷ {d_v}." in bad.alt


@pytest.mark.parametrize(("divide", "part"), [("none", "not divided"), ("√d_k", "÷ √dₖ"), ("d_k", "÷ dₖ")])
def test_the_way_of_the_gradient_passes_the_divisor_in_view(divide, part):
    seen = show_gradient(divide=divide, **FEW)
    (way,) = [re.sub("<[^>]*>", "", block) for block in seen.html if "chips" in block]
    assert way.split(" → ")[::3] == ["loss", part, "W_Q and W_K".replace("_", "")]
    close(heatmap(seen.charts[0]).values, softmaxed(np.outer([1, 512**-0.5], products(512, 4)[0])))


@pytest.mark.parametrize("length", [2, 8, 16])
def test_the_slopes_depend_on_d_k_only_without_dividing(length):
    undivided, by_root, _ = over_widths("jacobian", WIDTHS, length, 1000, SEED).mean
    assert np.ptp(by_root) < 0.2 * by_root.max()
    assert np.ptp(undivided) > 0.6 * undivided.max()
