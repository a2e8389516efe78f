"""A model as text: it comes back to the last bit, whatever it is, and a script can carry it."""

import numpy as np
import pytest

import attention_core as core
from attention_core.text.encoded import pack, unpack

SIZES = {"vocab_size": 11, "d_model": 12, "n_heads": 3, "n_layers": 2, "max_len": 7}
KINDS = [
    {},
    *({"positions": positions} for positions in ("sinusoidal", "learned", "rope", "alibi", "none")),
    {"norm": "post", "activation": "relu"},
    {"d_ff": 0},
    {"d_ff": 13, "causal": False},
    {"alibi_slopes": (1.0, 0.1, 0.0), "positions": "learned"},
    {"dropout": 0.1},
    {"n_layers": 4, "n_heads": 1, "vocab_size": 1, "max_len": 1},
]
any_kind = pytest.mark.parametrize("kind", KINDS, ids=str)


def made(**kind):
    model = core.init_model(core.Config(**SIZES | kind), 3)
    model.flat[:] += np.random.default_rng(5).standard_normal(model.flat.size) / 7
    return model


def rounded(model):
    """Return the model with numbers that float16 holds exactly."""
    return core.Model.of(model.config, model.flat.astype(np.float16).astype(np.float32))


def assert_same(one, other):
    assert one.config == other.config
    assert one.flat.dtype == other.flat.dtype == np.float32
    assert one.flat.tobytes() == other.flat.tobytes()  # the sign of zero included
    arrays = core.named_arrays(other)
    assert all(np.array_equal(array, arrays[name], equal_nan=True) for name, array in core.named_arrays(one).items())


@any_kind
def test_a_model_comes_back_to_the_last_bit(kind):
    model = made(**kind)
    config, numbers = pack(model)
    assert numbers.startswith("float32:")
    assert_same(unpack(config, numbers), model)


@any_kind
def test_where_float16_holds_all_numbers_the_text_is_half_as_long(kind):
    model = rounded(made(**kind))
    config, numbers = pack(model)
    assert numbers.startswith("float16:")
    assert len(numbers) - 8 == pytest.approx((len(pack(made(**kind))[1]) - 8) / 2, abs=4)
    assert_same(unpack(config, numbers), model)


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf, 1e30, 65519.0, 65520.0, 60000.0, 1e-45, -0.0])
def test_numbers_that_diverged_or_are_extreme_come_back(number):
    model = rounded(made())
    model.flat[[0, 17, -1]] = number
    assert_same(unpack(*pack(model)), model)
