"""compare: one sentence under four encodings."""

from functools import partial

import pytest

from tests.app.steps import step
from tests.app.visits import domain

show = partial(step, "positional_encoding", "compare")


@pytest.mark.parametrize("offset", [0, 40])
def test_four_encodings_of_one_sentence_and_which_stay(offset):
    seen = show(offset=offset)
    for i, kind in enumerate(("sinusoidal", "learned", "RoPE", "ALiBi")):
        assert domain(seen.charts[i]) == [0, 1]
        stays = kind in ("RoPE", "ALiBi") or offset == 0
        assert seen.charts[i].data["moved"].any() == (not stays)
