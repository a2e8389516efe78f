"""heads: all of them at a glance, and one enlarged."""

import numpy as np

from attention_core.text.word_vectors import position_labels
from pages.look.html import number
from pages.multi_head.scene import SENTENCE as FIRST
from pages.qkv.scene import SENTENCE as FIRST_OF_LESSON_1
from tests.app.multi_head.scene import close, expected, page
from tests.app.visits import arcs, charts, click, heatmap, main, press, rerun, said, visit


def test_one_head_enlarged_can_be_clicked_and_left_again():
    weights = expected().attention.weights
    app = press(page(step="heads"), "Head 3")
    close(heatmap(main(app)).values, weights[2])
    click(app, 5, 6)
    assert f"became {number(weights[2, 5, 6])}" in said(app)
    rerun(app.button_group(key="_multi_head_in_view").set_value("all") and app)
    assert len(charts(app)) == len(weights)


def test_the_step_opens_on_the_trained_head_that_finds_what_it_refers_to():
    app = visit("multi_head", step="heads")
    drawn, words = arcs(app), FIRST.split()
    assert FIRST == FIRST_OF_LESSON_1
    assert drawn["words"] == words
    row = np.array(drawn["weights"])[drawn["asks"]]
    assert (words[drawn["asks"]], words[row.argmax()]) == ("it", "cat")
    assert row.max() > 0.9
    close(heatmap(charts(app)[3]).values, expected(text=FIRST, weights="trained").attention.weights[3])
    assert heatmap(charts(app)[3]).columns == position_labels(words)
