"""Probes of the stories: a model that knows everything is always right, one that knows nothing never."""

import re
from itertools import islice

import numpy as np

import attention_core as core
from attention_core.experiments.language.story_probes import PROBE_SEED, PROBES, Question, is_right, probe, questions_of
from attention_core.text.stories import START, stories, story_pieces
from attention_core.text.story_words import STORY_COLOURS

PIECES = story_pieces()
V = len(PIECES.vocabulary)
SOME = list(islice(stories(np.random.default_rng(3)), 50))
TINY = core.init_model(core.Config(V, 8, 2, 1, 256, positions="rope"), 1)


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
            colours = [word for word in re.findall(r"\w+", told.text[: fact.stop]) if word in STORY_COLOURS]
            assert (
                fact.kind != "colour" or question.kind == f"{'first' if colours[0] == colours[-1] else 'second'} colour"
            )


def test_only_the_options_compete():
    question = Question("colour", 1, (5,), ((5,), (6,)))
    assert is_right(np.array([[0, 0, 9, 9, 9, 2, 1.0]]), question)
    assert not is_right(np.array([[0, 0, 0, 0, 0, 2, 2.0]]), question)


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
