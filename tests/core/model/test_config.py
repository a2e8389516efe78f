"""The config: its defaults and the types of its fields."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

import attention_core as core

SIZES = {"vocab_size": 11, "d_model": 6, "n_heads": 3, "n_layers": 2, "max_len": 7}


def test_what_is_not_said_takes_its_default():
    assert repr(core.Config(**SIZES)).partition("max_len=7, ")[2] == (
        "d_ff=24, positions='sinusoidal', activation='gelu', norm='pre', alibi_slopes=None, causal=True, dropout=0.0, "
        "normalization='layer', gated=False, n_groups=None, tied=True, rope_base=10000.0, window=None, "
        "attention_biases='none', epsilon=1e-05)"
    )


def test_a_config_cannot_be_changed():
    config = core.Config(**SIZES)
    with pytest.raises(FrozenInstanceError):
        config.d_model = 12


def test_numbers_of_numpy_become_plain_ones():
    sizes = SIZES | {"n_groups": 1, "window": 2, "d_ff": 5}
    config = core.Config(**{name: np.int64(size) for name, size in sizes.items()}, alibi_slopes=np.ones(3, np.float32))
    assert config == core.Config(**sizes, alibi_slopes=(1.0, 1.0, 1.0))
    assert {type(getattr(config, name)) for name in sizes} == {int}
    assert {type(slope) for slope in config.alibi_slopes} == {float}


@pytest.mark.parametrize("positions", ["sinusoidal", "learned", "rope", "alibi", "none"])
def test_slopes_that_are_given_count_whatever_the_positions_are(positions):
    assert core.Config(**SIZES, positions=positions, alibi_slopes=[2, 0, 0.5]).slopes == (2.0, 0.0, 0.5)
