"""reads: all numbers of a word, or a slice of them."""

from functools import partial

import numpy as np
import pytest

from attention_core.experiments.multi_head.head_parts import block_diagonal
from attention_core.experiments.multi_head.several_heads import attend_heads
from tests.app.multi_head.scene import close, expected, step
from tests.app.visits import charts, heatmap

show = partial(step, "reads")


@pytest.mark.parametrize("place", [1, 6, 16])
def test_who_notices_a_changed_number(place):
    held = expected()
    x, matrices, n_heads = held.x, held.heads, held.n_heads
    changed = x.copy()
    changed[1, place - 1] += 2
    cut = matrices._replace(
        **{name: block_diagonal(getattr(matrices, name), n_heads) for name in ("w_q", "w_k", "w_v")}
    )
    _, *maps = charts(show(head=2, change_row="cat", change_column=place))
    for chart, heads in zip(maps, (matrices, cut), strict=True):
        before, after = (attend_heads(rows, heads, n_heads).weights[1] for rows in (x, changed))
        close(heatmap(chart).values, after)
        moved = ~np.isclose(before, after, rtol=1e-9, atol=1e-9)
        np.testing.assert_array_equal(chart.data["moved"], moved.ravel())
        assert (moved.sum() > 0) == (heads is matrices or place == 6)
