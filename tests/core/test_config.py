"""The config: its defaults, the types of its fields, and what it refuses."""

import json
import re
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
    config = core.Config(13, n_heads * d_head, n_heads, 3, 17, alibi_slopes=range_of_slopes(n_heads), **choices)
    assert core.Config(**json.loads(json.dumps(asdict(config)))) == config


def range_of_slopes(n_heads):
    return [head / 7 for head in range(n_heads)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"vocab_size": 0}, "vocab_size must be at least 1, got 0"),
        ({"d_model": 6.0}, "d_model must be a whole number, got 6.0"),
        ({"n_heads": True}, "n_heads must be a whole number, got True"),
        ({"n_layers": "2"}, "n_layers must be a whole number, got '2'"),
        ({"max_len": -1}, "max_len must be at least 1, got -1"),
        ({"d_ff": -1}, "d_ff must be at least 0, got -1"),
        ({"n_heads": 4}, "n_heads must divide d_model, got n_heads 4 and d_model 6"),
        ({"n_heads": 2, "positions": "rope"}, "rope turns pairs: d_model / n_heads must be even, got 6 / 2"),
        (
            {"positions": "absolute"},
            "positions must be one of sinusoidal, learned, rope, alibi, none, got 'absolute'",
        ),
        ({"activation": "swish"}, "activation must be one of gelu, relu, got 'swish'"),
        ({"norm": None}, "norm must be one of pre, post, got None"),
        ({"causal": 1}, "causal must be True or False, got 1"),
        ({"dropout": 1.0}, "dropout must be in [0, 1), got 1.0"),
        ({"dropout": -0.1}, "dropout must be in [0, 1), got -0.1"),
        ({"dropout": float("nan")}, "dropout must be in [0, 1), got nan"),
        ({"dropout": "some"}, "dropout must be in [0, 1), got 'some'"),
        ({"alibi_slopes": [1, 2]}, "alibi_slopes must be 3 numbers, one a head, got [1, 2]"),
        ({"alibi_slopes": 1.0}, "alibi_slopes must be 3 numbers, one a head, got 1.0"),
        ({"alibi_slopes": [1, 2, -3]}, "alibi_slopes must be finite numbers of at least 0, got [1, 2, -3]"),
        ({"alibi_slopes": [1, 2, float("inf")]}, "alibi_slopes must be finite numbers of at least 0, got [1, 2, inf]"),
        ({"alibi_slopes": [1, 2, "3"]}, "alibi_slopes must be finite numbers of at least 0, got [1, 2, '3']"),
        ({"alibi_slopes": [1, 2, 10**400]}, "alibi_slopes must be finite numbers of at least 0, got [1, 2, 1000"),
    ],
)
def test_a_config_that_makes_no_model_says_why(change, message):
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        core.Config(**SIZES | change)
