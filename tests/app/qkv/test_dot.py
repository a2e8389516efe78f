"""dot: three words whose numbers can be changed, and their dot products."""

import re
from functools import partial

import numpy as np
import pytest

from pages.qkv.dot import tasks_done
from tests.app.qkv.scene import VECTORS, card, close
from tests.app.steps import step
from tests.app.visits import controls, heatmap, main, nodes, rerun, said, set_to, shared, visit

show = partial(step, "qkv", "dot")
NONSENSE = ["", "cat", "1 2 x", "nan 1", "inf", "1e309", "100", "0x10", "<b>1</b>", "1\x002", "½", "--1", "1 " * 9]


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
        assert f"{left} · {right} is {value}" in main(show()).alt.lower()
    assert [round(float(np.linalg.norm(vector)), 2) for vector in VECTORS.values()] == [1.22, 1.18, 1.12]
    assert main(show()).alt.endswith("cat 1.22, sat 1.18, mat 1.12.")
    title, rows, lines = card(show(a="cat", b="sat"))
    assert title == "cat · sat = 0.56"
    assert rows == [
        ("1", "0.90", "0.10", "0.09"),
        ("2", "0.10", "0.90", "0.09"),
        ("3", "0.80", "0.30", "0.24"),
        ("4", "0.20", "0.70", "0.14"),
    ]
    assert lines == [("sum the dot product", "0.56")]


def test_a_vector_may_match_a_longer_one_better_than_itself():
    seen = heatmap(main(show()))
    cat, mat = seen.rows.index("cat"), seen.rows.index("mat")
    assert seen.values[mat, cat] > seen.values[mat, mat]
    assert seen.values[cat, cat] > seen.values[mat, mat]  # cat is the longer one


@pytest.mark.parametrize("text", NONSENSE)
def test_nonsense_in_a_vector_is_named_and_the_usual_numbers_stand(text):
    app = show(mat=text)
    assert "The vector of mat must be up to 8 numbers" in said(app)
    close(heatmap(main(app)).values, agreement())


def test_what_is_typed_well_again_is_complained_of_no_more():
    app = set_to(visit("qkv", step="dot"), qkv_mat="1 2 x")
    assert "The vector of" in said(app)
    assert "The vector of" not in said(set_to(app, qkv_mat="0.8 0.2 0.7 0.3"))


@pytest.mark.parametrize(
    ("text", "vector"),
    [
        ("1, -2; 3", [1, -2, 3, 0]),
        ("−1.5", [-1.5, 0, 0, 0]),
        ("1 2 3 4 5 6 7 8", [1, 2, 3, 4, 5, 6, 7, 8]),
        ("99 -99 0 0", [99, -99, 0, 0]),
    ],
)
def test_vectors_of_any_length_are_filled_with_zeros_and_it_is_said(text, vector):
    app = show(sat=text)
    width = len(vector)
    padded = {name: values + [0] * (width - len(values)) for name, values in {**VECTORS, "sat": vector}.items()}
    close(heatmap(main(app)).values, agreement(padded))
    assert ("filled with zeros" in said(app)) is (text != "99 -99 0 0")


def test_the_small_picture_keeps_the_numbers_that_were_typed():
    app = set_to(visit("qkv", step="dot"), qkv_mat="9 -9 9 -9")
    assert nodes(app)["dot"]["picture"] == show(mat="9 -9 9 -9").thumbnail


def test_a_slider_that_was_released_is_in_the_map_in_the_field_and_in_the_link():
    app = visit("qkv", step="dot")
    app.slider(key="mat_entry_1").set_value(1.0)
    rerun(app)
    vector = [0.8, 1, 0.7, 0.3]
    assert controls(app)["qkv_mat"].value == shared(app)["qkv_mat"] == "0.8 1 0.7 0.3"
    close(heatmap(main(app)).values, agreement({**VECTORS, "mat": vector}))
    set_to(app, qkv_mat="0 -5 2")
    assert [slider.value for slider in app.slider] == [0, -5, 2, 0]
    assert (app.slider[0].min, app.slider[0].max, app.slider[0].step) == (-8, 8, 1)
    assert all(slider.disabled for slider in visit("qkv", step="dot", lock="mat").slider)


@pytest.mark.parametrize(
    ("mat", "done"),
    [
        ("0.8 0.2 0.7 0.3", [False, False]),
        ("0.1 0.9 0.3 0.7", [True, False]),
        ("1 1 1 1", [False, True]),
        ("0.8 1 1 1", [True, True]),
        ("0.9 0.1 0.8 0.2", [False, False]),  # as cat: equal is not larger
    ],
)
def test_a_task_is_done_where_one_product_is_clearly_larger(mat, done):
    vectors = {**VECTORS, "mat": [float(number) for number in mat.split()]}
    assert tasks_done(agreement(vectors)) == done
    (lines,) = [block for block in show(mat=mat).html if "Length trap" in block]
    assert [line.startswith("✓") for line in re.findall("<p>(.*?)</p>", lines)] == done
    assert ("Their cos is" in lines) == done[1]


def test_each_product_is_both_lengths_times_the_cosine():
    (rows,) = [block for block in show().html if "length × length" in block]
    assert "<td>1.12 × 1.22 × 0.99</td>" in re.sub(' style="[^"]*"', "", rows)
