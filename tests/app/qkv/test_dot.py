"""dot: three words whose numbers can be changed, and their dot products."""

import re
from functools import partial

import numpy as np
import pytest

from pages.qkv.dot import tasks_done
from tests.app.qkv.scene import VECTORS, close
from tests.app.steps import step
from tests.app.visits import controls, domain, heatmap, main, rerun, set_to, shared, to_step, visit

show = partial(step, "qkv", "dot")


def agreement(vectors=VECTORS):
    rows = np.array(list(vectors.values()))
    return rows @ rows.T


def test_the_three_words_agree_as_paper_and_pencil_say():
    seen = heatmap(main(show()))
    expected = {("cat", "sat"): 0.56, ("cat", "mat"): 1.36, ("sat", "mat"): 0.68}
    for (left, right), value in expected.items():
        i, j = seen.rows.index(left), seen.columns.index(right)
        close([seen.values[i, j], seen.values[j, i]], value)
    assert [round(float(np.linalg.norm(vector)), 2) for vector in VECTORS.values()] == [1.22, 1.18, 1.12]


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
    set_to(app, qkv_mat="65 0 -99")
    assert (app.slider[0].min, app.slider[0].max) == (-99, 99)
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
    assert ("the longer one" in lines) == done[1]
    assert domain(main(show(mat=mat))) == domain(main(show()))  # which does not jump while mat is dragged


def test_a_vector_that_was_changed_stays_when_the_step_is_left():
    app = set_to(visit("qkv", step="dot"), qkv_mat="1 2 3 4")
    assert controls(to_step(to_step(app, "softmax"), "dot"))["qkv_mat"].value == "1 2 3 4"
