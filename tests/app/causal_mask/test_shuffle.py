"""word order: words in another order, without the mask and with it."""

import json
from functools import partial

import numpy as np

from attention_core.equations.softmax import softmax
from attention_core.model.forward import logits
from attention_core.shipped.models import model_at
from attention_core.shipped.plans import MODELS
from attention_core.text.corpora import source_of
from tests.app.steps import step
from tests.app.visits import report, reveal, sent_to, visit

show = partial(step, "causal_mask", "shuffle")


def order_sensitivity(model, rows):
    """Return how far the prediction after rows moves when all tokens but the last are shuffled, from 0 to 1."""
    shuffled = np.concatenate([np.random.default_rng(0).permuted(rows[:, :-1], axis=1), rows[:, -1:]], axis=1)
    before, after = (softmax(logits(model, some)[:, -1]) for some in (rows, shuffled))
    return np.abs(after - before).sum(axis=-1).mean() / 2


def test_one_layer_without_positions_knows_which_words_came_before_but_not_in_what_order():
    held = source_of(MODELS["recall"].source).held_out(MODELS["recall"].plan.config.max_len)
    one_layer, two_layers = model_at("english-no-positions"), model_at("recall-no-positions")
    assert (one_layer.config.n_layers, two_layers.config.n_layers) == (1, 2)
    assert all(model.config.causal and model.config.positions == "none" for model in (one_layer, two_layers))
    texts = source_of(MODELS["english"].source).held_out(MODELS["english"].plan.config.max_len).rows[:, :-1]
    assert order_sensitivity(one_layer, texts) < 1e-5  # the last word, after the others in another order
    changed = texts.copy()
    changed[:, 0] = (changed[:, 0] + 1) % one_layer.config.vocab_size  # one other word among them
    before, after = (logits(one_layer, some)[:, -1] for some in (texts, changed))
    assert np.abs(after - before).max(axis=-1).min() > 1e-3
    assert order_sensitivity(two_layers, held.rows[:, :-1]) > 0.1


def test_a_swap_is_asked_of_two_words_and_equal_ones_change_nothing():
    assert show(unanswered="all", text="one").page.asked == []
    same = show(text="the cat the dog sat", variants={"shuffle": 6}).question("shuffle")  # both “the” are swapped
    assert same.right == (0,)
    assert "are the same" in same.why
    assert "or there is none" in same.mistakes[3]


def test_words_are_dragged_into_an_order_which_the_link_keeps():
    app = reveal(visit("causal_mask", step="shuffle"))

    def line():
        (drawn,) = sent_to(app, "attention_line_order")
        return drawn

    assert json.loads(line().json)["order"] == [0, 2, 1, 3, 4, 5, 6]
    order = [1, 0, 2, 3, 4, 6, 5]
    report(app, line(), "order", order)
    assert app.query_params["causal_mask_order"] == "bacdegf"
    assert json.loads(line().json)["order"] == order
    assert json.loads(line().json)["lit"] == [0, 1, 5, 6]


def test_what_a_teacher_locks_cannot_be_dragged():
    (line,) = sent_to(visit("causal_mask", step="shuffle", lock="order"), "attention_line_order")
    assert json.loads(line.json)["fixed"]
