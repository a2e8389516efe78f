"""The end of the lesson: the output is added to the word’s own vector, which moves."""

import json
import re
from functools import partial
from itertools import combinations

import numpy as np
import pytest
import vl_convert

from attention_core.experiments.multi_head.english_heads import trained_stream
from attention_core.experiments.qkv.named_head import OWN
from attention_core.experiments.qkv.nearest_words import widest_columns
from pages.charts.chart import drawable
from pages.charts.moved_point import moved_point
from tests.answers.view import plain
from tests.app.qkv.scene import SCENES, SENTENCE, close
from tests.app.steps import step
from tests.app.visits import charts

show = partial(step, "qkv", "mix")


def moved(app):
    return next(shown for shown in charts(app) if "start_x" in shown.data.columns)


@pytest.mark.parametrize(("n", "seed"), [(1, 0), (6, 1), (6, 2), (24, 3), (24, 4), (24, 5)])
def test_no_label_covers_another_or_is_cut_and_the_two_of_the_arrow_are_always_there(n, seed):
    rng, words = np.random.default_rng(seed), ["Katze", "hippopotamus", "it", "heute"] * 6
    points, ends = rng.uniform(0, 1, (n, 2)).round(1), rng.uniform(0, 1, 2)
    chart = moved_point(points, words[:n], 0, ends, axes=("a", "b"), name="", sentence="")
    scene, boxes = json.dumps(vl_convert.vegalite_to_scenegraph(drawable(chart, width=340))), {}
    for item in map(json.loads, re.findall(r'\{[^{}]*"fontWeight": 600[^{}]*\}', scene)):
        wide, middle = 7 * len(item["text"]), item["y"] + item["dy"]
        left = item["x"] + item["dx"] - {"left": 0, "center": wide / 2, "right": wide}[item["align"]]
        boxes[item["text"]] = (left, left + wide, middle - 7, middle + 7)
    assert sum(text.startswith("Katze") for text in boxes) >= 2
    assert all(left >= 0 and right <= 320 for left, right, *_ in boxes.values())
    assert all(a[0] >= b[1] or b[0] >= a[1] or a[2] >= b[3] or b[2] >= a[3] for a, b in combinations(boxes.values(), 2))


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
    assert (moved(seen).data.query("kind == 'before'").up == -1).all()  # its label leaves the arrow, which rises, free
    (told,) = [plain(block) for block in show(text=SENTENCE, q="cat").html if "Words nearest to" in block]
    assert told.count("cat") == 1  # it is not near itself
    assert moved(show(text="it")).spec["layer"][1]["encoding"]["x"]["scale"]["domain"] == [-1, 0.5]  # not 10⁻¹⁰
    assert [labels[i] for i in np.argsort(-near.after)[:2]] == ["cat", "mat"]
