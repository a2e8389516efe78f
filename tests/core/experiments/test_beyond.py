"""Texts longer than those of the training."""

import numpy as np
import pytest

from attention_core.experiments.positions import beyond as measured


def test_window_means_worked_by_hand():
    np.testing.assert_array_equal(measured.window_means(np.array([[1.0, 3.0, 5.0, 6.0]]), 2), [[2.0, 5.5]])


def test_what_the_page_says_holds_in_every_run():
    found = {
        kind: losses.reshape(len(measured.RUNS), -1, 8).mean(axis=2)
        for kind, losses in measured.losses_beyond().items()
    }
    inside, beyond = measured.TRAINED // 8, measured.READ // 8
    for losses in found.values():
        assert losses.shape == (len(measured.RUNS), beyond)
        assert np.ptp(losses[:, 1]) < 0.2  # all learned the training texts alike
    assert all((found["ALiBi"][:, inside:] < found[kind][:, inside:].max()).all() for kind in ("learned", "sinusoidal"))
    assert (found["ALiBi"][:, -1] < found["RoPE"][:, -1] - 0.5).all()
    assert (found["RoPE"][:, inside] < found[measured.LONG][:, inside] + 0.15).all()  # RoPE holds for some positions
    assert (found["RoPE"][:, -1] > found[measured.LONG][:, -1] + 1).all()
    assert (found["learned"][:, inside] > found["RoPE"][:, inside] + 1).all()
    assert (found["sinusoidal"][:, inside:].mean(axis=1) > found["learned"][:, inside:].mean(axis=1)).all()


def test_losses_have_one_number_for_each_position():
    losses = measured.losses_by_position(measured.train_on(measured.TRAINED, "ALiBi", 0, steps=2))
    assert losses.shape == (measured.READ,)
    assert np.ptp(losses) < 0.5  # two steps teach nothing yet


@pytest.mark.nightly
def test_the_command_gives_the_losses_that_ship():
    losses = measured.losses_by_position(measured.train_on(measured.TRAINED, "RoPE", measured.RUNS[0]))
    np.testing.assert_allclose(losses, measured.losses_beyond()["RoPE"][0], atol=0.011)
