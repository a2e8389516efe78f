"""The stages at a glance: small pictures of the same computations, at a fixed small size."""

import numpy as np

from attention_core.arrays import Array
from attention_core.equations.positions import shift_matrix, sinusoidal_positions
from attention_core.experiments.one_head import random_head
from attention_core.experiments.position_kinds import (
    likeness_table,
    one_word,
    pipeline,
    place_table,
    placed_attention,
    score_terms,
    summed_terms,
    with_places,
)
from attention_core.experiments.position_similarity import rope_products
from attention_core.experiments.wrong_on_purpose import positions_with_raw_exponent
from attention_core.text.word_vectors import word_vectors
from pages.look.thumbnails import thumbnail

SIZE, BASE = 12, 100.0


def thumbnails(words: list[str], seed: int) -> list[str]:
    """Return one small picture a stage."""
    few = words[:SIZE]
    x, head = word_vectors(few, SIZE, seed), random_head(SIZE, 8, seed)
    table = sinusoidal_positions(SIZE, SIZE, BASE)
    own = place_table("sinusoidal", len(few), SIZE, BASE)
    same = one_word(SIZE, SIZE)
    wrong = positions_with_raw_exponent(SIZE, SIZE, BASE)
    pictures: list[tuple[Array, float | None]] = [
        (placed_attention(x, head, "none").output, 4.0),
        (table, 1.0),
        (table[:, [0, 4, 8]].T, 1.0),
        (likeness_table("sinusoidal", SIZE, SIZE, BASE), SIZE / 2),
        (shift_matrix(2, 6, BASE), 1.0),
        (with_places(x, own), 4.0),
        (summed_terms(score_terms(x, own, head)), 4.0),
        (rope_products(same, same, BASE), SIZE / 2),
        (placed_attention(x, head, "ALiBi").weights, None),
        (wrong @ wrong.T, SIZE / 2),
        (np.repeat(with_places(x, own)[:, :1], 6, axis=1), 4.0),
        (pipeline(x, own, n_heads=4, deviation=0.3, seed=seed).lengths, 8.0),
    ]
    return [thumbnail(values, limit) for values, limit in pictures]
