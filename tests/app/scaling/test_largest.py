"""largest: the largest weight of a row along d_k."""

import pytest

from tests.app.scaling.scene import step
from tests.app.visits import said


@pytest.mark.parametrize(("variant", "right"), [(0, 2), (1, 0), (2, 1)])  # undivided, by d_k, by its root
def test_what_the_largest_weight_does_is_that_of_the_draws(variant, right):
    assert step("scaling", "largest", variants={"grows": variant}).question("grows").right == (right,)


def test_the_line_of_uniform_weights_is_named_as_its_note_names_it():
    blank = step("scaling", "largest", unanswered=("grows",)).charts[0].data
    assert "uniform 0.125" in set(blank["label"])
    assert "Uniform weights would be 1 ÷ 8 = 0.125 each." in said(step("scaling", "largest"))
