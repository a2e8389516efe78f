"""superposition: arrows and products are those of the core, at each level of activity."""

from functools import partial

import numpy as np
import pytest

from attention_core.experiments.inside.superposition import KEPT, superposition
from pages.tiny_lm.superposition import ACTIVE
from tests.app.steps import step

show = partial(step, "tiny_lm", "superposition")


@pytest.mark.parametrize("active", ACTIVE)
def test_the_arrows_and_the_products_are_those_of_the_core(active):
    found, (plane, products) = superposition(int(active) / 100), show(active=active).charts
    kept = found.lengths > KEPT
    for kind, those in (("arrow", kept), ("point", ~kept)):
        np.testing.assert_allclose(plane.data[plane.data.kind == kind][["x", "y"]], found.w.T[those])
    assert "".join(plane.data.label) == "".join(np.array(list("ABCDE"))[kept])
    np.testing.assert_allclose(products.data["product"].to_numpy().reshape(5, 5), found.products)


def test_before_the_answer_all_features_are_active():
    _, products = show(unanswered="all", active="5").charts
    np.testing.assert_allclose(products.data["product"].to_numpy().reshape(5, 5), superposition(1.0).products)
