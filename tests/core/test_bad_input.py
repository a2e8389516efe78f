"""Bad input of a public function is a ValueError that names the argument, the rule and the shapes or values seen."""

import re
from pathlib import Path

import numpy as np
import pytest

import attention_core as core

NAN, INF = float("nan"), float("inf")
CONFIG = {"vocab_size": 11, "d_model": 6, "n_heads": 3, "n_layers": 1, "max_len": 5}
MODEL = core.init_model(core.Config(**CONFIG))
OTHER = core.init_model(core.Config(**CONFIG | {"vocab_size": 13}))
UNCHECKED = {"AdamW", "Batch", "Model", "named_arrays", "save_optimizer"}  # what they take was made by the others
IN_FILES = {"load", "load_optimizer", "save"}  # model/test_checkpoint.py, test_damaged_checkpoints.py


def zeros(*shape):
    return np.zeros(shape)


def ids(*shape):
    return np.zeros(shape, int)


def config(**change):
    return core.Config(**CONFIG | change)


def attend(q=(5, 3), k=(7, 3), v=(7, 2), **more):
    return core.scaled_dot_product_attention(zeros(*q), zeros(*k), zeros(*v), **more)


def heads(n_heads=3, mask=None, context=None, **shapes):
    usual = {"x": (5, 6), "w_q": (6, 6), "w_k": (6, 6), "w_v": (6, 6), "w_o": (6, 6)} | shapes
    return core.multi_head_attention(*(zeros(*shape) for shape in usual.values()), n_heads, mask, context)


def loss(targets, **more):
    return core.cross_entropy(zeros(5, 3), targets, **more)


def learn(tokens=(1, 2), targets=(2, 3)):
    return core.loss_and_gradients(MODEL, tokens, targets)


def train(tokens=(1, 2, 3, 4), steps=1, **more):
    return core.train(MODEL, tokens, steps, **more)


def generate(prompt=(1, 2), n_new=3, **more):
    return core.generate(MODEL, prompt, n_new, **more)


TABLE = Path(__file__).with_name("bad_input.txt").read_text("utf-8")
SECTIONS = [section.strip().split("\n") for section in TABLE.split("\n== ")[1:]]
BAD = {name: list(zip(lines[::2], lines[1::2], strict=True)) for name, *lines in SECTIONS}


def test_every_public_name_is_in_the_table():
    assert set(core.__all__) == {*BAD, *UNCHECKED, *IN_FILES}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_says_what_is_wrong(name):
    for call, message in BAD[name]:
        with pytest.raises(ValueError, match="^" + re.escape(message.strip())):
            eval(call, vars(core) | globals())
