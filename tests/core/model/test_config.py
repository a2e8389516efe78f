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
    }


def test_the_sizes_may_be_given_in_order():
    assert core.Config(11, 6, 3, 2, 7) == core.Config(**SIZES)


@pytest.mark.parametrize(("given", "kept"), [(None, 24), (0, 0), (5, 5)])
def test_the_hidden_width_is_four_times_the_width_unless_it_is_said(given, kept):
    assert core.Config(**SIZES, d_ff=given).d_ff == kept


def test_the_heads_share_the_width():
    assert core.Config(**SIZES).d_head == 2


def test_a_config_cannot_be_changed():
    config = core.Config(**SIZES)
    with pytest.raises(FrozenInstanceError):
        config.d_model = 12


def test_numbers_of_numpy_become_plain_ones():
    config = core.Config(**{name: np.int64(size) for name, size in SIZES.items()}, alibi_slopes=np.ones(3, np.float32))
    assert config == core.Config(**SIZES, alibi_slopes=(1.0, 1.0, 1.0))
    assert {type(getattr(config, name)) for name in SIZES} == {int}
    assert {type(slope) for slope in config.alibi_slopes} == {float}


def test_alibi_halves_the_slope_from_head_to_head_where_there_are_eight():
    config = core.Config(11, 8, 8, 2, 7, positions="alibi")
    assert config.slopes == (1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64, 1 / 128, 1 / 256)


@pytest.mark.parametrize("positions", ["sinusoidal", "learned", "rope", "none"])
def test_other_positions_have_no_slopes(positions):
    assert core.Config(**SIZES, positions=positions).slopes is None


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


@pytest.mark.parametrize("slope", [True, np.True_, 1j, np.complex128(1), "1", None])
def test_a_slope_is_a_real_number(slope):
    with pytest.raises(ValueError, match="alibi_slopes must be finite numbers of at least 0"):
        core.Config(**SIZES, alibi_slopes=(1, 2, slope))


def test_a_slope_past_all_floats_is_refused_like_an_infinite_one():
    with pytest.raises(ValueError, match="alibi_slopes must be finite numbers of at least 0"):
        core.Config(**SIZES, alibi_slopes=(1, 2, 10**400))
