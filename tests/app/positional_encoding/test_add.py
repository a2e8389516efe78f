"""x + p: words and positions recovered from their sum."""

from functools import partial

import numpy as np
import pytest

from tests.app.steps import step

show = partial(step, "positional_encoding", "add")


@pytest.mark.parametrize(("scale", "n_right"), [(None, 7), (0, 0), (8, 7)])
def test_positions_are_recovered_from_the_sum_where_they_are_large_enough(scale, n_right):
    seen = show(**({} if scale is None else {"add_strength": scale}))  # it opens where all are recovered
    assert (seen.result("position") == np.arange(7)).sum() == n_right
