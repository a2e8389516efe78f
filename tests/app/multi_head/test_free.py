"""free: what more heads cost."""

from functools import partial

import numpy as np
import pytest

from attention_core.experiments.multi_head.head_parts import ranks
from attention_core.experiments.multi_head.several_heads import hand_set_heads
from tests.app.multi_head.scene import close, step
from tests.app.visits import charts

show = partial(step, "free")


@pytest.mark.parametrize("d_model", [6, 16, 64])
def test_the_numbers_stay_while_heads_grow_and_rank_falls(d_model):
    counts = [n for n in range(1, 13) if d_model % n == 0]
    seen = show(d_model=d_model, heads=2)
    data = charts(seen)[0].data
    lines = data[data["kind"] == "line"]
    held = lines[lines["series"] == "parameters"]
    rank = lines[lines["series"] == "rank"]
    assert held["x"].tolist() == counts
    close(held["value"], np.ones(len(counts)))
    close(rank["value"], [1 / n for n in counts])
    assert seen.result("parameters") == 4 * d_model**2


def test_the_rank_of_hand_made_heads_is_smaller_than_their_width_and_falls_too():
    data = charts(show(weights="hand-made"))[0].data
    found = data[(data["kind"] == "line") & (data["series"] == "rank")]["value"].to_numpy() * 32
    assert found.tolist() == sorted(found, reverse=True) == [ranks(hand_set_heads(), n).max() for n in (1, 2, 4, 8)]
    assert (found[:3] < 32 / np.array([1, 2, 4])).all()
