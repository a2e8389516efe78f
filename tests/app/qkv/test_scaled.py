"""scaled: the scores divided by √d_k."""

import math
from functools import partial

import numpy as np
import pytest

from pages.qkv.scaled import scale_question
from tests.app.qkv.heads import VARIANTS, every_sentence, heads_of_every_origin, random_heads, with_and_without_a_mask
from tests.app.qkv.scene import card, choose, columns, computed, each_kind, products, shown
from tests.app.steps import step

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


def test_dividing_keeps_the_standard_deviation_about_the_same_on_average():
    heads = {d_k: [computed(d_k=d_k, seed=seed) for seed in range(60)] for d_k in (4, 32)}
    narrow, wide = (np.mean([head.scores.std() for head in heads[d_k]]) for d_k in (4, 32))
    assert wide / narrow == pytest.approx(math.sqrt(8), rel=0.15)
    narrow, wide = (np.mean([head.scaled.std() for head in heads[d_k]]) for d_k in (4, 32))
    assert wide / narrow == pytest.approx(1, rel=0.15)
    assert computed(d_k=32).scores.std() > 2 * computed(d_k=4).scores.std()  # what a student drags, in the usual seed
    assert computed(d_k=32).scaled.std() == pytest.approx(computed(d_k=4).scaled.std(), rel=0.15)


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
            assert question.place[0] == row
            product = head.scores[question.place]
            assert abs(product) >= 0.005
            assert question.right == pytest.approx(product / d_k**0.5, abs=1e-9)
            likely = [product, product / d_k, product * d_k**0.5, -product / d_k**0.5]
            np.testing.assert_allclose([mistake.value for mistake in question.mistakes], likely, atol=1e-9)
            assert question.judge(round(product / d_k**0.5, 2)).right  # what a student works out to two digits
