"""clinic: the common bugs and the checks that catch them."""

from functools import partial

import numpy as np
import pytest

import attention_core as core
from attention_core.experiments.positions.position_similarity import encoding_invariants
from attention_core.experiments.qkv.wrong_on_purpose import positions_side_by_side
from pages.look.facts import ROUNDING
from tests.app.positional_encoding.scene import WIDTH
from tests.app.steps import step

show = partial(step, "positional_encoding", "clinic")

CLINIC = {  # which of the four checks find a bug: at one distance, in lengths, by a rotation, under a shift
    "none": (False, False, False, False),
    "exponent from the raw index": (True, True, True, False),
    "halves read as neighbours": (False, False, True, False),
    "RoPE with mixed pairs": (False, False, False, True),
    "an odd width": (True, True, False, False),
}


@pytest.mark.parametrize("mistake", CLINIC)
def test_each_bug_is_caught_by_its_check_and_stands_beside_the_correct_picture(mistake):
    seen = show(mistake=mistake, length=64, d_model=32, base=100)
    checks = (*seen.result("checks"), seen.result("drift"))
    assert tuple(bool(check > 0.01) for check in checks) == CLINIC[mistake] or mistake == "an odd width"
    assert tuple(bool(check > ROUNDING) for check in checks) == CLINIC[mistake]
    assert len(seen.charts) == 1 + (mistake != "none")
    if mistake == "exponent from the raw index":
        np.testing.assert_allclose(show(length=64, d_model=32).result("checks")[:2], [4.27372, 0.52730], atol=5e-6)


def test_an_odd_width_stops_numpy_and_at_a_small_base_moves_the_checks():
    seen = show(mistake="an odd width", length=64, d_model=32, base=10)
    assert seen.result("complaint").endswith("from shape (64,16) into shape (64,15)")
    assert seen.result("checks").norms > 0.1


def test_halves_are_a_convention_and_the_bug_is_to_mix_it_with_another():
    halves, neighbours = positions_side_by_side(20, WIDTH), core.sinusoidal_positions(20, WIDTH)
    np.testing.assert_allclose(halves @ halves.T, neighbours @ neighbours.T, atol=1e-9)
    split = [slice(0, WIDTH // 2), slice(WIDTH // 2, WIDTH)]  # pairs of the halves rotate as pairs of neighbours do
    pairs = np.stack([halves[:, half] for half in split], axis=-1).reshape(halves.shape)
    assert encoding_invariants(pairs).steps < 1e-9 < encoding_invariants(halves).steps
