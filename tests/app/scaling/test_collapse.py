"""collapse: one row over all d_k, a guess, and the bars that the browser moves."""

import json
from functools import partial

import numpy as np
import pytest

from attention_core.experiments.qkv.one_head import attend, random_head
from attention_core.experiments.scaling.random_scores import DIVISORS, WIDTHS, divisor
from attention_core.experiments.scaling.untrained_row import WORD_WIDTH, untrained_words
from attention_core.text.word_vectors import position_labels
from pages.look import thumbnails
from pages.scaling.collapse import BETWEEN, FRAMES, RESTS, look_of
from pages.scaling.scene import SENTENCE
from tests.app.scaling.scene import CHOSEN_AS, SEED, close, softmaxed, step
from tests.app.visits import heatmap, reveal, sent_to, visit

show = partial(step, "scaling", "collapse")


def row(d_k, named, words=SENTENCE):
    """Return the row of a head of this width, its scores divided by what is named."""
    cache = attend(untrained_words(words, WORD_WIDTH, SEED), random_head(WORD_WIDTH, d_k, SEED))
    return softmaxed(cache.q[words.index("it")] @ cache.k.T / divisor(named, d_k))


def bars(app):
    (drawn,) = sent_to(app, "attention_moving_bars")
    return json.loads(drawn.json)


@pytest.mark.parametrize("words", [SENTENCE, ("zebras", "saw", "it")], ids=len)
@pytest.mark.parametrize("named", DIVISORS)
def test_every_frame_is_the_row_of_the_head_of_that_width(named, words):
    data = bars(reveal(visit("scaling", text=" ".join(words))))
    panel = data["panels"][DIVISORS.index(named)]
    assert data["sliders"][0]["stops"] == [str(width) for width in FRAMES]
    assert [FRAMES[i] for i in RESTS] == list(WIDTHS)
    for d_k, frame in zip(FRAMES, panel["frames"], strict=True):
        np.testing.assert_allclose(frame, row(d_k, named, words=words), atol=5.1e-5)


def test_before_the_guess_the_row_stays_as_the_question_finds_it():
    asked = show(unanswered="all", collapse_d_k=512, collapse_divide="d_k")
    assert not asked.ready
    assert look_of(np.array([0.28, 0.3, 0.04, 0.09, 0.29])) == BETWEEN  # a small weight is not nearly equal
    (chart,) = asked.charts
    close(chart.data["value"], row(4, "nothing"))
    data = bars(visit("scaling", collapse_d_k="512"))
    assert data["sliders"][0]["disabled"]
    assert data["choice"]["disabled"]
    assert data["sliders"][0]["stops"][data["sliders"][0]["at"]] == "4"
    data = bars(visit("scaling", collapse_d_k="512", ask="no"))
    assert not data["sliders"][0]["disabled"]
    assert data["sliders"][0]["stops"][data["sliders"][0]["at"]] == "512"


def test_the_picture_between_equal_and_one_word_is_the_row_divided_where_the_question_begins(monkeypatch):
    drawn = []
    monkeypatch.setattr(thumbnails, "bars", lambda heights, _: drawn.append(heights) or np.zeros((1, 1)))
    show(unanswered="all")
    close(drawn[1], row(4, "√d_k") / max(row(4, "√d_k").max(), 0.4))


@pytest.mark.parametrize(("d_k", "named"), [(4, "nothing"), (512, "nothing"), (512, "√d_k"), (64, "d_k")])
def test_the_kept_chart_shows_the_row_at_the_chosen_width(d_k, named):
    chart, rows = show(collapse_d_k=d_k, collapse_divide=CHOSEN_AS[named]).charts
    close(heatmap(rows).values, [row(d_k, divided_by) for divided_by in DIVISORS])
    close(chart.data["value"], row(d_k, named))
    assert chart.data["label"].tolist() == position_labels(SENTENCE)
