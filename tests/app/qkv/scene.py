"""The first lesson as a student opens it."""

import html
import re

import numpy as np
import pytest

from tests.app.steps import step
from tests.app.visits import main, press

SENTENCE = "the cat sat on the warm mat and it meowed"
STEPS = ["dot", "x", "q", "k", "v", "match", "softmax"]  # with the three matrices of one step
OF_WORDS = ["dot", "match", "softmax"]
CHOSEN = {step: ("q", "k") if step in OF_WORDS else ("q", "d") for step in (*STEPS, "mix")}
CHOSEN |= {"dot": ("a", "b"), "k": ("k", "d"), "v": ("k", "d")}
VECTORS = {"cat": [0.9, 0.1, 0.8, 0.2], "sat": [0.1, 0.9, 0.3, 0.7], "mat": [0.8, 0.2, 0.7, 0.3]}
SCENES = {
    "random and wide": {"weights": "random", "d_model": "13", "d_k": "5", "d_v": "3", "seed": "7"},
    "adjective to noun": {"weights": "hand-made", "job": "adjective to noun", "seed": "2"},
    "head 3": {"weights": "trained", "head": "3"},
}
each_kind = pytest.mark.parametrize("link", SCENES.values(), ids=SCENES)


def place(name):
    """Return the words of a link to a step; q, k and v are the matrices of one step."""
    return {"step": "projections", "matrix": name.upper()} if name in ("q", "k", "v") else {"step": name}


def view(name, **link):
    words = place(name) | link
    return step("qkv", words.pop("step"), **words)


def close(seen, expected):
    np.testing.assert_allclose(seen, expected, rtol=1e-12, atol=1e-12)


def chosen_cells(app):
    """Return the cells at which row and column are said to meet."""
    return set(main(app).data.query("mark >= 4")[["i", "j"]].itertuples(index=False, name=None))


def plain(markup):
    return html.unescape(re.sub("<[^>]*>", "", markup)).strip()


def answer(app, given):
    """Fill in the open question and press Check."""
    if app.radio:
        app.radio[0].set_value(given)
    elif isinstance(given, tuple):
        for field, value in zip(("Row", "Column"), given, strict=True):
            next(box for box in app.selectbox if box.label == field).set_value(value)
    else:
        next(field for field in app.number_input if field.label == "Your answer").set_value(given)
    return press(app, next(button.key for button in app.button if button.label == "Check"))
