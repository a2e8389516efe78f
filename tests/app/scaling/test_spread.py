"""spread: the variance along d_k."""

import pytest

from tests.app.steps import step


@pytest.mark.parametrize(("variant", "variance"), [(0, 16), (1, 64), (2, 1), (3, 256), (4, 1)])
def test_the_variance_is_d_k_and_divided_by_its_root_1(variant, variance):
    assert step("scaling", "spread", variants={"variance": variant}).question("variance").right == variance
