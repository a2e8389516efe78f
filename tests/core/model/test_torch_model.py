"""The whole model held against PyTorch: outputs made once by data/make_torch_model.py, so that no test needs it."""

import json
from pathlib import Path

import numpy as np
import pytest

import attention_core as core

FILES = sorted((Path(__file__).parents[1] / "data").glob("torch_model_*.npz"))


@pytest.fixture(params=FILES, ids=lambda path: path.stem.removeprefix("torch_model_"))
def golden(request):
    with np.load(request.param) as file:
        return dict(file)


@pytest.fixture
def model(golden):
    model = core.init_model(core.Config(**json.loads(str(golden["config"]))), dtype=np.float64)
    for name, array in core.named_arrays(model).items():
        array[...] = golden[f"weights/{name}"]
    return model


def test_both_orders_of_norm_both_activations_and_three_kinds_of_position_are_there():
    configs = [core.Config(**json.loads(str(np.load(path)["config"]))) for path in FILES]
    chosen = {(config.norm, config.positions, config.activation) for config in configs}
    assert chosen == {("pre", "learned", "gelu"), ("post", "sinusoidal", "relu"), ("pre", "rope", "gelu")}


@pytest.mark.promise("tutorial 27")
def test_logits_are_those_of_torch(golden, model):
    np.testing.assert_allclose(core.logits(model, golden["tokens"]), golden["logits"], rtol=1e-10, atol=1e-10)


def test_loss_is_that_of_torch(golden, model):
    loss, _ = core.loss_and_gradients(model, golden["tokens"], golden["targets"])
    assert loss == pytest.approx(float(golden["loss"]), rel=1e-10)


def test_every_gradient_is_that_of_torch(golden, model):
    _, gradients = core.loss_and_gradients(model, golden["tokens"], golden["targets"])
    assert {f"gradients/{name}" for name in gradients} == {name for name in golden if name.startswith("gradients/")}
    for name, gradient in gradients.items():
        np.testing.assert_allclose(gradient, golden[f"gradients/{name}"], rtol=1e-10, atol=1e-10, err_msg=name)
