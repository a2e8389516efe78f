"""Every number that four tutorials print, made again by this library from the tutorials' own seeds.

The numbers lie in `data/tutorial_numbers.json`, tutorial by tutorial, entry by entry; `how` says in words how the
inputs were drawn. Below stands one recipe for each entry, and at the end what holds both against each other.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import attention_core as core
from attention_core.equations.attention import attention_forward

TUTORIALS = json.loads((Path(__file__).parent / "data" / "tutorial_numbers.json").read_text(encoding="utf-8"))
CAT, ALL_YOU_NEED, CHAI, FLUFFY = (
    "000_33884b6d88360182.txt",
    "001_ea97c73dc0797400.txt",
    "002_81a875a4ffc033ab.txt",
    "003_678a4cc34a44a499.txt",
)
RECIPES = {}


def recipe(tutorial, entry):
    """Register a function that returns the numbers of one entry."""

    def register(function):
        RECIPES[tutorial, entry] = function
        return function

    return register


def walkthrough():
    """Return q, k and v of "The cat sat down"."""
    rng = np.random.RandomState(42)
    embeddings = rng.randn(4, 6)
    return [embeddings @ (rng.randn(6, 4) * 0.5) for _ in range(3)]


@recipe(CAT, "walkthrough")
def the_cat_sat_down():
    q, k, v = walkthrough()
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


@recipe(CAT, "mask_after_softmax_row_sums")
def what_is_left_of_the_rows_if_the_mask_comes_after_the_softmax():
    _, weights = core.scaled_dot_product_attention(*walkthrough())
    return np.where(core.causal_mask(4), 0, weights).sum(axis=-1)


@recipe(CAT, "unscaled_max_weight")
def the_largest_weight_without_scaling():
    return core.scaled_dot_product_attention(*walkthrough(), scale=1)[1].max()


@recipe(CAT, "scaled_max_weight")
def the_largest_weight_with_scaling():
    return core.scaled_dot_product_attention(*walkthrough())[1].max()


@recipe(CAT, "scaling_one_draw")
def why_scores_are_scaled():
    rng = np.random.RandomState(42)
    rows = []
    for width in (4, 16, 64, 256, 512):
        q, k = rng.randn(4, width), rng.randn(4, width)
        scaled, unscaled = (core.scaled_dot_product_attention(q, k, k, scale=scale)[1].max() for scale in (None, 1))
        rows.append([width, round(scaled, 6), round(unscaled, 6)])
    return {"columns": ["d_k", "max weight scaled", "max weight unscaled"], "rows": rows}


@recipe(CAT, "exercise_1")
def three_questions_to_three_keys():
    q, k = np.array([[1, 0], [0, 1], [1, 1]]), np.array([[1, 0], [0, 1], [0.5, 0.5]])
    return {"Q": q, "K": k, "weights": core.softmax(q @ k.T / np.sqrt(2))}


@recipe(CAT, "exercise_2")
def three_words_that_look_back():
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


@recipe(CAT, "two_heads")
def the_cat_sat_down_with_two_heads():
    embeddings = np.random.RandomState(42).randn(4, 6)
    return heads_drawn_one_by_one(embeddings, np.random.RandomState(42), 2, None)


@recipe(CAT, "three_heads_causal")
def the_cat_sat_on_the_warm_mat_with_three_heads_that_look_back():
    rng = np.random.RandomState(7)
    return heads_drawn_one_by_one(rng.randn(7, 12), rng, 3, core.causal_mask(7))


@recipe(ALL_YOU_NEED, "dot_products")
def three_words_and_how_alike_they_are():
    words = {"cat": [0.9, 0.1, 0.8, 0.2], "sat": [0.1, 0.9, 0.3, 0.7], "mat": [0.8, 0.2, 0.7, 0.3]}
    scores = attention_forward(*[np.array(list(words.values()))] * 3, scale=1.0).scores
    return words | {"cat_sat": scores[0, 1], "cat_mat": scores[0, 2], "sat_mat": scores[1, 2]}


@recipe(ALL_YOU_NEED, "five_tokens")
def five_tokens():
    rng = np.random.RandomState(42)
    embeddings = rng.randn(5, 8)
    q, k, v = (embeddings @ (rng.randn(8, 8) * 0.3) for _ in range(3))
    output, weights = core.scaled_dot_product_attention(q, k, v)
    return {"weights": weights, "output": output}


@recipe(ALL_YOU_NEED, "positional")
def twenty_positions():
    encoding = core.sinusoidal_positions(20, 64)
    return {
        "pe_0_dot_1": encoding[0] @ encoding[1],
        "pe_0_dot_19": encoding[0] @ encoding[19],
        "pe_1_first_6": encoding[1, :6],
    }


def eight_heads_of(x, rng):
    """Return output and weights of eight heads with freshly drawn matrices."""
    return core.multi_head_attention(x, *(rng.randn(64, 64) * 0.3 for _ in range(4)), 8)


@recipe(ALL_YOU_NEED, "eight_heads")
def six_tokens_with_eight_heads():
    rng = np.random.RandomState(42)
    output, weights = eight_heads_of(rng.randn(6, 64), rng)
    return {"weights_head0_row0": weights[0, 0], "output_row0_first8": output[0, :8], "output_sum": output.sum()}


@recipe(ALL_YOU_NEED, "pipeline")
def six_tokens_that_know_their_place():
    rng = np.random.RandomState(42)
    x = rng.randn(6, 64) * 0.5 + core.sinusoidal_positions(6, 64)
    output, _ = eight_heads_of(x, rng)
    return {"norms_before": np.linalg.norm(x, axis=-1), "norms_after": np.linalg.norm(output, axis=-1)}


@recipe(CHAI, "chai")
def the_chai_is_hot():
    rng = np.random.RandomState(42)
    x = rng.randn(4, 8)
    q, k, v = (x @ rng.randn(8, 4) for _ in range(3))
    output, weights = core.scaled_dot_product_attention(q, k, v)
    causal_output, causal_weights = core.scaled_dot_product_attention(q, k, v, core.causal_mask(4))
    return {"weights": weights, "output": output, "causal_weights": causal_weights, "causal_output": causal_output}


@recipe(FLUFFY, "fluffy")
def a_fluffy_blue_creature_roamed_the_verdant_forest():
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


@pytest.mark.parametrize(("tutorial", "entry"), RECIPES)
def test_the_library_makes_every_number_of_an_entry(tutorial, entry):
    found, expected = RECIPES[tutorial, entry](), TUTORIALS[tutorial][entry]
    if not isinstance(expected, dict):
        assert_same(found, expected)
        return
    numbers = {name: value for name, value in expected.items() if name != "how"}
    assert sorted(found) == sorted(numbers)
    for name, value in numbers.items():
        assert_same(found[name], value)


def test_no_entry_of_the_file_is_left_out():
    entries = [(tutorial, entry) for tutorial, entries in TUTORIALS.items() for entry in entries]
    assert sorted(RECIPES) == sorted(entries)
