"""The KV cache: reading token by token gives the logits of reading everything at once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import attention_core as core
from attention_core.model.forward import model_forward
from attention_core.model.kv_cache import Decoder
from tests.core.gradients import moved_model

V, D, H, L, M, F = 11, 12, 3, 2, 17, 13
TOKENS = np.random.default_rng(1).integers(V, size=M)
any_positions = pytest.mark.parametrize("positions", ["sinusoidal", "learned", "rope", "alibi", "none"])
any_kind = pytest.mark.parametrize(
    "kind",
    [
        {},
        {"norm": "post", "activation": "relu", "epsilon": 0.3},
        {"d_ff": 0},
        {"d_ff": 0, "norm": "post"},
        {"alibi_slopes": (0.7, 0.0, 2.0)},
        {"window": 5, "n_groups": 1, "attention_biases": "qkv"},
        {"attention_biases": "all", "epsilon": 0.3, "activation": "gelu_erf"},
        {"attention_biases": "all", "epsilon": 0.3, "normalization": "rms", "gated": True, "activation": "silu"},
        {"window": 5, "alibi_slopes": (0.7, 0.0, 2.0)},
    ],
    ids=str,
)


def made(dtype=np.float64, **kind):
    return moved_model(core.Config(V, D, H, L, M, **{"d_ff": F} | kind), dtype)


@any_positions
@any_kind
@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float32, 1e-5), (np.float64, 1e-12)])
def test_each_step_gives_the_logits_of_the_whole_prefix(positions, kind, dtype, tolerance):
    model = made(dtype, positions=positions, **kind)
    decoder = Decoder(model)
    for length in range(1, M + 1):
        logits = decoder.step(int(TOKENS[length - 1]))
        expected = core.logits(model, TOKENS[:length])[-1]
        assert logits.dtype == dtype
        assert np.abs(logits - expected).max() < tolerance * np.abs(expected).max()
    read_at_once = Decoder(model)
    read_at_once.prefill(model_forward(model, TOKENS[:-1]))
    np.testing.assert_allclose(read_at_once.step(int(TOKENS[-1])), logits, rtol=100 * tolerance, atol=100 * tolerance)


@any_positions
def test_what_it_prepares_is_as_long_as_its_room_and_not_as_the_model_may_read(positions):
    model = made(positions=positions)
    decoder = Decoder(model, 5)
    for token in TOKENS[:5]:
        logits = decoder.step(int(token))
    np.testing.assert_allclose(logits, core.logits(model, TOKENS[:5])[-1], rtol=1e-10, atol=1e-10)
    tables = [decoder.phase, None if decoder.bias is None else decoder.bias.T]
    tables += [None if positions == "learned" else decoder.positions]
    assert {len(table) for table in tables if table is not None} <= {5}


@given(size=st.floats(1e-3, 1e3))
def test_scores_of_any_size_neither_overflow_nor_vanish(size):
    model = made(np.float32)
    for name, array in core.named_arrays(model).items():
        if name.endswith(("w_q", "w_k")):
            array *= size
    decoder = Decoder(model)
    logits = np.stack([decoder.step(int(token)) for token in TOKENS[:5]])
    assert np.abs(logits - core.logits(model, TOKENS[:5])).max() < 1e-2
