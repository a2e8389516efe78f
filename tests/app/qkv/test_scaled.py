"""scaled: the scores divided by √d_k."""

import math
import re
from functools import partial

import numpy as np
import pytest

from pages.qkv.scaled import scale_question
from tests.app.qkv.heads import (
    VARIANTS,
    every_sentence,
    heads_of_every_origin,
    named,
    random_heads,
    with_and_without_a_mask,
)
from tests.app.qkv.scene import card, choose, columns, computed, each_kind, products, read, shown
from tests.app.steps import step
from tests.app.visits import main

show = partial(step, "qkv", "scaled", weights="random")


@each_kind
@pytest.mark.parametrize("cell", [(3, 2), (2, 7)])
def test_a_scaled_score_is_derived_from_the_score(link, cell):
    expected = computed(**link)
    row, column = cell[0] - 1, cell[1] - 1
    title, rows, lines = card(show(**choose("scaled", *cell), **link))
    named = columns("q", link) if link["weights"] == "hand-made" else None
    assert rows == products(expected.q[row], expected.k[column], named)
    assert [value for _, value in lines] == [shown(expected.scores[row, column]), shown(expected.scaled[row, column])]
    assert lines[1][0] == f"scaled score ÷ √{expected.q.shape[1]}"
    assert title == f"How {expected.labels[row]} → {expected.labels[column]} became {lines[-1][1]}"


@each_kind
def test_the_standard_deviation_is_said_before_and_after(link):
    expected = computed(**link)
    said = main(show(**link)).alt
    assert f" {shown(expected.scores.std())};" in said
    assert f" {shown(expected.scaled.std())}." in said


def test_dividing_keeps_the_standard_deviation_about_the_same_on_average():
    heads = {d_k: [computed(d_k=d_k, seed=seed) for seed in range(60)] for d_k in (4, 32)}
    narrow, wide = (np.mean([head.scores.std() for head in heads[d_k]]) for d_k in (4, 32))
    assert wide / narrow == pytest.approx(math.sqrt(8), rel=0.15)
    narrow, wide = (np.mean([head.scaled.std() for head in heads[d_k]]) for d_k in (4, 32))
    assert wide / narrow == pytest.approx(1, rel=0.15)
    assert computed(d_k=32).scores.std() > 2 * computed(d_k=4).scores.std()  # what a student drags, in the usual seed
    assert computed(d_k=32).scaled.std() == pytest.approx(computed(d_k=4).scaled.std(), rel=0.15)


@each_kind
@pytest.mark.parametrize("variant", range(4))
def test_the_scaled_score_asked_for_is_that_of_the_scene(link, variant):
    expected = computed(**link)
    question = show(variants={"scale": variant}, **link).question("scale")
    assert question.right == pytest.approx(expected.scaled[*named(question.text, expected.labels)])


def test_each_likely_mistake_in_dividing_has_its_own_explanation():
    question = show(d_k=5).question("scale")
    values = [question.right * factor for factor in (5**0.5, 5**-0.5, 5, -1)]
    for value, mistake in zip(values, question.mistakes, strict=True):
        right, text = question.judge(round(value, 2))
        assert not right
        assert mistake.text in text
    assert not any(mistake.text in question.judge(999).text for mistake in question.mistakes)


@every_sentence
@with_and_without_a_mask
def test_a_score_is_asked(sentence, masked):
    for head in (*random_heads(sentence, masked), *heads_of_every_origin(sentence)):
        d_k, cache = head.q.shape[1], head.cache()
        for variant in VARIANTS:
            row = variant % len(head.labels)
            question = scale_question(head.scores, cache, head.labels, row, variant)
            if question is None:
                assert {shown(score) for score in head.scores[row]} == {"0.00"}
                continue
            asks, answers = named(question.text, head.labels)
            assert question.place == (asks, answers)
            assert asks == row
            assert shown(head.scores[asks, answers]) != "0.00"
            product = head.scores[asks, answers]
            assert question.right == pytest.approx(product / d_k**0.5, abs=1e-9)
            (said,) = map(read, re.findall("<b>(.*?)</b>", question.text))
            assert said == pytest.approx(product, abs=0.0051)
            assert f"is {d_k}." in question.text
            assert question.judge(round(product / d_k**0.5, 2)).right  # what a student works out to two digits
            assert shown(product / d_k**0.5) in question.told
            divided, by, result = map(read, re.search(r"= (.+) ÷ (.+) = (.+)\.$", question.why).groups())
            assert divided == said
            assert shown(divided / by) == shown(result)  # as a pocket calculator has it
            likely = [product, product / d_k, product * d_k**0.5, -product / d_k**0.5]
            np.testing.assert_allclose([mistake.value for mistake in question.mistakes], likely, atol=1e-9)
            for value in likely:
                right, text = question.judge(value)
                assert right == (abs(value - question.right) <= question.tolerance)
                assert right or any(mistake.text in text for mistake in question.mistakes)
