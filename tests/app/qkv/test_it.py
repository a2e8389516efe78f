"""it: what attention is for, and the lines by which a weight comes about, each of which is a step."""

import re

import numpy as np
import pytest

from attention_core.text.word_vectors import position_labels
from pages.look.html import number, quoted
from pages.qkv import match, mix, projections, softmax, x
from pages.qkv.journey import LABELS
from tests.answers.view import rounded
from tests.app.qkv.scene import SENTENCE, close, plain
from tests.app.steps import step
from tests.app.visits import arcs, controls, html_of, press, said, set_to, shared, to_step, visit

STEPS = {"x": x, "projections": projections, "match": match, "softmax": softmax, "mix": mix}


def lines(app):
    """Return the lines of the first picture: what each is, and its number."""
    found = re.findall(
        r"<span>((?:(?!</span><span class=\"n).)*)</span><span class=\"n\">([^<]*)<", "".join(html_of(app))
    )
    return [(plain(what), value) for what, value in found]


def test_a_first_visit_shows_the_head_of_the_whole_path_and_each_line_of_its_largest_weight():
    app = visit("qkv")
    head, asks = step("qkv", "match", unanswered="all").scene.attention, SENTENCE.split().index("it")
    drawn = arcs(app)
    close(drawn["weights"], rounded(head.weights, 2))
    assert drawn["words"] == SENTENCE.split()
    assert drawn["asks"] == asks
    numbers = [value for _, value in lines(app)]
    assert numbers[1:4] == ["3.00, 3.00", "2.00, 1.00", ", ".join(map(number, head.v[1]))]
    assert numbers[4:6] == ["9.00", number(head.scores[asks, 1])] == ["9.00", "6.36"]
    assert numbers[8:] == [number(head.weights[asks, 1]), ", ".join(map(number, head.output[asks]))]
    assert not [button for button in app.button if button.label in ("Check", "Just show me")]
    assert shared(app) == {}
    assert "qkv_path" not in controls(app)
    power, raised = re.search(r"e<sup>(.*?)</sup>.*?n\">(.*?)<", "".join(html_of(app))).groups()
    assert f"{np.exp(float(power)):.2f}" == raised == "580.54"  # as a pocket calculator says
    assert lines(set_to(app, qkv_k="on"))[-2] == ("weight", number(head.weights[asks, 3]))


def test_the_picture_on_the_home_page_has_the_same_sentence_pair_and_result():
    home, lesson = arcs(visit("home")), arcs(visit("qkv"))
    assert (home["words"], home["asks"]) == (lesson["words"], lesson["asks"])
    assert [np.argmax(one["weights"][one["asks"]]) for one in (home, lesson)] == [1, 1]
    asked = set_to(press(visit("home"), "Just show me"), home_head="4")  # as after a reload, which forgets the head
    assert shared(press(asked, "Show head 1"))["home_head"] == "1"
    was = arcs(visit("qkv", weights="trained", text="the dog barked because it was tired"))  # 0.3150 of four digits
    assert was["sentences"][5].endswith(f": {max(was['weights'][5]):.2f}.")


@pytest.mark.parametrize("link", [{}, {"weights": "trained", "head": "4"}, {"weights": "random"}], ids=str)
def test_each_line_leads_to_its_step_which_says_the_line(link):
    app = visit("qkv", ask="no", **link)
    places = {
        "x": "vector of",
        "projections": "query of",
        "match": "score",
        "softmax": "scaled score",
        "mix": "output of",
    }
    for name, place in places.items():
        there = press(visit("qkv", ask="no", **link), f"qkv_line_{name}")
        assert there.query_params["qkv_step"] == name
        assert f"From the first picture: {place}" in "".join(html_of(there))
    assert len(lines(app)) == 10
    assert press(there, "qkv_put_first").segmented_control(key="qkv_path").value == "it"  # whose steps were all seen


def test_a_line_is_called_as_its_step():
    assert {name: module.STEP.label for name, module in STEPS.items()} == LABELS


def test_a_sentence_of_ones_own_is_read_and_unknown_words_are_named():
    app = visit("qkv", text="the zebra saw the dog and it barked", weights="trained", head="4")
    assert " ".join(arcs(app)["words"]) == "the saw the dog and it barked"
    assert quoted("zebra") in said(app)


@pytest.mark.parametrize(("text", "asks"), [("the dog barked", 2), ("it saw it and it barked", 4), ("it barked", 1)])
def test_the_last_it_asks_first_or_where_nothing_differs_the_third_word(text, asks):
    assert arcs(visit("qkv", text=text))["asks"] == asks


def test_a_word_asks_first_that_has_something_to_show():
    app = visit("qkv", text="it was a warm mat", job="adjective to noun", step="match")
    assert controls(app)["qkv_q"].value == "warm"
    answered = set_to(press(app, "Just show me"), qkv_text="the red dog saw the cat")
    assert "other settings" in said(answered)  # the row of “warm” is that of another word now
    assert controls(answered)["qkv_q"].value == "red"


def test_a_word_that_asks_is_followed_through_the_steps():
    app = set_to(visit("qkv", ask="no"), qkv_q="cat")
    assert arcs(app)["asks"] == 1
    assert shared(app) == {"qkv_ask": "no", "qkv_q": "cat"}
    assert controls(to_step(app, "x"))["qkv_q"].value == "cat"
    set_to(to_step(app, "projections"), qkv_q="cat")  # who walks on from X begins with the pair of the path again
    for name in ("match", "softmax", "mix"):
        assert controls(to_step(app, name))["qkv_q"].value == "cat"
    set_to(app, qkv_q="warm")
    assert arcs(to_step(app, "it"))["asks"] == position_labels(SENTENCE.split()).index("warm")


@pytest.mark.parametrize(("link", "head"), [({}, "4"), ({"weights": "random", "head": "2"}, "2")])
def test_who_turns_to_the_trained_head_meets_the_one_of_the_first_step(link, head):
    app = to_step(visit("qkv", **link), "softmax")
    assert controls(set_to(app, qkv_weights="trained"))["qkv_head"].value == head
    assert controls(visit("qkv", step="softmax", weights="trained"))["qkv_head"].value == "1"  # as links of old say
