"""scores: every query with every key."""

from functools import partial

import numpy as np
import pytest

from attention_core.text.characters import split_words
from attention_core.text.word_vectors import position_labels
from pages.qkv.scores import cell_question
from tests.app.qkv.heads import every_sentence, named
from tests.app.qkv.scene import card, choose, columns, computed, each_kind, products, shown
from tests.app.steps import step
from tests.app.visits import heatmap, main

show = partial(step, "qkv", "scores", weights="random")


@pytest.mark.promise("qkv 3")
def test_the_picture_says_how_far_the_scores_are_from_symmetric():
    scores = heatmap(main(show())).values
    gaps, told = np.abs(scores - scores.T), main(show()).alt.replace("−", "-")
    row, column = np.unravel_index(gaps.argmax(), gaps.shape)
    assert gaps.max() > 0.1
    assert f" {scores[row, column]:.2f}" in told
    assert f" {scores[column, row]:.2f}" in told


@each_kind
@pytest.mark.parametrize("cell", [(3, 2), (2, 7)])
def test_a_score_is_derived_from_its_products(link, cell):
    expected = computed(**link)
    row, column = cell[0] - 1, cell[1] - 1
    title, rows, lines = card(show(**choose("scores", *cell), **link))
    named = columns("q", link) if link["weights"] == "hand-made" else None
    assert rows == products(expected.q[row], expected.k[column], named)
    assert [value for _, value in lines] == [shown(expected.scores[row, column])]
    assert title == f"How {expected.labels[row]} → {expected.labels[column]} became {lines[-1][1]}"


@every_sentence
@pytest.mark.promise("tutorial 3")
def test_the_cell_of_a_score_is_asked(sentence):
    labels = position_labels(split_words(sentence))
    asked, scores = set(), np.random.default_rng(3).standard_normal((len(labels), len(labels)))
    for variant in range(37):
        row = variant % len(labels)
        question = cell_question(scores, labels, row, variant)
        if len(labels) == 1:  # a single word has a single cell
            assert question is None
            continue
        asks, answers = question.right
        assert (asks, answers) == tuple(named(question.text, labels))
        assert asks == row != answers
        if variant == 0:  # the best other key of the row
            assert abs(scores[row, answers]) == max(abs(np.delete(scores[row], row)))
        assert question.transposed in question.judge((answers, asks)).text
        asked.add((asks, answers))
    assert len(asked) > 1 or len(labels) == 1
