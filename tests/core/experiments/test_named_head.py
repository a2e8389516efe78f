"""Heads made by hand from small numbers: each does its job, softly, and its columns say what they hold."""

import numpy as np

from attention_core.experiments.qkv.named_head import NAMED_COLUMNS, OWN, named_embedding

VECTORS = np.array([[0.9, 0.1, 0.8, 0.2], [0.1, 0.9, 0.3, 0.7], [0.8, 0.2, 0.7, 0.3]])
WORDS = ["the", "cat", "sat", "on", "the", "warm", "mat", "and", "it", "meowed"]


def test_the_columns_say_what_they_are_called():
    x = named_embedding(WORDS, ["cat", "sat", "mat"], VECTORS)
    column = dict(zip(NAMED_COLUMNS, x.T, strict=False))
    assert [WORDS[i] for i in np.flatnonzero(column["noun"])] == ["cat", "mat"]
    assert [WORDS[i] for i in np.flatnonzero(column["adjective"])] == ["warm"]
    assert [WORDS[i] for i in np.flatnonzero(column["pronoun"])] == ["it"]
    np.testing.assert_allclose(column["early"], 1 / np.arange(1, 11))
    np.testing.assert_array_equal(x[[1, 2, 6], OWN:], VECTORS)
    np.testing.assert_array_equal(x[0, OWN:], x[4, OWN:])
    said = [bool(row.any()) for row in x[:, OWN:]]
    assert said == [word not in ("the", "on", "and", "it") for word in WORDS]  # small words say little alone
    assert ((x[:, OWN:] >= 0) & (x[:, OWN:] <= 1)).all()
