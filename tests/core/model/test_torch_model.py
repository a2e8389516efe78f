"""Whole models held against PyTorch: data/make_torch.py asked it once, so that no test needs it."""

import json
from pathlib import Path

import numpy as np
import pytest

import attention_core as core

FILES = sorted((Path(__file__).parents[1] / "data").glob("torch_model_*.npz"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem.removeprefix("torch_model_"))
def test_logits_the_loss_and_every_gradient_are_those_of_torch(path):
    torch = dict(np.load(path))
    model = core.init_model(core.Config(**json.loads(str(torch["config"]))), dtype=np.float64)
    for name, array in core.named_arrays(model).items():
        array[...] = torch[f"weights/{name}"]
    loss, gradients = core.loss_and_gradients(model, torch["tokens"], torch["targets"])
    assert loss == pytest.approx(float(torch["loss"]), rel=1e-10)
    assert {f"gradients/{name}" for name in gradients} == {name for name in torch if name.startswith("gradients/")}
    found = {"logits": core.logits(model, torch["tokens"])}
    for name, array in (found | {f"gradients/{name}": array for name, array in gradients.items()}).items():
        np.testing.assert_allclose(array, torch[name], rtol=1e-10, atol=1e-10, err_msg=name)


def test_both_orders_of_norm_and_every_activation_are_there():
    configs = [core.Config(**json.loads(str(np.load(path)["config"]))) for path in FILES]
    assert {config.norm for config in configs} == {"pre", "post"}
    assert {config.activation for config in configs} == {"gelu", "gelu_erf", "relu", "silu"}
    assert {config.attention_biases for config in configs} == {"none", "qkv", "all"}
