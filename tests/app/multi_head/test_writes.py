"""W_O: what each head writes, and the output without some of them."""

from functools import partial

import numpy as np
import pytest

import attention_core as core
from attention_core.experiments.multi_head.head_parts import zero_heads
from pages.charts.matrix_image import matrix_picture
from pages.look.sentences import first_query
from pages.multi_head.writes import MATRIX_AXES, asked_entry, sum_question
from tests.answers.view import numbers, plain
from tests.app.multi_head.scene import LABELS, SENTENCE, close, every_kind, expected, page, step
from tests.app.visits import charts, press, shared, visit

show = partial(step, "writes")


def parts_of(chart, n_heads):
    return chart.data[chart.data["kind"] == "part"]["value"].to_numpy().reshape(-1, n_heads)


def sums_of(chart):
    return chart.data[chart.data["kind"] == "sum"]["value"]


def drawn(seen):
    found = charts(seen)
    (matrix,) = [chart for chart in found if "light" in chart.data]
    (bars,) = [chart for chart in found if "kind" in chart.data]
    return bars, matrix


@every_kind
@pytest.mark.parametrize("off", ["", "1.3"])
def test_bars_are_what_each_head_writes_and_sum_to_the_output(link, off):
    found = expected(**link)
    output, _ = core.multi_head_attention(found.x, *found.heads, found.n_heads, found.blocked)
    kept = zero_heads(found.writes, [int(head) - 1 for head in off.split(".") if head])
    seen = show(q="on", off=off, **link)
    bars, matrix = drawn(seen)
    asked, width = asked_entry(found.writes, 0, first_query(seen.scene.labels))[1], found.x.shape[1]
    labels = bars.data[bars.data["kind"] == "part"]["label"].tolist()[:: found.n_heads]
    shown = [int(label) - 1 for label in labels]  # at equal distances, what is asked too, and some of each head
    assert (len({*np.diff(shown)}) == 1) & (asked in shown) & (shown[0] + width - shown[-1] <= 1 + np.diff(shown)[0])
    close(parts_of(bars, found.n_heads), kept[:, 3, shown].T)
    close(sums_of(bars), kept[:, 3, shown].sum(axis=0))
    low, high = bars.spec["layer"][0]["encoding"]["x"]["scale"]["domain"]
    assert low == -high
    assert high >= np.abs(found.writes[:, 3]).sum(axis=0).max()
    limit = matrix.spec["layer"][1]["encoding"]["color"]["scale"]["domain"][-1]
    wanted = matrix_picture(found.heads.w_o, MATRIX_AXES, limit=limit, name="", sentence="", bands=found.n_heads)
    assert matrix.data["light"][0] == wanted.data["light"][0]
    stripes = [layer for layer in matrix.spec["layer"] if layer["mark"]["type"] == "text"]
    assert [layer["mark"]["text"] for layer in stripes] == [str(head + 1) for head in range(found.n_heads)]
    if off:
        (told,) = [plain(block) for block in seen.html if "of length (norm)" in block]
        lengths = np.linalg.norm([output[3], output[3] - kept.sum(axis=0)[3]], axis=-1)
        np.testing.assert_allclose(numbers(told)[-2:], lengths, atol=0.0051)
    else:
        close(sums_of(bars), output[3, shown])


def test_a_head_is_switched_off_and_on_by_its_button():
    app = page(step="writes")
    press(press(app, "Head 4 is on"), "Head 2 is on")
    assert shared(app)["multi_head_off"] == "2.4"
    press(press(app, "~~Head 2~~ is off"), "~~Head 4~~ is off")
    assert "multi_head_off" not in shared(app)


def test_with_a_reshape_alone_each_head_stays_in_its_own_columns():
    seen = show(w_o="identity (only concatenate)")
    bars, matrix = drawn(seen)
    picture = matrix_picture(np.eye(16), MATRIX_AXES, limit=1.0, name="", sentence="")
    assert matrix.data["light"][0] == picture.data["light"][0]
    close(sums_of(bars), expected().attention.output[:, 2].ravel())


def test_after_the_answer_the_word_that_was_asked_about_is_in_view():
    app = press(visit("multi_head", step="writes", weights="random", text=SENTENCE), "Just show me")
    assert app.selectbox(key="multi_head_q").value == LABELS[asked_entry(expected().writes, 0, first_query(LABELS))[0]]


def test_no_entry_is_asked_about_into_which_no_head_writes():
    assert sum_question(np.zeros((2, 3, 5)), ["a", "b", "c"], 0) is None


def test_the_sign_of_what_is_missing_decides_and_no_wrong_option_says_0_where_the_others_add_up_to_it():
    for others, becomes in (([0.25, 0.125], True), ([0.25, -0.25], False), ([-0.375, -0.25], True)):
        asked = sum_question(np.array([0.5, *others]).reshape(3, 1, 1), ["cat"], 0)
        assert ("It becomes 0" in asked.options) == becomes
        assert asked.options[asked.right[0]] == "It falls by 0.500"
