"""Probes of the stories: a model that knows everything is always right, one that knows nothing never."""

import re
from itertools import islice

import numpy as np
import pytest

import attention_core as core
from attention_core.experiments.language.story_probes import (
    PROBE_SEED,
    PROBES,
    Question,
    Score,
    is_right,
    probe,
    questions_of,
    sample_stories,
    sample_story,
)
from attention_core.text.stories import START, stories, story_pieces
from attention_core.text.story_reader import read
from attention_core.text.story_words import STORY_COLOURS
from tests.core.errors import check, says

PIECES = story_pieces()
V = len(PIECES.vocabulary)
SOME = list(islice(stories(np.random.default_rng(3)), 50))
TINY = core.init_model(core.Config(V, 8, 2, 1, 256, positions="rope"), 1)


def knowing(tokens):
    """Return the logits of a model that knows each next token."""
    return np.eye(V)[[*tokens[1:], 0]]


def test_a_question_asks_for_a_word_where_it_stands():
    for told in SOME:
        tokens, questions = questions_of(told, PIECES)
        assert PIECES.decode(tokens) == START + told.text
        assert len(questions) == len(told.facts)
        for question, fact in zip(questions, told.facts, strict=True):
            stop = question.at + len(question.answer)
            assert tuple(tokens[question.at : stop]) == question.answer
            assert PIECES.decode(question.answer).strip() == told.text[fact.start : fact.stop]
            assert PIECES.decode(tokens[: question.at]).strip() == told.text[: fact.start].strip()
            assert question.answer in question.options
            assert {PIECES.decode(option).strip() for option in question.options} == set(fact.options)


def test_colours_are_asked_for_each_of_the_two_things():
    for told in SOME:
        first, second = dict.fromkeys(word for word in re.findall(r"\w+", told.text) if word in STORY_COLOURS)
        for question in questions_of(told, PIECES)[1]:
            if "colour" in question.kind:
                word = PIECES.decode(question.answer).strip()
                assert question.kind == ("first colour" if word == first else "second colour")
                assert word in (first, second)


def test_who_knows_each_next_token_is_always_right():
    for told in SOME:
        tokens, questions = questions_of(told, PIECES)
        assert all(is_right(knowing(tokens), question) for question in questions)


def test_who_expects_everything_equally_is_never_right():
    for told in SOME:
        tokens, questions = questions_of(told, PIECES)
        assert not any(is_right(np.zeros((len(tokens), V)), question) for question in questions)


def test_only_the_options_compete():
    question = Question("colour", 1, (5,), ((5,), (6,)))
    assert is_right(np.array([[0, 0, 9, 9, 9, 2, 1.0]]), question)
    assert not is_right(np.array([[0, 0, 0, 0, 0, 1, 2.0]]), question)


def test_a_word_of_several_pieces_is_right_if_each_wins_against_those_that_go_on_like_it():
    question = Question("name", 1, (1, 2), ((1, 2), (1, 3), (4,), (4, 3)))
    rows = np.array([[0, 2, 0, 0, 1], [0, 0, 2, 1, 9.0]])  # 4 does not follow 1 in any option
    assert is_right(rows, question)
    assert not is_right(np.array([[0, 1, 0, 0, 2], [0, 0, 2, 1, 0.0]]), question)
    assert not is_right(np.array([[0, 2, 0, 0, 1], [0, 0, 1, 2, 0.0]]), question)


def test_a_probe_counts_every_question_once():
    scores = probe(TINY, 30)
    kinds = [
        question.kind
        for told in islice(stories(np.random.default_rng(PROBE_SEED)), 30)
        for question in questions_of(told, PIECES)[1]
    ]
    assert {kind: score.asked for kind, score in scores.items()} == {kind: kinds.count(kind) for kind in PROBES}
    assert set(kinds) == set(PROBES)
    assert min(score.asked for score in scores.values()) > 20
    assert scores["first colour"].rate < 0.4  # by chance
    assert probe(TINY, 30) == scores


def test_questions_after_the_end_of_a_short_context_are_not_asked():
    short = core.init_model(core.Config(V, 8, 2, 1, 60, positions="rope"), 1)
    assert 0 < probe(short, 10)["name"].asked < probe(TINY, 10)["name"].asked


def test_a_rate_is_a_fraction():
    assert Score(3, 4).rate == 0.75
    assert np.isnan(Score(0, 0).rate)


def test_an_untrained_model_writes_no_story():
    sample = sample_story(TINY, 3)
    assert sample == sample_story(TINY, 3)
    assert sample.fault == read(sample.text)
    assert sample.fault is not None
    assert START not in sample.text
    assert [one.seed for one in sample_stories(TINY, 2)] == [0, 1]


@pytest.mark.parametrize("temperature", [0.0, 0.7])
def test_a_sampled_story_ends_where_the_next_one_starts(temperature, monkeypatch):
    told = SOME[0].text
    script = [*PIECES.encode(START + told)[1:], *PIECES.encode(START), 300]

    def scripted(model, prompt, n_new, heat, seed):
        assert (model, list(prompt), n_new, heat, seed) == (TINY, PIECES.encode(START).tolist(), 255, temperature, 4)
        return (type("Choice", (), {"token": token}) for token in script)

    monkeypatch.setattr("attention_core.experiments.language.story_probes.choices", scripted)
    sample = sample_story(TINY, 4, temperature)
    assert (sample.text, sample.fault) == (told, None)


@says(
    (lambda: probe(TINY, 0), "n_stories must be at least 1, got 0"),
    (lambda: sample_stories(TINY, 0), "n_stories must be at least 1, got 0"),
    (
        lambda: probe(core.init_model(core.Config(9, 4, 2, 1, 5))),
        f"model must have the {V} pieces, got 9 tokens",
    ),
)
def test_bad_input_says_what_is_wrong(call, message):
    check(call, message)
