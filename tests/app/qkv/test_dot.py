"""dot: three words whose numbers can be changed, and their dot products."""

from functools import partial

import numpy as np
import pytest

from tests.app.qkv.scene import VECTORS, card, close
from tests.app.steps import step
from tests.app.visits import heatmap, main

show = partial(step, "qkv", "dot")


def agreement(vectors=VECTORS):
    rows = np.array(list(vectors.values()))
    return rows @ rows.T


@pytest.mark.promise("tutorial 1")
def test_the_three_words_agree_as_paper_and_pencil_say():
    seen = heatmap(main(show()))
    expected = {("cat", "sat"): 0.56, ("cat", "mat"): 1.36, ("sat", "mat"): 0.68}
    for (left, right), value in expected.items():
        i, j = seen.rows.index(left), seen.columns.index(right)
        close([seen.values[i, j], seen.values[j, i]], value)
    assert [round(float(np.linalg.norm(vector)), 2) for vector in VECTORS.values()] == [1.22, 1.18, 1.12]
    title, rows, lines = card(show(a="cat", b="sat"))
    assert title == "cat · sat = 0.56"
    assert rows == [
        ("1", "0.90", "0.10", "0.09"),
        ("2", "0.10", "0.90", "0.09"),
        ("3", "0.80", "0.30", "0.24"),
        ("4", "0.20", "0.70", "0.14"),
    ]
    assert lines == [("sum the dot product", "0.56")]


@pytest.mark.parametrize(
    ("text", "vector"),
    [
        ("1, -2; 3", [1, -2, 3, 0]),  # filled with zeros
        ("1 2 3 4 5 6 7 8", [1, 2, 3, 4, 5, 6, 7, 8]),  # so that the others are
        ("1 2 x", VECTORS["sat"]),  # the usual numbers stand in for nonsense
    ],
)
def test_what_is_typed_is_used_as_far_as_it_can_be(text, vector):
    padded = {name: values + [0] * (len(vector) - len(values)) for name, values in {**VECTORS, "sat": vector}.items()}
    close(heatmap(main(show(sat=text))).values, agreement(padded))
