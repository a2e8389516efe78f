"""Lesson 4 on what hears of what: a changed word, through layers, row by row and shuffled."""

import re

import numpy as np
import pytest

from attention_core.hand_set import random_head
from attention_core.leaks import shuffled_order
from attention_core.words import word_vectors
from tests.app.masked import (
    SCENES,
    SENTENCE,
    attention,
    blocked_by,
    close,
    every_mask,
    every_scene,
    expected,
    head_of,
    named,
    page,
)
from tests.app.visits import heatmap, html_of, main, said


@every_scene
@every_mask
def test_an_output_lights_up_exactly_where_the_mask_lets_it(scene, mask):
    blocked, _, (_, _, output) = expected(**scene, **mask)
    words = SENTENCE.split()
    app = page(step="leak", changed="cat", **scene, **mask)
    seen = heatmap(main(app)).values
    for j in range(len(words)):
        x, head = head_of(**scene)
        other, _ = head_of(**{**scene, "text": " ".join(["dog"] * len(words))})
        x = x.copy()
        x[j] = other[j]
        moved = attention(x, head, blocked)[2] - output
        close(seen[:, j], np.sqrt((moved**2).sum(axis=1)))
    np.testing.assert_array_equal(seen[blocked & ~np.eye(7, dtype=bool)], 0)  # its own query changes with a word
    lights = next(block for block in html_of(app) if 'class="lights"' in block)
    under = lights.split("With the mask")[1]
    assert under.count("●") == (seen[:, 1] != 0).sum()
    if mask == {} and scene != SCENES["hand-set"]:  # set by hand, some weights are too small to carry a change
        assert under.count("●") == 6


def test_without_a_mask_every_output_hears_of_the_last_word():
    app = page(step="leak")
    lights = next(block for block in html_of(app) if 'class="lights"' in block)
    without, under = lights.split("With the mask")
    assert without.count("●") == 7
    assert (under.count("●"), under.count("○")) == (1, 6)


def test_a_word_the_model_never_met_is_refused_kindly():
    app = page(step="leak", weights="trained", new="zyzzyva")
    assert re.search("has never met .*zyzzyva", said(app))


@pytest.mark.parametrize("weights", ["random", "trained"])
def test_the_new_word_is_shown_as_text(weights):
    app = page(step="leak", weights=weights, new="<b>x</b>{y}")
    assert "<b>x</b>" not in " ".join(html_of(app))
    assert "<b>x</b>{y}" in said(app)


@every_mask
def test_what_can_reach_what_through_layers(mask):
    blocked = blocked_by(7, **mask)
    step = ~blocked | np.eye(7, dtype=bool)
    needed = np.zeros((7, 7))
    reach = np.eye(7, dtype=bool)
    for layer in (1, 2, 3):
        reach = np.array([[any(step[i, m] and reach[m, j] for m in range(7)) for j in range(7)] for i in range(7)])
        needed[(needed == 0) & reach] = layer
    app = page(step="paint", **mask)
    (chart,) = named(app, "output", "word", "layers")
    close(heatmap(chart).values, needed)
    assert "No word moved that this map calls out of reach." in said(app)


@every_mask
def test_rows_one_by_one_are_the_rows_of_all_at_once(mask):
    blocked, _, (_, weights, _) = expected(**mask)
    app = page(step="order", rows="eagc", **mask)
    chart = main(app)
    seen = heatmap(chart).values
    done = [4, 0, 6, 2]
    close(seen[done], weights[done])
    waiting = np.ones((7, 7), bool)
    waiting[done] = False
    texts = chart.data["text"].to_numpy().reshape(7, 7)
    assert (texts[waiting] == "?").all()
    assert (texts[~waiting & blocked] == "").all()
    turns = re.findall(r"<td>(\d+)</td><td><i>(.*?)</i></td>", " ".join(html_of(app)))
    assert turns == [("1", "the₅"), ("2", "the₁"), ("3", "mat"), ("4", "sat")]


@pytest.mark.parametrize("n_layers", ["1", "2", "4"])
def test_the_last_word_needs_the_mask_from_the_second_layer_on(n_layers):
    blocked = blocked_by(7)
    x = y = word_vectors(SENTENCE.split(), 8, 20)
    rows = []
    for layer in range(int(n_layers)):
        head = random_head(8, 4, 20 + layer, 8)
        x = x + attention(x, head, blocked)[2]
        y = y + attention(y, head, np.zeros_like(blocked))[2]
        rows.append(np.sqrt(((x - y) ** 2).sum(axis=1)))
    app = page(step="layers", layers=n_layers)
    seen = heatmap(main(app)).values
    close(seen, rows)
    assert seen[0, -1] < 1e-12
    assert (seen[1:, -1] > 0.1).all()
    where = "where it would be without the mask after every layer"
    assert (where in main(app).alt) == (n_layers == "1")
    assert where in main(page(step="layers", layers=n_layers, mask="none")).alt


@every_scene
def test_a_shuffle_permutes_the_outputs_and_under_a_mask_changes_them(scene):
    x, head = head_of(**scene)
    order = shuffled_order(7, 1)
    none = np.zeros((7, 7), bool)
    maps = named(page(step="shuffle", **scene), "query", "dimension", "output")
    before, after, masked, masked_after = (heatmap(chart) for chart in maps)
    close(before.values, attention(x, head, none)[2])
    close(after.values, before.values[order])
    assert after.rows == [before.rows[i] for i in order]
    close(masked.values, attention(x, head, blocked_by(7))[2])
    close(masked_after.values, attention(x[order], head, blocked_by(7))[2])
    assert not maps[1].data["moved"].any()
    moved = np.abs(masked_after.values - masked.values[order]).max(axis=1) > 1e-9
    np.testing.assert_array_equal(maps[3].data["moved"].to_numpy().reshape(masked.values.shape).any(axis=1), moved)
    assert moved.any()


def test_a_mask_is_said_to_tell_order_only_where_it_does():
    told = "tells a model something of order"
    assert told in said(page(step="shuffle"))
    for link in ({"text": "the the the"}, {"text": "dog"}, {"mask": "none"}, {"mask": "padding"}):
        assert told not in said(page(step="shuffle", **link)), link
