"""Every number that four tutorials print, made again by this library from the tutorials' own seeds.

The numbers lie in `data/tutorial_numbers.json`, tutorial by tutorial, entry by entry; `how` says in words how the
inputs were drawn. Below stands one function for each entry, with its name, and at the end what compares both.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import attention_core as core
from attention_core.equations.attention import attention_forward

TUTORIALS = json.loads((Path(__file__).parent / "data" / "tutorial_numbers.json").read_text(encoding="utf-8"))
ENTRIES = {name: entry for entries in TUTORIALS.values() for name, entry in entries.items()}


def queries_keys_values():
    """Return q, k and v of "The cat sat down"."""
    rng = np.random.RandomState(42)
    embeddings = rng.randn(4, 6)
    return [embeddings @ (rng.randn(6, 4) * 0.5) for _ in range(3)]


def walkthrough():
    q, k, v = queries_keys_values()
    scaled = attention_forward(q, k, v)
    causal_output, causal_weights = core.scaled_dot_product_attention(q, k, v, core.causal_mask(4))
    return {
        "Q": q,
        "K": k,
        "V": v,
        "raw_scores": attention_forward(q, k, v, scale=1.0).scores,
        "scaled_scores": scaled.scores,
        "weights": scaled.weights,
        "output": scaled.output,
        "causal_weights": causal_weights,
        "causal_output": causal_output,
    }


def mask_after_softmax_row_sums():
    _, weights = core.scaled_dot_product_attention(*queries_keys_values())
    return np.where(core.causal_mask(4), 0, weights).sum(axis=-1)


def unscaled_max_weight():
    return core.scaled_dot_product_attention(*queries_keys_values(), scale=1)[1].max()


def scaled_max_weight():
    return core.scaled_dot_product_attention(*queries_keys_values())[1].max()


def scaling_one_draw():
    rng = np.random.RandomState(42)
    rows = []
    for width in (4, 16, 64, 256, 512):
        q, k = rng.randn(4, width), rng.randn(4, width)
        scaled, unscaled = (core.scaled_dot_product_attention(q, k, k, scale=scale)[1].max() for scale in (None, 1))
        rows.append([width, round(scaled, 6), round(unscaled, 6)])
    return {"columns": ["d_k", "max weight scaled", "max weight unscaled"], "rows": rows}


def exercise_1():
    q, k = np.array([[1, 0], [0, 1], [1, 1]]), np.array([[1, 0], [0, 1], [0.5, 0.5]])
    return {"Q": q, "K": k, "weights": core.softmax(q @ k.T / np.sqrt(2))}


def exercise_2():
    rng = np.random.RandomState(0)
    q, k, v = (rng.randn(3, 2) for _ in range(3))
    output, weights = core.scaled_dot_product_attention(q, k, v, core.causal_mask(3))
    return {"weights": weights, "output": output}


def heads_drawn_one_by_one(embeddings, rng, n_heads, mask):
    """Return output and weights of heads whose matrices are drawn head after head, then that of the output."""
    width = embeddings.shape[1]
    heads = [[rng.randn(width, width // n_heads) / np.sqrt(width) for _ in range(3)] for _ in range(n_heads)]
    w_q, w_k, w_v = (np.hstack(columns) for columns in zip(*heads, strict=True))
    w_o = rng.randn(width, width) / np.sqrt(width)
    output, weights = core.multi_head_attention(embeddings, w_q, w_k, w_v, w_o, n_heads, mask)
    return {"weights": weights, "output": output}


def two_heads():
    embeddings = np.random.RandomState(42).randn(4, 6)
    return heads_drawn_one_by_one(embeddings, np.random.RandomState(42), 2, None)


def three_heads_causal():
    rng = np.random.RandomState(7)
    return heads_drawn_one_by_one(rng.randn(7, 12), rng, 3, core.causal_mask(7))


def dot_products():
    words = {"cat": [0.9, 0.1, 0.8, 0.2], "sat": [0.1, 0.9, 0.3, 0.7], "mat": [0.8, 0.2, 0.7, 0.3]}
    scores = attention_forward(*[np.array(list(words.values()))] * 3, scale=1.0).scores
    return words | {"cat_sat": scores[0, 1], "cat_mat": scores[0, 2], "sat_mat": scores[1, 2]}


def five_tokens():
    rng = np.random.RandomState(42)
    embeddings = rng.randn(5, 8)
    q, k, v = (embeddings @ (rng.randn(8, 8) * 0.3) for _ in range(3))
    output, weights = core.scaled_dot_product_attention(q, k, v)
    return {"weights": weights, "output": output}


def positional():
    encoding = core.sinusoidal_positions(20, 64)
    return {
        "pe_0_dot_1": encoding[0] @ encoding[1],
        "pe_0_dot_19": encoding[0] @ encoding[19],
        "pe_1_first_6": encoding[1, :6],
    }


def eight_heads_of(x, rng):
    """Return output and weights of eight heads with freshly drawn matrices."""
    return core.multi_head_attention(x, *(rng.randn(64, 64) * 0.3 for _ in range(4)), 8)


def eight_heads():
    rng = np.random.RandomState(42)
    output, weights = eight_heads_of(rng.randn(6, 64), rng)
    return {"weights_head0_row0": weights[0, 0], "output_row0_first8": output[0, :8], "output_sum": output.sum()}


def pipeline():
    rng = np.random.RandomState(42)
    x = rng.randn(6, 64) * 0.5 + core.sinusoidal_positions(6, 64)
    output, _ = eight_heads_of(x, rng)
    return {"norms_before": np.linalg.norm(x, axis=-1), "norms_after": np.linalg.norm(output, axis=-1)}


def chai():
    rng = np.random.RandomState(42)
    x = rng.randn(4, 8)
    q, k, v = (x @ rng.randn(8, 4) for _ in range(3))
    output, weights = core.scaled_dot_product_attention(q, k, v)
    causal_output, causal_weights = core.scaled_dot_product_attention(q, k, v, core.causal_mask(4))
    return {"weights": weights, "output": output, "causal_weights": causal_weights, "causal_output": causal_output}


def fluffy():
    rng = np.random.RandomState(0)
    embeddings = rng.randn(8, 16) * 0.5
    q, k, v = (embeddings @ (rng.randn(16, 8) * 0.3) for _ in range(3))
    output, weights = core.scaled_dot_product_attention(q, k, v, core.causal_mask(8))
    return {"weights": weights, "output": output}


def assert_same(found, expected):
    """Hold numbers against those of the file: lists are rounded to 8 decimals there, single numbers are not."""
    if isinstance(expected, str) or np.asarray(expected).dtype.kind == "U":
        assert found == expected
        return
    assert np.shape(found) == np.shape(expected)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=5.01e-9 if np.ndim(expected) else 0)


@pytest.mark.parametrize("entry", ENTRIES)
def test_the_library_makes_every_number_of_an_entry(entry):
    found, expected = globals()[entry](), ENTRIES[entry]
    if not isinstance(expected, dict):
        assert_same(found, expected)
        return
    numbers = {name: value for name, value in expected.items() if name != "how"}
    assert sorted(found) == sorted(numbers)
    for name, value in numbers.items():
        assert_same(found[name], value)
