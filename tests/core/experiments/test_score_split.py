"""A score split by writers: it sums to the model's score, and each part is a direct computation."""

import numpy as np
import pytest

import attention_core as core
from attention_core.experiments.inside.score_split import Cell, score_writers, split_score
from attention_core.model.activations import insides
from tests.core.gradients import moved_model

V, D, H, L, M, F, T = 11, 8, 4, 3, 7, 13, 5
K = D // H
TOKENS = np.random.default_rng(1).integers(V, size=T)
KINDS = [
    *({"positions": kind} for kind in ("learned", "sinusoidal", "rope", "alibi", "none")),
    {"norm": "post"},
    {"norm": "post", "d_ff": 0, "positions": "rope"},
    {"positions": "learned", "attention_biases": "all", "epsilon": 0.3},
    {"positions": "rope", "normalization": "rms", "n_groups": 2, "attention_biases": "qkv"},
    {"norm": "post", "d_ff": 0, "attention_biases": "all"},
    {"d_ff": 0, "causal": False, "positions": "learned", "alibi_slopes": (0.5, 0.0, 2.0, 1.0)},
]


def made(dtype=np.float64, **kind):
    return moved_model(core.Config(V, D, H, L, M, **{"d_ff": F} | kind), dtype)


def cells(model):
    return [
        Cell(layer, head, query, key)
        for layer in range(L)
        for head in range(H)
        for query in range(T)
        for key in range(T if not model.config.causal else query + 1)
    ]


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float64, 1e-9), (np.float32, 1e-4)])
def test_the_terms_and_the_distance_sum_to_the_models_score(kind, dtype, tolerance):
    model = made(dtype, **kind)
    inside = insides(model, TOKENS)
    for cell in cells(model):
        found = split_score(model, inside, *cell)
        assert found.score == inside.masked_scores[cell]
        scale = max(abs(found.score), float(np.abs(found.terms).max()))
        assert abs(found.total - found.score) <= tolerance * scale
        names = score_writers(model.config, cell.layer)
        assert found.terms.shape == (len(names), len(names))
        own_key = inside.keys[cell.layer, cell.head, cell.key]
        for parts, vector in ((found.queries, inside.queries[cell[:3]]), (found.keys, own_key)):
            np.testing.assert_allclose(parts.sum(axis=0), vector, atol=tolerance * float(np.abs(parts).max()))


@pytest.mark.parametrize("kind", KINDS[:5], ids=str)
def test_each_part_is_what_the_head_computes_of_that_writer_alone(kind):
    model = made(**kind)
    inside = insides(model, TOKENS)
    layer, head, query, key = 2, 1, 4, 3
    x, (gain, bias) = inside.stream[layer], model.parameters.blocks[layer].norm1
    deviation = np.sqrt(x.var(axis=-1) + 1e-5)
    token = model.parameters.token_embedding[TOKENS]
    written = {"embedding": token, "positions": inside.embedded - token}
    for earlier in range(layer):
        w_o = model.parameters.blocks[earlier].attention.w_o.reshape(H, K, D)
        written |= {f"{earlier + 1}.{h + 1}": inside.head_outputs[earlier, h] @ w_o[h] for h in range(H)}
        written[f"MLP {earlier + 1}"] = inside.feed_forward_adds[earlier]
    w_qkv = model.parameters.blocks[layer].attention.w_qkv

    def direct(name, position, first):
        if name == "LayerNorm bias":
            vector = bias
        else:
            part = written[name][position]
            vector = (part - part.mean()) / deviation[position] * gain
        projected = vector @ w_qkv[:, first + head * K : first + (head + 1) * K]
        return core.rotate(projected[None], offset=position)[0] if kind["positions"] == "rope" else projected

    names = score_writers(model.config, layer)
    found = split_score(model, inside, layer, head, query, key)
    for i, writer in enumerate(names):
        np.testing.assert_allclose(found.queries[i], direct(writer, query, 0), atol=1e-12)
        np.testing.assert_allclose(found.keys[i], direct(writer, key, D), atol=1e-12)
        for j, other in enumerate(names):
            product = direct(writer, query, 0) @ direct(other, key, D) / np.sqrt(K)
            np.testing.assert_allclose(found.terms[i, j], product, atol=1e-12)
