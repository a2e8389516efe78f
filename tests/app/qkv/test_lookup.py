"""lookup: a soft look-up in a plane."""

import pytest

from attention_core.experiments.qkv.one_head import random_head
from attention_core.text.word_vectors import word_vectors
from tests.app.qkv.scene import SENTENCE
from tests.app.visits import move, sent, shared, visit

TEMPERATURES = ["0", "0.1", "0.3", "1", "√2", "3", "10", "∞"]
PLANES = "attention_moving_planes"


def stands(app):
    return {slider["name"]: slider["stops"][slider["at"]] for slider in sent(app, PLANES)["sliders"]}


@pytest.mark.parametrize("link", [{}, {"seed": "9", "asks": "cat", "angle": "-115", "temperature": "∞"}])
def test_the_browser_gets_the_vectors_in_full(link):
    words = SENTENCE.split()[:3]
    data = sent(visit("qkv", step="lookup", weights="random", **link), PLANES)
    seed, asks = int(link.get("seed", 20)), words.index(link.get("asks", "sat"))
    x, head = word_vectors(words, 2, seed), random_head(2, 2, seed)
    assert data["query"] == (x @ head.w_q)[asks].tolist()
    assert data["keys"] == (x @ head.w_k).tolist()
    assert data["values"] == (x @ head.w_v).tolist()
    assert {tuple(corner) for corner in data["outline"]} <= {tuple(value) for value in data["values"]}
    angles, temperatures = (slider["stops"] for slider in data["sliders"])
    assert angles == [str(degrees) for degrees in range(-180, 181, 5)]
    assert temperatures == TEMPERATURES


@pytest.mark.parametrize(("raw", "stop"), [("-180", "-180"), ("12.6", "15"), ("nan", "0")])
def test_a_link_sets_the_angle_as_the_slider_of_then_did(raw, stop):
    assert stands(visit("qkv", step="lookup", angle=raw, temperature="0.3")) == {"angle": stop, "temperature": "0.3"}


def test_a_release_sets_the_link_and_the_kept_charts_and_a_reset_takes_it_back():
    app = move(visit("qkv", step="lookup"), PLANES, angle="-45", temperature="∞")
    assert stands(app) == {"angle": "-45", "temperature": "∞"}
    assert shared(app) == {"qkv_step": "lookup", "qkv_angle": "-45", "qkv_temperature": "∞"}
    app = move(app, PLANES, angle="0", temperature="√2")
    assert shared(app) == {"qkv_step": "lookup"}


def test_what_a_teacher_locked_or_what_is_not_on_offer_is_not_set():
    app = visit("qkv", step="lookup", angle="40", lock="angle", hide="temperature")
    angle, temperature = sent(app, PLANES)["sliders"]
    assert (angle["disabled"], angle["hidden"]) == (True, False)
    assert (temperature["disabled"], temperature["hidden"]) == (True, True)
    assert stands(move(app, PLANES, angle="45", temperature="3")) == {"angle": "40", "temperature": "√2"}
    assert stands(move(visit("qkv", step="lookup"), PLANES, angle="41", temperature=[])) == {
        "angle": "0",
        "temperature": "√2",
    }
