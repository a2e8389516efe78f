"""The end of the lesson: the output is added to the word’s own vector, which moves."""

from functools import partial

import numpy as np
import pytest

from attention_core.experiments.multi_head.english_heads import trained_stream
from attention_core.experiments.qkv.named_head import OWN
from attention_core.experiments.qkv.nearest_words import widest_columns
from pages.charts.moved_point import moved_point
from tests.answers.view import plain
from tests.app.qkv.scene import SCENES, SENTENCE, close
from tests.app.steps import step
from tests.app.visits import charts

show = partial(step, "qkv", "mix")


def moved(app):
    return next(shown for shown in charts(app) if "start_x" in shown.data.columns)


def test_the_name_of_the_sum_stands_left_of_it_where_another_word_would_be_covered():
    points = np.array([[1, 1], [0.1, -0.15], [-1, -1]])
    chart = moved_point(points, ["it", "on", "cat"], 0, np.array([0.1, 0]), axes=("a", "b"), name="", sentence="")
    assert {*chart.data["left"]} == {1}


WIDE = {"weights": "random", "d_model": "6", "d_v": "6"}


@pytest.mark.parametrize("link", [SCENES["adjective to noun"], SCENES["head 3"], WIDE])
def test_the_arrow_leads_from_the_vector_to_the_sum_among_the_other_words(link):
    seen = show(q="mat", **link)
    scene, data = seen.scene, moved(seen).data
    before, added, labels = scene.x, scene.attention.output, scene.labels
    if scene.kind == "hand-made":
        before = before[:, OWN:]
    elif scene.kind == "trained":
        before, w_o = trained_stream(SENTENCE.split(), int(link["head"]) - 1)
        added = added @ w_o
    chosen, row = list(widest_columns(before)), labels.index("mat")
    close(data[data["kind"] != "after"][["x", "y"]].to_numpy(), before[:, chosen])
    close(data[data["kind"] == "after"][["x", "y"]].to_numpy(), (before + added)[[row]][:, chosen])
    assert data[data["kind"] == "before"]["order"].tolist() == [row]
    close(data[["start_x", "start_y"]].to_numpy(), np.tile(before[row, chosen], (len(data), 1)))
    assert data["word"].tolist() == [*labels, "mat + output"]


def test_alone_it_is_near_no_word_and_after_attention_it_is_nearest_to_the_cat():
    seen = show(text=SENTENCE)
    near, labels = seen.result("near"), seen.scene.labels
    assert not near.before.any()
    (told,) = [plain(block) for block in show(text=SENTENCE, q="cat").html if "Words nearest to" in block]
    assert told.count("cat") == 1  # it is not near itself
    assert moved(show(text="it")).spec["layer"][1]["encoding"]["x"]["scale"]["domain"] == [-1, 0.5]  # not 10⁻¹⁰
    assert [labels[i] for i in np.argsort(-near.after)[:2]] == ["cat", "mat"]
