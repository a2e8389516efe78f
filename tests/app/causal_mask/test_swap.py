"""swap: two words change places, and which others notice."""

import json
from functools import partial

import numpy as np
import pytest

from attention_core.experiments.qkv.one_head import random_head
from attention_core.text.word_vectors import word_vectors
from tests.app.causal_mask.scene import SENTENCE, attention, blocked_by, close
from tests.app.steps import step
from tests.app.visits import heatmap, report, reveal, sent_to, set_to, visit

show = partial(step, "causal_mask", "swap")


def after_layers(x, blocked):
    """Return the rows after each of three layers."""
    rows = []
    for layer in range(3):
        x = x + attention(x, random_head(8, 4, 20 + layer, 8), blocked)[2]
        rows.append(x)
    return np.stack(rows)


@pytest.mark.parametrize(("one", "two", "i", "j"), [("cat", "sat", 1, 2), ("the₁", "warm", 0, 5), ("sat", "mat", 2, 6)])
@pytest.mark.promise("causal_mask 4")
def test_a_swap_of_earlier_words_is_noticed_by_the_last_one_in_two_layers_and_not_in_one(one, two, i, j):
    x, blocked, order = word_vectors(SENTENCE.split(), 8, 20), blocked_by(7), np.arange(7)
    order[[i, j]] = order[[j, i]]
    wanted = np.linalg.norm(after_layers(x, blocked) - after_layers(x[order], blocked)[:, np.argsort(order)], axis=2)
    seen = show(swap=one, **{"with": two})
    found = heatmap(seen.charts[0]).values
    close(found, wanted)
    if j < 6:
        assert found[0, 6] < 1e-12
        assert (found[1:, 6] > 0.01).all()
        assert seen.question("swap").right == (2,)
    else:
        assert seen.question("swap").right == (1,)  # the last word itself has another place
    without = after_layers(x, np.zeros((7, 7), bool)) - after_layers(x[order], np.zeros((7, 7), bool))[:, order]
    assert np.abs(without).max() < 1e-9


def test_one_word_alone_is_not_asked_about_and_the_page_says_what_a_swap_needs():
    for link in ({"text": "one"}, {"swap": "cat", "with": "cat", "lock": "swap"}):
        seen = show(unanswered="all", **link)
        assert seen.page.asked == []
        assert len(seen.charts) == 1


def test_a_word_that_is_dropped_on_another_is_swapped_with_it():
    app = reveal(visit("causal_mask", step="swap"))

    def dropped(order):
        (line,) = sent_to(app, "attention_line_order")
        report(app, line, "order", order)
        (line,) = sent_to(app, "attention_line_order")
        return json.loads(line.json)

    (line,) = sent_to(app, "attention_line_order")
    assert json.loads(line.json)["order"] == [0, 2, 1, 3, 4, 5, 6]
    found = dropped([0, 1, 2, 6, 4, 5, 3])
    assert (found["order"], found["lit"]) == ([0, 1, 2, 6, 4, 5, 3], [3, 6])
    assert {app.query_params["causal_mask_swap"], app.query_params["causal_mask_with"]} == {"on", "mat"}
    assert dropped([0, 1, 2, 3, 4, 5, 6])["order"] == [0, 1, 2, 3, 4, 5, 6]
    assert dropped([1, 2, 0, 3, 4, 5, 6])["order"] == [0, 1, 2, 3, 4, 5, 6]  # no swap of two
    set_to(app, causal_mask_swap="the₁", causal_mask_with="mat")
    (line,) = sent_to(app, "attention_line_order")
    assert json.loads(line.json)["order"] == [6, 1, 2, 3, 4, 5, 0]


def test_another_question_swaps_other_words():
    asked = [show(variants={"swap": variant}).question("swap") for variant in range(6)]
    assert {question.right for question in asked} == {(1,), (2,)}
    assert show(mask="none").question("swap").right == (0,)
