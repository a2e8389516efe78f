"""shuffle: words shuffled, without the mask and with it."""

import json
from functools import partial

import numpy as np
import pytest

from attention_core.experiments.inside.compare_models import order_sensitivity
from attention_core.model.forward import logits
from attention_core.rows import shuffled_order
from attention_core.shipped.models import model_at
from attention_core.shipped.plans import MODELS
from attention_core.text.corpora import source_of
from pages.causal_mask.common import two_words
from pages.page.questions.kinds import Choice
from tests.app.causal_mask.scene import attention, blocked_by, close, every_scene, head_of, named
from tests.app.steps import step
from tests.app.visits import heatmap, report, reveal, sent_to, set_to, visit

show = partial(step, "causal_mask", "shuffle")


@every_scene
@pytest.mark.promise("tutorial 22")
def test_a_shuffle_permutes_the_outputs_and_under_a_mask_changes_them(scene):
    x, head = head_of(**scene)
    order = shuffled_order(7, 1)
    none = np.zeros((7, 7), bool)
    maps = named(show(**scene), "query", "dimension", "output")
    before, after, masked, masked_after = (heatmap(chart) for chart in maps)
    close(before.values, attention(x, head, none)[2])
    close(after.values, before.values[order])
    assert after.rows == [before.rows[i] for i in order]
    close(masked.values, attention(x, head, blocked_by(7))[2])
    close(masked_after.values, attention(x[order], head, blocked_by(7))[2])
    assert not maps[1].data["moved"].any()
    moved = np.abs(masked_after.values - masked.values[order]).max(axis=1) > 1e-9
    np.testing.assert_array_equal(maps[3].data["moved"].to_numpy().reshape(masked.values.shape).any(axis=1), moved)
    assert moved.any()


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


def test_what_a_shuffle_changes_is_predicted():
    assert show().question("shuffle").right == (1,)
    assert show(mask="none").question("shuffle").right == (0,)


def test_words_are_dragged_into_an_order_which_the_link_keeps():
    app = reveal(visit("causal_mask", step="shuffle"))

    def line():
        (drawn,) = sent_to(app, "attention_line_order")
        return drawn

    assert json.loads(line().json)["order"] == shuffled_order(7, 1).tolist()
    order = [1, 0, 2, 3, 4, 6, 5]
    report(app, line(), "order", order)
    assert app.query_params["causal_mask_order"] == "bacdegf"
    assert json.loads(line().json)["order"] == order
    assert json.loads(line().json)["lit"] == [0, 1, 5, 6]  # the others have the same words before them
    maps = named(app, "query", "dimension", "output")
    assert heatmap(maps[3]).rows == ["cat", "the₁", "sat", "on", "the₅", "mat", "warm"]
    x, head = head_of()
    close(heatmap(maps[3]).values, attention(x[order], head, blocked_by(7))[2])
    set_to(app, causal_mask_shuffle=3)  # another shuffle takes the place of what was dragged
    assert json.loads(line().json)["order"] == shuffled_order(7, 3).tolist()
    assert "causal_mask_order" not in app.query_params


@pytest.mark.parametrize("order", ["ba", "bacdegg", "hacdefg"])
def test_an_order_of_other_words_gives_way_to_the_number(order):
    maps = named(show(order=order), "query", "dimension", "output")
    assert heatmap(maps[3]).rows == [
        ["the₁", "cat", "sat", "on", "the₅", "warm", "mat"][i] for i in shuffled_order(7, 1)
    ]


@pytest.mark.parametrize(("name", "locked"), [("shuffle", "order"), ("shuffle", "shuffle"), ("swap", "swap")])
def test_what_a_teacher_locks_cannot_be_dragged(name, locked):
    (line,) = sent_to(visit("causal_mask", step=name, lock=locked), "attention_line_order")
    assert json.loads(line.json)["fixed"]


@every_scene
def test_another_question_counts_the_outputs_that_a_swap_changes(scene):
    x, head = head_of(**scene)
    blocked, rights = blocked_by(7), set()
    before = attention(x, head, blocked)[2]
    for variant in range(1, 6):
        question = show(variants={"shuffle": variant}, **scene).question("shuffle")
        one, two = two_words(7, variant)
        order = np.arange(7)
        order[[one, two]] = order[[two, one]]
        after = attention(x[order], head, blocked)[2][np.argsort(order)]
        assert question.right == (np.abs(after - before).max(axis=1) > 1e-9).sum()
        assert {mistake.value for mistake in question.mistakes} == {2, 7, 0, 7 - one}
        rights.add(question.right)
    assert len(rights) > 1


@pytest.mark.parametrize("text", ["cat", "the cat"])
def test_few_words_have_one_question(text):
    for variant in range(2):
        assert isinstance(show(text=text, variants={"shuffle": variant}).question("shuffle"), Choice)
