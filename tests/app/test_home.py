"""The home page: a head over any sentence, the lessons with their pictures, and notes."""

import html
import re

import numpy as np
import pytest

from attention_core.experiments.multi_head.english_heads import trained_head
from attention_core.experiments.qkv.one_head import JOBS, attend
from attention_core.text.characters import split_words
from attention_core.text.word_vectors import position_labels
from pages.home.sentence import SENTENCE, elsewhere_question, trained_maps
from pages.links.course import LESSONS
from pages.look.html import inline
from pages.look.sentences import brightest_cell
from tests.answers.view import rounded
from tests.app.visits import arcs, charts, controls, go, heatmap, html_of, rerun, reveal, said, through_menu, visit
from tests.core.experiments.test_one_head import one_head

USUAL = split_words(SENTENCE)
MAT = "the cat sat on the warm mat"


def shown_weights(app):
    """Return the weights of all words, which a closer look shows."""
    return heatmap(all_rows(app)).values


def all_rows(app):
    app.session_state["home_closer_The weights of all words"] = True
    (found,) = charts(rerun(app))
    return found


def cards(app):
    found = [block for block in html_of(app) if 'class="course card"' in block]
    names = (lesson.name + part.step for lesson in LESSONS for part in lesson.evenings)
    return dict(zip(names, found, strict=True))


@pytest.mark.parametrize("kind", ["random", *JOBS])
def test_the_heatmap_holds_the_weights_of_the_core_and_a_seed_is_drawn_where_it_changes_them(kind):
    app, other = (visit("home", text=MAT, weights=kind, seed=seed) for seed in ("3", "44"))
    expected = one_head(MAT.split(), None if kind == "random" else kind, 3).weights
    np.testing.assert_allclose(shown_weights(app), expected, rtol=0, atol=1e-12)
    assert ("home_seed" in controls(app)) != np.array_equal(shown_weights(app), shown_weights(other))


@pytest.mark.parametrize("head", "1234")
def test_the_arcs_carry_the_weights_of_the_trained_head_and_a_sentence_for_each_word(head):
    app = visit("home", head=head)
    trained = trained_head(USUAL, int(head) - 1)
    expected = attend(trained.x, trained.matrices, trained.mask).weights
    np.testing.assert_allclose(shown_weights(app), expected, rtol=0, atol=1e-6)
    assert heatmap(all_rows(app)).rows == heatmap(all_rows(app)).columns == position_labels(USUAL)
    data = arcs(app)
    np.testing.assert_array_equal(data["weights"], rounded(expected, 2))
    assert (data["words"], USUAL[data["asks"]]) == (USUAL, "it")
    assert data["sentences"] == [brightest_cell(expected, position_labels(USUAL), row) for row in range(len(USUAL))]


def test_without_it_they_asks_and_without_both_the_word_with_the_largest_weight_on_another():
    assert arcs(visit("home", text="the dogs chased the cat because they saw the cat"))["asks"] == 6
    app = visit("home", text=MAT, weights="previous word")
    weights, asks = shown_weights(app), arcs(app)["asks"]
    others = weights * (1 - np.eye(len(weights)))
    assert others[asks].max() == others.max() > 0.5


@pytest.mark.parametrize(("text", "read"), [("the zebra saw the cat", "the saw the cat"), ("zebra", SENTENCE)])
def test_words_that_the_model_does_not_know_are_left_out(text, read):
    assert arcs(visit("home", text=text))["words"] == split_words(read)


def test_the_cards_carry_pictures_of_the_numbers_in_view():
    app, other = visit("home"), cards(visit("home", head="1"))
    one, asks = cards(app), USUAL.index("it")
    assert [name for name in one if 'class="shot' not in one[name]] == ["tiny_lmloss", "tiny_lmcopy"]
    assert [name for name in one if one[name] != other[name]] == ["qkv", "scaling", "causal_mask"]
    rows = trained_maps(USUAL)[:, asks]
    shown = re.findall(r"<span>([^<]+)</span><b>([^<]+)</b>", html.unescape(one["qkv"]))
    assert shown == [(USUAL[i], f"{rows[3, i]:.2f}") for i in sorted(np.argsort(-rows[3].round(2), kind="stable")[:3])]
    shown = re.findall(r"<span>\d</span>.*?<b>([^<]+)</b>", one["multi_head"])
    assert shown == [USUAL[int(row.argmax())] for row in rows]


def test_an_answer_shows_the_head_that_was_asked_about():
    app = reveal(visit("home"))
    np.testing.assert_array_equal(arcs(app)["weights"], rounded(trained_maps(USUAL)[0], 2))
    assert not [button for button in reveal(visit("home", weights="random")).button if "question" in button.label]


def test_a_visit_goes_on_where_it_was_left():
    app = through_menu("scaling", step="spread")
    go(app, "home", {})
    (link,) = [link.proto for link in app.main.get("page_link") if link.proto.label.startswith("Continue")]
    assert link.label == "Continue: Scaling, variance"
    assert link.query_string == "scaling_step=spread"
    labels = [link.proto.label for link in through_menu("home").main.get("page_link")]
    assert (labels[0], labels[1], labels[-1][:5]) == ("Start: Q/K/V", "**1 · Q/K/V**", "**6 ·")


def test_the_map_has_every_lesson_with_what_it_lets_one_do_and_how_long_it_takes():
    every = [part for lesson in LESSONS for part in lesson.evenings]
    for card, drawn in zip(every, cards(app := visit("home")).values(), strict=True):
        assert str(inline(card.promise)) in html.unescape(drawn)
    told = re.findall(r"(\d+) minutes · (\d+) questions", said(app))
    assert told == [(str(card.minutes), str(len(card.questions))) for card in every]
    ends = [[name.startswith("explain_") for name in part.questions] for part in LESSONS[-1].parts]
    assert ends == [sorted(part) for part in ends]  # each ends with what explains it
    assert [name for part in LESSONS[-1].parts for name in part.questions] == [*LESSONS[-1].questions]


def test_teachers_and_readers_find_their_notes():
    app = visit("home")
    assert {"Further reading", "Glossary"} <= {part.label for part in app.expander}
    app.session_state["home_closer_Further reading"] = True
    notes = " ".join(block.value for block in rerun(app).markdown)
    app = visit("teach")
    app.session_state["teach_closer_Before class, and who sees what"] = True
    notes += " ".join(block.value for block in rerun(app).markdown)
    for part in ("Before class", "Without a network", "Attention Is All You Need", "Formal Algorithms"):
        assert part in notes


def test_two_words_with_the_same_weight_as_it_is_shown_are_both_right():
    words = ["quacked", "hot", "lemon", "quiet", "animal", "tired", "hungry", "happy", "and"]
    question = elsewhere_question(words, 4, 2)
    weights = trained_maps(words)[2, 4]
    assert len(question.right) == 2
    assert np.ptp(np.sort(weights)[-2:]) < 0.01
