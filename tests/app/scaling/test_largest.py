"""largest: the largest weight of a row along d_k."""

import pytest

from tests.app.steps import step


@pytest.mark.parametrize(("variant", "right"), [(0, 2), (1, 0), (2, 1)])  # undivided, by d_k, by its root
def test_what_the_largest_weight_does_is_that_of_the_draws(variant, right):
    assert step("scaling", "largest", variants={"grows": variant}).question("grows").right == (right,)
