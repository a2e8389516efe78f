"""Exercise on the KV cache: one new word attends to keys and values that were kept."""

import numpy as np

from attention_core import scaled_dot_product_attention
from attention_core.arrays import Array
from pages.exercises.exercise import Case, Exercise
from pages.exercises.faults.attention import NORMS, variants, wrong_attention
from pages.exercises.lessons.parts import normal, of_known, own_input
from pages.exercises.texts import TEXTS


def with_cache(x: Array, k: Array, v: Array, w_q: Array, w_k: Array, w_v: Array) -> tuple[Array, Array]:
    """Return the last row of causal attention, with keys and values of the earlier words from a cache."""
    keys, values = np.vstack([k, x @ w_k]), np.vstack([v, x @ w_v])
    output, weights = scaled_dot_product_attention((x @ w_q)[None], keys, values)
    return output[0], weights[0]


def wrong_cache(
    x: Array, k: Array, v: Array, w_q: Array, w_k: Array, w_v: Array, *, part: str = "right", **choices: str
) -> Array:
    query = (x if part == "cache_x" else x @ w_q)[None]
    if part == "scale_d_model":
        query = query * np.sqrt(k.shape[-1] / len(x))  # of which the scale below leaves 1 / √d_model
    key, value = (x @ w_q if part == "cache_query_kept" else x @ w_k), (x if part == "cache_x/value" else x @ w_v)
    keys, values = np.vstack([k, key]), np.vstack([v, value])
    if part == "cache_not_extended":
        keys, values = k, v
    elif part == "cache_replaced":
        keys, values = np.vstack([k[:-1], key]), np.vstack([v[:-1], value])
    elif part == "cache_ends":
        keys = np.vstack([key, k])
    elif part == "cache_new_alone":
        keys, values = key[None], value[None]
    return np.asarray(wrong_attention(query, keys, values, **choices)[0])


PARTS = (
    *("cache_not_extended", "cache_replaced", "cache_new_alone", "cache_query_kept", "cache_x", "cache_x/value"),
    *("cache_ends", "scale_d_model"),
)
SCALES = ("no_scale", "scale_no_sqrt", "scale_n", "scale_times", "scale_after")
OUTPUTS = ("out_wK", "hard_choice")
ROW_NORMS = [name for name in NORMS if not name.startswith(("softmax", "no_keepdims"))]  # of a single row


def next_words(rng: np.random.Generator) -> tuple[Case, ...]:
    """Return words, each after others whose keys and values are kept."""
    return tuple(
        Case(f"word {length + 1}, d_k = {width}", next_word(rng, length, d_model, width))
        for length, d_model, width in ((3, 4, 3), (1, 5, 2), (6, 3, 5))
    )


def next_word(rng: np.random.Generator, length: int, d_model: int, width: int) -> tuple[Array, ...]:
    """Return a word, the cache of those before it, and the matrices."""
    words, matrices = normal(rng, length + 1, d_model), [normal(rng, d_model, width) for _ in range(3)]
    return words[-1], words[:-1] @ matrices[1], words[:-1] @ matrices[2], *matrices


def own_word(words: list[str], d_model: int, n_heads: int) -> Case:
    """Return the test on the last of a student's words, after the others."""
    x, head, labels = own_input(words)
    cached = x[:-1] @ head.w_k, x[:-1] @ head.w_v
    return of_known(words, x[-1], *cached, *head[:3], rows=labels[-1:], columns=labels)


CACHE = Exercise(
    **TEXTS["kv_cache"],
    reference=with_cache,
    cases=next_words,
    variants=variants(wrong_cache, {"part": PARTS, "scale": SCALES, "norm": ROW_NORMS, "output": OUTPUTS}, at_once=1),
    pair=True,
    own=own_word,
)
