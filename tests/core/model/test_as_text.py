"""A model as text: it comes back to the last bit, whatever it is, and a script can carry it."""

import json
import string
from dataclasses import asdict

import numpy as np
import pytest

import attention_core as core
from attention_core.model.as_text import pack, unpack
from attention_core.shipped.models import model_at
from attention_core.shipped.plans import MODELS
from tests.core.errors import check, says

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


@pytest.mark.parametrize("name", MODELS)
def test_the_models_that_ship_come_back(name):
    for step in MODELS[name].stops:
        config, numbers = pack(model_at(name, step))
        assert numbers.startswith("float16:" if step else "float32:")
        assert_same(unpack(config, numbers), model_at(name, step))


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf, 1e30, 65519.0, 65520.0, 60000.0, 1e-45, -0.0])
def test_numbers_that_diverged_or_are_extreme_come_back(number):
    model = rounded(made())
    model.flat[[0, 17, -1]] = number
    assert_same(unpack(*pack(model)), model)


def test_what_is_packed_is_plain_text_on_one_line():
    config, numbers = pack(made())
    assert json.loads(config) == asdict(core.Config(**SIZES))
    kind, text = numbers.split(":")
    assert kind == "float32"
    assert set(text) <= set(string.ascii_letters + string.digits + "+/=")


def test_a_model_that_came_back_computes_the_same_and_can_be_written_into():
    model = made()
    again = unpack(*pack(model))
    assert np.array_equal(core.logits(again, [3, 1, 4]), core.logits(model, [3, 1, 4]))
    again.flat[:] = 0
    assert all((array == 0).all() for array in core.named_arrays(again).values())


def test_to_pack_a_model_does_not_change_it():
    model = made()
    before = model.flat.tobytes()
    model.flat.flags.writeable = False
    assert pack(model) == pack(model)
    assert model.flat.tobytes() == before


CONFIG, NUMBERS = pack(made())


@says(
    (lambda: unpack(CONFIG, "float32"), "not enough values to unpack"),
    (lambda: unpack(CONFIG, "float32:AAAA"), "buffer size must be a multiple of element size"),
    (lambda: unpack(CONFIG.replace("12", "14"), NUMBERS), "n_heads must divide d_model"),
)
def test_what_was_cut_is_refused(call, message):
    check(call, message)
