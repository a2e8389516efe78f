"""Bad input of a public function is a ValueError that names the argument, the rule and the shapes or values seen."""

import re

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


BAD = {
    "softmax": {
        "x must not contain NaN or +inf, got 2 such in x (3,)": lambda: core.softmax([0, NAN, INF]),
        "axis must be between -2 and 1, got 2": lambda: core.softmax(zeros(5, 3), axis=2),
        "axis must be a whole number, got 0.5": lambda: core.softmax([1], axis=0.5),
        "x must have at least 1 axes, got shape ()": lambda: core.softmax(1.0),
        "x must have a type of real numbers of NumPy itself, got dtype complex128": lambda: core.softmax([1j]),
        "x must have a type of real numbers of NumPy itself, got dtype |V2": lambda: core.softmax(np.zeros(2, "V2")),
        "x must not be a masked array, because its mask would be lost, got MaskedArray": lambda: core.softmax(
            np.ma.array([1, 2, 100], mask=[0, 0, 1])
        ),
        "x must not be a masked array, because its mask would be lost, got list": lambda: core.softmax(
            [1, np.ma.masked]
        ),
        "x must contain whole numbers up to 2**53, got 9007199254740992 to 9007199254740993": lambda: core.softmax(
            [2**53, 2**53 + 1]
        ),
        "x must contain whole numbers up to 2**53, got -9223372036854775808 to 0": lambda: core.softmax([-(2**63), 0]),
        "x must be a regular array, got rows of different lengths": lambda: core.softmax([[1], [2, 3]]),
    },
    "causal_mask": {
        "length must be at least 0, got -1": lambda: core.causal_mask(-1),
        "length must be a whole number, got True": lambda: core.causal_mask(True),
    },
    "additive_mask": {"blocked must be boolean, True = blocked, got dtype int64": lambda: core.additive_mask([[0, 1]])},
    "scaled_dot_product_attention": {
        "q and k must have the same width, at least 1, got q (5, 3) and k (7, 2)": lambda: attend(k=(7, 2)),
        "k and v must have the same length, got k (7, 3) and v (5, 2)": lambda: attend(v=(5, 2)),
        "q must have at least 2 axes, got shape (3,)": lambda: attend((3,)),
        "the batch axes of q, k and v must fit, got q (2, 5, 3), k (3, 7, 3)": lambda: attend((2, 5, 3), (3, 7, 3)),
        "mask must broadcast to the scores, got mask (7, 5) and scores (5, 7)": lambda: attend(mask=zeros(7, 5)),
        "mask must be boolean (True = blocked) or a float of NumPy (added to the": lambda: attend(mask=ids(5, 7)),
        "mask must not be a masked array": lambda: attend(mask=np.ma.zeros((5, 7), bool)),
        "softcap must be a finite number above 0, got 0": lambda: attend(softcap=0),
        "sink must contain finite numbers, got inf": lambda: attend(sink=INF),
        "sink must fit the batch axes of q, got sink (3,) and q (2, 5, 3)": lambda: attend((2, 5, 3), sink=zeros(3)),
        "q must not be a masked array": lambda: core.scaled_dot_product_attention(
            np.ma.zeros((5, 3)), zeros(7, 3), zeros(7, 2)
        ),
        "mask must not contain NaN or +inf; -inf blocks": lambda: attend(mask=[INF]),
        "the scores q kᵀ must be finite, got q up to 1e+200": lambda: core.scaled_dot_product_attention(
            [[1e200]], [[-1e200]] * 2, zeros(2, 3)
        ),
        "scale must be a finite number, got nan": lambda: attend(scale=NAN),
    },
    "flash_attention": {
        "block must be at least 1, got 0": lambda: core.flash_attention(*[zeros(5, 3)] * 3, block=0),
        "workers must be at least 1, got 0": lambda: core.flash_attention(*[zeros(5, 3)] * 3, workers=0),
        "causal needs as many queries as keys, got q (5, 3) and k (7, 3)": lambda: core.flash_attention(
            zeros(5, 3), zeros(7, 3), zeros(7, 2), causal=True
        ),
        "the scores q kᵀ must be finite, got": lambda: core.flash_attention([[1e200]], [[-1e200]] * 2, zeros(2, 3)),
    },
    "multi_head_attention": {
        "n_heads must be at least 1, got 0": lambda: heads(0),
        "n_heads must divide the width of w_q, got n_heads 4 and w_q (6, 6)": lambda: heads(4),
        "x must have at least 2 axes, got shape (6,)": lambda: heads(x=(6,)),
        "w_k must be a matrix, got shape (6, 6, 1)": lambda: heads(w_k=(6, 6, 1)),
        "w_q must have a row for each column of x, got (5, 6) and (5, 6)": lambda: heads(w_q=(5, 6)),
        "w_k must have a row for each column of context, got (6, 6) and (7, 5)": lambda: heads(context=zeros(7, 5)),
        "w_q and w_k must have the same width, got w_q (6, 6) and w_k (6, 3)": lambda: heads(w_k=(6, 3)),
        "w_o must have a row for each column of w_v, got w_o (5, 6) and w_v (6, 6)": lambda: heads(w_o=(5, 6)),
        "mask must broadcast to the scores, got mask (2, 5, 5) and": lambda: heads(mask=zeros(2, 5, 5) > 0),
    },
    "sinusoidal_positions": {
        "length must be at least 0, got -1": lambda: core.sinusoidal_positions(-1, 4),
        "d_model must be at least 1, got 0": lambda: core.sinusoidal_positions(5, 0),
        "base must be a finite number above 0, got 0": lambda: core.sinusoidal_positions(5, 4, base=0),
    },
    "rotate": {
        "x must have an even width, because dimensions rotate in pairs, got x (5, 3)": lambda: core.rotate(zeros(5, 3)),
        "x must have at least 2 axes, got shape (4,)": lambda: core.rotate(zeros(4)),
        "base must be a finite number above 0, got nan": lambda: core.rotate(zeros(5, 4), base=NAN),
    },
    "alibi_bias": {
        "n_heads must be at least 1, got 0": lambda: core.alibi_bias(0, 5),
        "length must be at least 0, got -5": lambda: core.alibi_bias(3, -5),
    },
    "cross_entropy": {
        "targets must be integers, one a row of logits (5, 3), got int64 (4,)": lambda: loss(ids(4)),
        "targets must be integers, one a row of logits (5, 3), got float64 (5,)": lambda: loss(zeros(5)),
        "targets must be in [0, 3) or ignore_index, got 0 to 3": lambda: loss([0, 1, 3, 2, 1]),
        "targets must be in [0, 3) or ignore_index, got -1 to 2": lambda: loss([0, -1, 2, -2, 1], ignore_index=-2),
        "targets must have weights whose sum is not 0": lambda: loss(ids(5), ignore_index=0),
        "targets must have weights whose sum is not 0: a": lambda: loss(ids(5), class_weights=[0, 1, 1]),
        "class_weights must be 3 finite numbers, got [1. 1.]": lambda: loss(ids(5), class_weights=[1, 1]),
        "class_weights must be 3 finite numbers, got [ 1. nan": lambda: loss(ids(5), class_weights=[1, NAN, 1]),
        "logits must have at least 1 axes, got shape ()": lambda: core.cross_entropy(1.0, 0),
    },
    "rms_norm": {
        "gain must be as wide as x, got x (5, 3), gain (2,)": lambda: core.rms_norm(zeros(5, 3), zeros(2)),
        "epsilon must be a finite number above 0, got nan": lambda: core.rms_norm([1, 2], [1, 1], epsilon=NAN),
        "the variance of x must be finite": lambda: core.rms_norm(np.float32([1e20]), np.float32([1])),
    },
    "layer_norm": {
        "gain and bias must be as wide as x, got x (5, 3), gain (2,)": lambda: core.layer_norm(
            zeros(5, 3), zeros(2), zeros(3)
        ),
        "the variance of x must be finite, got x up to 1e+20 in float32": lambda: core.layer_norm(
            np.float32([1e20, -1e20]), np.float32([1, 1]), np.float32([0, 0])
        ),
        "epsilon must be a finite number above 0, got 0": lambda: core.layer_norm([1, 2], [1, 1], [0, 0], epsilon=0),
    },
    "Config": {
        "vocab_size must be at least 1, got 0": lambda: config(vocab_size=0),
        "d_model must be a whole number, got 6.0": lambda: config(d_model=6.0),
        "n_heads must divide d_model, got n_heads 4 and d_model 6": lambda: config(n_heads=4),
        "d_ff must be at least 0, got -1": lambda: config(d_ff=-1),
        "positions must be one of sinusoidal, learned, rope, alibi, none, got 'rotary'": lambda: config(
            positions="rotary"
        ),
        "rope rotates pairs: d_model / n_heads must be even, got 6 / 2": lambda: config(positions="rope", n_heads=2),
        "activation must be one of": lambda: config(activation="swish"),
        "attention_biases must be one of none, qkv, all, got True": lambda: config(attention_biases=True),
        "epsilon must be a finite number above 0, got 0.0": lambda: config(epsilon=0.0),
        "norm must be one of pre, post, got 'before'": lambda: config(norm="before"),
        "alibi_slopes must be 3 numbers, one a head, got [1, 2]": lambda: config(alibi_slopes=[1, 2]),
        "alibi_slopes must be finite numbers of at least 0, got -3": lambda: config(alibi_slopes=[1, 2, -3]),
        "causal must be True or False, got 1": lambda: config(causal=1),
        "dropout must be in [0, 1), got nan": lambda: config(dropout=NAN),
    },
    "init_model": {
        "seed must be at least 0, got -1": lambda: core.init_model(MODEL.config, seed=-1),
        "dtype must be float32 or float64, got float16": lambda: core.init_model(MODEL.config, dtype=np.float16),
    },
    "logits": {
        "tokens must be in [0, vocab_size 11), got 1 to 11": lambda: core.logits(MODEL, [1, 11]),
        "tokens must be whole numbers, got dtype float64": lambda: core.logits(MODEL, [1.0]),
        "tokens must not be empty, got shape (2, 0)": lambda: core.logits(MODEL, ids(2, 0)),
        "tokens must have at most max_len 5 positions, got shape (6,)": lambda: core.logits(MODEL, ids(6)),
    },
    "attention_weights": {"tokens must be in [0, vocab": lambda: core.attention_weights(MODEL, [-1])},
    "insides": {"tokens must be whole numbers, got dtype bool": lambda: core.insides(MODEL, [True])},
    "loss_and_gradients": {
        "tokens and targets must have the same shape, got (2,) and (3,)": lambda: learn([1, 2], [1, 2, 3]),
        "targets must be in [0, vocab_size 11), got 1 to 11": lambda: learn(targets=[1, 11]),
        "tokens must contain at least one position, got shape (0, 3)": lambda: learn(ids(0, 3), ids(0, 3)),
    },
    "generate": {
        "prompt must be a list of at least one token id, got shape (0,)": lambda: generate([]),
        "prompt must be in [0, vocab_size 11), got 1 to 11": lambda: generate([1, 11]),
        "n_new must be at least 0, got -1": lambda: generate(n_new=-1),
        "temperature must be a finite number of at least 0, got -0.1": lambda: generate(temperature=-0.1),
        "top_k must be at least 1, got 0": lambda: generate(top_k=0),
        "top_p must be in (0, 1], got 1.5": lambda: generate(top_p=1.5),
        "seed must be at least 0, got -1": lambda: generate(seed=-1),
    },
    "choices": {"prompt must be a list of at least one": lambda: core.choices(MODEL, [], 3)},
    "train": {
        "tokens must be a text (N,) or rows (N, T + 1), of two tokens at least, got (1,)": lambda: train([1]),
        "tokens must have at most max_len 5 + 1 columns, got (2, 7)": lambda: train(ids(2, 7)),
        "tokens must be in [0, vocab_size 11), got 1 to 11": lambda: train([1, 2, 11]),
        "steps must be at least 0, got -1": lambda: train(steps=-1),
        "batch_size must be at least 1, got 0": lambda: train(batch_size=0),
        "length must be between 1 and 3, got 4": lambda: train(length=4),
        "warmup must be at least 0, got -1": lambda: train(warmup=-1),
        "learning_rate must be a finite number above 0, got nan": lambda: train(learning_rate=NAN),
        "clip must be a finite number above 0, got 0": lambda: train(clip=0),
        "weight_decay must be a finite number of at least 0, got -1": lambda: train(weight_decay=-1),
        "beta2 must be a number from 0 to below 1, got 1": lambda: train(beta2=1),
        "optimizer must be of this model,": lambda: train(optimizer=core.AdamW.of(OTHER)),
        "tokens must make rows (B, T + 1), got shape (3,)": lambda: next(train(lambda rng: ids(3))),
        "counted must be boolean (3, 4), one for each target, got float64 (3, 5)": lambda: next(
            train(lambda rng: core.Batch(ids(3, 5), np.ones((3, 5))))
        ),
    },
}


def test_every_public_name_is_in_the_table():
    assert set(core.__all__) == {*BAD, *UNCHECKED, *IN_FILES}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_says_what_is_wrong(name):
    for message, call in BAD[name].items():
        with pytest.raises(ValueError, match="^" + re.escape(message)):
            call()
