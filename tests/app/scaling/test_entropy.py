"""entropy: how spread out a row is along d_k."""

import pytest

from tests.app.scaling.scene import step


@pytest.mark.parametrize("variant", range(3))
def test_divided_by_d_k_all_keys_get_nearly_the_same(variant):
    assert step("scaling", "entropy", variants={"more": variant}).question("more").right == (0,)
