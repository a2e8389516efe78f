"""The parts of a model: together they hold all its numbers and cost all its operations, in the order of a pass."""

import numpy as np
import pytest

import attention_core as core
from attention_core.experiments.language.architecture import boxes, loss_if, predict_without
from attention_core.experiments.language.costs import operations
from attention_core.experiments.language.text_loss import examples
from attention_core.model.parameters import n_parameters, shapes

V, D, H, L, M, F, T = 11, 12, 3, 2, 7, 13, 5
KINDS = [
    {},
    {"norm": "post"},
    {"d_ff": 0},
    {"d_ff": 0, "norm": "post", "positions": "rope"},
    {"positions": "learned", "attention_biases": "all"},
    {"positions": "alibi", "causal": False},
]
any_kind = pytest.mark.parametrize("kind", KINDS, ids=str)


def config(**kind):
    return core.Config(V, D, H, L, M, **{"d_ff": F} | kind)


@any_kind
def test_every_array_is_in_one_box(kind):
    found = boxes(config(**kind), T)
    held = [name for box in found for name in box.arrays]
    assert sorted(held) == sorted(shapes(config(**kind)))
    assert {name: shape for box in found for name, shape in box.arrays.items()} == shapes(config(**kind))
    assert sum(box.n_parameters for box in found) == n_parameters(config(**kind))


@any_kind
def test_the_operations_of_the_boxes_are_those_of_the_model(kind):
    assert sum(box.operations for box in boxes(config(**kind), T)) == operations(config(**kind), T).total


def test_what_is_handed_on_has_the_shapes_of_a_real_pass():
    model = core.init_model(config(), seed=0)
    inside = core.insides(model, np.arange(T))
    shape = {box.name: box.out for box in boxes(config(), T) if box.layer <= 0}
    assert shape["embedding"] == inside.embedded.shape
    assert shape["Q K V"] == (3, *inside.queries[0].shape)
    assert shape["heads"] == inside.weights[0].shape
    assert shape["W_O"] == inside.attention_adds[0].shape
    assert shape["feed-forward"] == inside.feed_forward_adds[0].shape
    assert shape["logits"] == inside.logits.shape


@any_kind
def test_a_part_that_is_switched_off_adds_nothing(kind):
    model, text = core.init_model(config(**kind), seed=3), np.arange(T)
    model.flat[:] *= 2
    whole = core.insides(model, text)
    np.testing.assert_allclose(predict_without(model, text, "nothing"), core.softmax(whole.logits)[-1], rtol=1e-5)
    order = np.concatenate([text[-2::-1], text[-1:]])
    alone, other = (predict_without(model, own, "attention") for own in (text, order))
    np.testing.assert_allclose(alone, other, rtol=1e-5)
    for array in (array for name, array in core.named_arrays(model).items() if name.endswith("b_o")):
        array[:] = np.arange(D)
    np.testing.assert_array_equal(predict_without(model, text, "attention"), alone)
    assert np.abs(alone - predict_without(model, text, "nothing")).max() > 0
    changed = np.abs(predict_without(model, text, "MLPs") - predict_without(model, text, "nothing")).max()
    assert (changed > 0) == (kind.get("d_ff") != 0)
    as_it_is = loss_if(model, text, model.config.norm, model.config.activation)
    other = {"pre": "post", "post": "pre"}[model.config.norm]
    assert as_it_is == pytest.approx(examples(model, text).mean) != loss_if(model, text, other, "gelu")
    with pytest.raises(ValueError, match="part must be one of nothing, attention, MLPs, got 'heads'"):
        predict_without(model, text, "heads")
