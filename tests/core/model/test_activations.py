"""The insides: every name agrees with the public functions, and the parts add up to the whole."""

import numpy as np
import pytest

import attention_core as core
from tests.core.gradients import moved_model

V, D, H, L, M, F = 11, 12, 3, 2, 7, 13
K, T = D // H, 5
POSITIONS = ["sinusoidal", "learned", "rope", "alibi", "none"]
BATCHES = [(), (7,), (7, 3)]
any_positions = pytest.mark.parametrize("positions", POSITIONS)
any_kind = pytest.mark.parametrize(
    "kind",
    [{}, {"norm": "post", "activation": "relu"}, {"d_ff": 0}, {"d_ff": 0, "norm": "post"}, {"causal": False}],
    ids=str,
)


def made(dtype=np.float64, **kind):
    return moved_model(core.Config(V, D, H, L, M, **{"d_ff": F} | kind), dtype)


def drawn(*batch):
    return np.random.default_rng(1).integers(V, size=(*batch, T))


def close(actual, expected):
    np.testing.assert_allclose(actual, expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("batch", BATCHES, ids=str)
def test_layers_come_first_then_the_batch(batch):
    inside = core.insides(made(), drawn(*batch))
    shapes = {name: array.shape for name, array in inside._asdict().items() if name != "final_norm"}
    heads = dict.fromkeys(("queries", "keys", "values", "head_outputs"), (L, *batch, H, T, K))
    tables = dict.fromkeys(("scores", "masked_scores", "weights"), (L, *batch, H, T, T))
    rows = dict.fromkeys(("attention_adds", "feed_forward_adds"), (L, *batch, T, D))
    ends = {"tokens": (*batch, T), "embedded": (*batch, T, D), "logits": (*batch, T, V)}
    stream = {"stream": (L + 1, *batch, T, D), "layer_logits": (L + 1, *batch, T, V), "middle": (L, *batch, T, D)}
    assert shapes == heads | tables | rows | ends | stream | {"head_writes": (L, *batch, H, T, D)}


@pytest.mark.parametrize("batch", BATCHES, ids=str)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@any_positions
def test_weights_and_logits_are_those_of_the_public_functions_bit_for_bit(positions, dtype, batch):
    model, tokens = made(dtype, positions=positions), drawn(*batch)
    inside = core.insides(model, tokens)
    assert np.array_equal(inside.tokens, tokens)
    assert np.array_equal(inside.logits, core.logits(model, tokens))
    assert np.array_equal(np.moveaxis(inside.weights, 0, -4), core.attention_weights(model, tokens))


@any_positions
@any_kind
def test_scores_are_the_scaled_products_of_queries_and_keys(positions, kind):
    inside = core.insides(made(positions=positions, **kind), drawn(7, 3))
    close(inside.scores, inside.queries @ inside.keys.mT / np.sqrt(K))
    close(core.softmax(inside.masked_scores), inside.weights)
    close(inside.weights @ inside.values, inside.head_outputs)


@any_positions
def test_the_mask_hides_the_future_and_adds_the_distances(positions):
    config = made(positions=positions).config
    inside = core.insides(made(positions=positions), drawn(7))
    future = core.causal_mask(T)
    assert (inside.masked_scores[..., future] == -np.inf).all()
    distances = core.alibi_bias(H, T) if config.slopes else np.zeros((H, T, T))
    close(
        (inside.masked_scores - inside.scores)[..., ~future], np.broadcast_to(distances, (L, 7, H, T, T))[..., ~future]
    )


@any_positions
def test_queries_keys_and_values_are_columns_of_three_matrices(positions):
    model = made(positions=positions)
    arrays, inside = core.named_arrays(model), core.insides(model, drawn(7))
    for i in range(L):
        gain, bias = arrays[f"blocks.{i}.norm1.gain"], arrays[f"blocks.{i}.norm1.bias"]
        normal = core.layer_norm(inside.stream[i], gain, bias)
        for name, found in (("w_q", inside.queries), ("w_k", inside.keys), ("w_v", inside.values)):
            for h in range(H):
                own = normal @ arrays[f"blocks.{i}.attention.{name}"][:, h * K : (h + 1) * K]
                turns = positions == "rope" and name != "w_v"
                close(found[i, :, h], core.rotate(own) if turns else own)


@pytest.mark.parametrize("batch", BATCHES, ids=str)
@any_kind
def test_what_the_heads_write_sums_to_what_attention_adds(kind, batch):
    model = made(**kind)
    inside = core.insides(model, drawn(*batch))
    close(inside.head_writes.sum(axis=-3), inside.attention_adds)
    own_rows = core.named_arrays(model)["blocks.1.attention.w_o"][2 * K : 3 * K]
    close(inside.head_writes[1, ..., 2, :, :], inside.head_outputs[1, ..., 2, :, :] @ own_rows)


@pytest.mark.parametrize("d_ff", [F, 0])
def test_the_stream_of_a_pre_norm_model_is_the_sum_of_all_that_was_written(d_ff):
    inside = core.insides(made(d_ff=d_ff), drawn(7, 3))
    assert np.array_equal(inside.stream[0], inside.embedded)
    written = inside.attention_adds + inside.feed_forward_adds
    close(inside.stream[1:], inside.embedded + np.cumsum(written, axis=0))
    assert inside.feed_forward_adds.any() == (d_ff > 0)
