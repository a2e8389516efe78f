"""lookup: a soft look-up in a plane."""

import json
import math
from functools import partial

import numpy as np
import pytest

from attention_core.experiments.qkv.one_head import random_head
from attention_core.text.word_vectors import word_vectors
from tests.app.qkv.scene import SENTENCE, close, shares
from tests.app.steps import step
from tests.app.visits import charts, move, sent_to, shared, visit

show = partial(step, "qkv", "lookup", weights="random")


def look_up(app):
    """Return the arrows by role, the output, the outline of the values and the shares, as the charts hold them."""
    first, second, third = charts(app)[-3:]
    arrows = first.data[first.data["kind"] == "arrow"]
    of = {role: arrows[arrows["role"] == role][["x", "y"]].to_numpy() for role in ("query", "key")}
    values = second.data[second.data["kind"] == "arrow"][["x", "y"]].to_numpy()
    outline = second.data[second.data["kind"] == "polygon"][["x", "y"]].to_numpy()
    (output,) = second.data[second.data["kind"] == "point"][["x", "y"]].to_numpy()
    return of["query"], of["key"], values, outline, output, third.data["value"].to_numpy()


def outside(point, outline):
    """Return how far a point lies outside a convex outline that is walked counter-clockwise."""
    edges = np.roll(outline, -1, axis=0) - outline
    away = point - outline
    return max(0.0, -float((edges[:, 0] * away[:, 1] - edges[:, 1] * away[:, 0]).min()))


TEMPERATURES = {"0": 0, "0.1": 0.1, "0.3": 0.3, "1": 1, "√2": math.sqrt(2), "3": 3, "10": 10, "∞": math.inf}


@pytest.mark.parametrize("link", [{"asks": "the"}, {"seed": "5", "asks": "cat"}, {"seed": "9", "angle": "115"}])
def test_the_output_lies_inside_the_values_at_every_temperature(link):
    words = SENTENCE.split()[:3]
    seed, angle = int(link.get("seed", 20)), int(link.get("angle", 0))
    asks = words.index(link.get("asks", "sat"))
    x, head = word_vectors(words, 2, seed), random_head(2, 2, seed)
    q, k, v = (x @ matrix for matrix in head)
    turn = np.exp(1j * np.deg2rad(angle)) * (k[:, 0] + 1j * k[:, 1])
    scores = q[asks] @ np.stack([turn.real, turn.imag])
    for name, temperature in TEMPERATURES.items():
        query, keys, values, outline, output, weights = look_up(show(temperature=name, **link))
        close(query[0], q[asks])
        close(keys, np.stack([turn.real, turn.imag], axis=1))
        close(values, v)
        if temperature == 0:
            expected = np.eye(3)[scores.argmax()]
        elif temperature == math.inf:
            expected = np.full(3, 1 / 3)
        else:
            expected = shares(scores / temperature)
        close(weights, expected)
        close(output, expected @ v)
        assert outside(output, outline) < 1e-12
        assert {tuple(point) for point in outline} == {tuple(value) for value in values}


def test_scales_of_the_plane_stay_while_keys_turn_and_temperature_moves():
    def specs(**link):
        return [chart.spec for chart in charts(show(**link))[-3:]]

    for link in (*({"angle": angle} for angle in (-180, -95, 40, 180)), {"temperature": "10"}):
        assert specs(**link) == specs()


@pytest.mark.parametrize("text", ["alone", "two words", "same same same"])
def test_a_soft_look_up_works_with_fewer_words(text):
    app = show(text=text)
    *_, output, weights = look_up(app)
    assert len(weights) == min(3, len(text.split()))
    close(weights.sum(), 1)
    assert np.isfinite(output).all()


PLANES = "attention_moving_planes"


def sent(app):
    (drawn,) = sent_to(app, PLANES)
    return json.loads(drawn.json)


def stands(app):
    return {slider["name"]: slider["stops"][slider["at"]] for slider in sent(app)["sliders"]}


@pytest.mark.parametrize("link", [{}, {"seed": "9", "asks": "cat", "angle": "-115", "temperature": "∞"}])
def test_the_browser_gets_the_vectors_in_full(link):
    words = SENTENCE.split()[:3]
    data = sent(visit("qkv", step="lookup", weights="random", **link))
    seed, asks = int(link.get("seed", 20)), words.index(link.get("asks", "sat"))
    x, head = word_vectors(words, 2, seed), random_head(2, 2, seed)
    assert data["query"] == (x @ head.w_q)[asks].tolist()
    assert data["keys"] == (x @ head.w_k).tolist()
    assert data["values"] == (x @ head.w_v).tolist()
    assert {tuple(corner) for corner in data["outline"]} <= {tuple(value) for value in data["values"]}
    angles, temperatures = (slider["stops"] for slider in data["sliders"])
    assert angles == [str(degrees) for degrees in range(-180, 181, 5)]
    assert temperatures == list(TEMPERATURES)


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
    angle, temperature = sent(app)["sliders"]
    assert (angle["disabled"], angle["hidden"]) == (True, False)
    assert (temperature["disabled"], temperature["hidden"]) == (True, True)
    assert stands(move(app, PLANES, angle="45", temperature="3")) == {"angle": "40", "temperature": "√2"}
    assert stands(move(visit("qkv", step="lookup"), PLANES, angle="41", temperature=[])) == {
        "angle": "0",
        "temperature": "√2",
    }
