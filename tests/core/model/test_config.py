"""The config: its defaults and the types of its fields."""

import json
from dataclasses import FrozenInstanceError, asdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import attention_core as core

SIZES = {"vocab_size": 11, "d_model": 6, "n_heads": 3, "n_layers": 2, "max_len": 7}


def test_what_is_not_said_takes_its_default():
    assert asdict(core.Config(**SIZES)) == SIZES | {
        "d_ff": 24,
        "positions": "sinusoidal",
        "activation": "gelu",
        "norm": "pre",
        "alibi_slopes": None,
        "causal": True,
        "dropout": 0.0,
        "normalization": "layer",
        "gated": False,
        "n_groups": None,
        "tied": True,
        "rope_base": 10000.0,
        "window": None,
        "attention_biases": "none",
        "epsilon": 1e-5,
    }


@pytest.mark.parametrize(("given", "kept"), [(None, 24), (0, 0), (5, 5)])
def test_the_hidden_width_is_four_times_the_width_unless_it_is_said(given, kept):
    assert core.Config(**SIZES, d_ff=given).d_ff == kept


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


@given(
    n_heads=st.integers(1, 7),
    d_head=st.integers(1, 5).map(lambda half: 2 * half),
    d_ff=st.none() | st.integers(0, 97),
    positions=st.sampled_from(["sinusoidal", "learned", "rope", "alibi", "none"]),
    norm=st.sampled_from(["pre", "post"]),
    activation=st.sampled_from(["gelu", "relu"]),
    causal=st.booleans(),
    dropout=st.floats(0, 1, exclude_max=True),
)
def test_every_config_comes_back_from_json(n_heads, d_head, **choices):
    config = core.Config(
        13, n_heads * d_head, n_heads, 3, 17, alibi_slopes=[0.1 * head for head in range(n_heads)], **choices
    )
    assert core.Config(**json.loads(json.dumps(asdict(config)))) == config
