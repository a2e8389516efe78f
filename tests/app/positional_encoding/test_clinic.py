"""clinic: the common bugs and the checks that catch them."""

import re
from functools import partial

import numpy as np
import pytest

import attention_core as core
from attention_core.experiments.positions.position_similarity import encoding_invariants
from attention_core.experiments.qkv.wrong_on_purpose import (
    positions_side_by_side,
    positions_with_raw_exponent,
    rotate_halves,
)
from tests.app.positional_encoding.scene import WIDTH, plain
from tests.app.steps import step
from tests.app.visits import said

show = partial(step, "positional_encoding", "clinic")

CLINIC = {
    "none": ("0", "0", "0", "0"),
    "exponent from the raw index": ("4.27372", "0.52730", None, "0"),
    "halves read as neighbours": ("0", "0", None, "0"),
    "RoPE with mixed pairs": ("0", "0", "0", None),
}


@pytest.mark.parametrize("mistake", CLINIC)
@pytest.mark.promise("positional_encoding 3")
def test_each_bug_is_caught_by_its_check(mistake):
    (table,) = [block for block in show(mistake=mistake, length=64, d_model=32).html if "<table>" in block]
    rows = [[plain(cell) for cell in re.findall("<td.*?>(.*?)</td>", row)] for row in table.split("<tr>")[2:]]
    for (_, reading, verdict), expected in zip(rows, CLINIC[mistake], strict=True):
        assert reading == expected if expected else float(reading) > 0.01
        assert verdict == ("✓ 0" if expected == "0" else "✕ not 0")


def test_no_check_shows_zeros_and_says_that_they_are_not():
    long = np.log10(np.ptp(np.linalg.norm(core.sinusoidal_positions(20, 63), axis=1)))
    told = said(show(mistake="an odd width"))
    assert "0.00000" not in told
    assert f" · 10{np.floor(long):.0f}".replace("-", "−") in told
    assert "less than 0.00001" in told


@pytest.mark.promise("positional_encoding 3")
def test_an_odd_width_stops_numpy_and_at_a_small_base_moves_the_checks():
    text = said(show(mistake="an odd width", length=64, d_model=32, base=10))
    assert "could not broadcast input array from shape (64,16) into shape (64,15)" in text
    odd = core.sinusoidal_positions(64, 31, 10.0)
    assert f"{np.ptp(np.linalg.norm(odd, axis=1)):.5f}" in text


def test_the_picture_of_a_bug_is_its_own():
    waves = positions_with_raw_exponent(20, WIDTH)
    spread = max(np.ptp(np.diagonal(waves @ waves.T, d)) for d in range(20))
    assert f"{spread:.5f}" in show().charts[0].alt
    same = np.full((20, WIDTH), np.sqrt(0.5))
    mixed = core.rotate(same) @ rotate_halves(same).T
    spread = max(np.ptp(np.r_[np.diagonal(mixed, d), np.diagonal(mixed, -d)]) for d in range(20))
    assert f"{spread:.5f}" in show(mistake="RoPE with mixed pairs").charts[0].alt
    apart = positions_side_by_side(20, WIDTH)
    assert np.ptp(np.diagonal(apart @ apart.T, 3)) < 1e-9


@pytest.mark.parametrize(("variant", "right"), [(0, 3), (1, 2), (2, 3), (3, 3)])
def test_the_check_that_catches_it_is_right(variant, right):
    question = show(variants={"meter": variant}).question("meter")
    assert question.right == (right,)
    assert [not mistake for mistake in question.mistakes] == [i == right for i in range(4)]


def test_halves_are_a_convention_and_the_bug_is_to_mix_it_with_another():
    halves, neighbours = positions_side_by_side(20, WIDTH), core.sinusoidal_positions(20, WIDTH)
    np.testing.assert_allclose(halves @ halves.T, neighbours @ neighbours.T, atol=1e-9)
    split = [slice(0, WIDTH // 2), slice(WIDTH // 2, WIDTH)]  # pairs of the halves rotate as pairs of neighbours do
    pairs = np.stack([halves[:, half] for half in split], axis=-1).reshape(halves.shape)
    assert encoding_invariants(pairs).steps < 1e-9 < encoding_invariants(halves).steps
    assert "convention, not a bug" in said(show(mistake="halves read as neighbours"))


def test_one_pairing_throughout_keeps_scores_under_a_shift_and_yet_differs_from_the_other():
    q, k = np.random.default_rng(0).standard_normal((2, 20, 8))
    here, shifted = (rotate_halves(q, offset=start) @ rotate_halves(k, offset=start).T for start in (0, 5))
    np.testing.assert_allclose(here, shifted, atol=1e-9)
    assert np.abs(here - core.rotate(q) @ core.rotate(k).T).max() > 1
    assert "no check here shows it" in said(show(mistake="RoPE with mixed pairs"))


@pytest.mark.parametrize("mistake", CLINIC)
def test_the_correct_picture_stands_beside_that_of_a_bug(mistake):
    seen = show(mistake=mistake)
    assert len(seen.charts) == 1 + (mistake != "none")
    if mistake != "none":
        waves = core.sinusoidal_positions(20, WIDTH)
        same = np.full((20, WIDTH), np.sqrt(0.5))
        rotated = core.rotate(same)
        rows = rotated if mistake == "RoPE with mixed pairs" else waves
        np.testing.assert_allclose(seen.page.recipe.arrays()["correct"], rows @ rows.T, atol=1e-9)
