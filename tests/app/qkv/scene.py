"""The first lesson as a student opens it, and what its head computes, here once more."""

import html
import math
import re
from typing import NamedTuple

import numpy as np
import pytest

from attention_core.experiments.multi_head.english_heads import trained_head
from attention_core.experiments.qkv.named_head import DIMENSIONS, NAMED_COLUMNS, NAMED_JOBS, named_embedding, named_head
from attention_core.experiments.qkv.one_head import HeadMatrices, random_head
from attention_core.text.characters import split_words
from attention_core.text.word_vectors import position_labels, word_vectors
from tests.app.steps import step
from tests.app.visits import html_of, main, press

SENTENCE = "the cat sat on the warm mat and it meowed"
STEPS = ["dot", "x", "q", "k", "v", "match", "softmax"]  # with the three matrices of one step
OF_WORDS = ["dot", "match", "softmax"]
CHOSEN = {step: ("q", "k") if step in OF_WORDS else ("q", "d") for step in (*STEPS, "mix")} | {"dot": ("a", "b")}
VECTORS = {"cat": [0.9, 0.1, 0.8, 0.2], "sat": [0.1, 0.9, 0.3, 0.7], "mat": [0.8, 0.2, 0.7, 0.3]}
SCENES = {
    "random": {"weights": "random"},
    "random and wide": {"weights": "random", "d_model": "13", "d_k": "5", "d_v": "3", "seed": "7"},
    "one matrix for both": {"weights": "random", "same": "true"},
    **{job: {"weights": "hand-made", "job": job, "seed": "2"} for job in NAMED_JOBS},
    **{f"head {head}": {"weights": "trained", "head": head} for head in "1234"},
    "trained, one matrix for both": {"weights": "trained", "head": "2", "same": "true"},
}
KINDS = ("random and wide", "adjective to noun", "head 3")
USUAL = (*KINDS, "random", "one matrix for both", "trained, one matrix for both")


def scenes(names):
    """Return scenes to try, of which few are usual."""
    mark = pytest.mark.nightly
    return [pytest.param(SCENES[name], id=name, marks=() if name in USUAL else mark) for name in names]


every_scene = pytest.mark.parametrize("link", scenes(SCENES))
each_kind = pytest.mark.parametrize("link", scenes(KINDS))
WORD_COLUMNS = [f"word {i}" for i in range(1, 5)]


def columns(name, link):
    """Return what stands along the columns of X, of Q, K or V, or of the output."""
    expected = computed(**link)
    if link["weights"] == "hand-made":
        if name == "x":
            return [*NAMED_COLUMNS, *WORD_COLUMNS]
        return WORD_COLUMNS if name in ("v", "mix") else list(DIMENSIONS[link.get("job", NAMED_JOBS[0])])
    return dimensions(getattr(expected, name))


class Computed(NamedTuple):
    """One head over a sentence, in plain NumPy from what the core gives for words and matrices."""

    labels: list[str]
    x: np.ndarray
    head: HeadMatrices
    q: np.ndarray
    k: np.ndarray
    v: np.ndarray
    match: np.ndarray  # the scores, before scaling
    scaled: np.ndarray
    mask: np.ndarray | None
    masked: np.ndarray  # scaled, with the mask added
    softmax: np.ndarray
    mix: np.ndarray


def place(name):
    """Return the words of a link to a step; q, k and v are the matrices of one step."""
    return {"step": "projections", "matrix": name.upper()} if name in ("q", "k", "v") else {"step": name}


def view(name, **link):
    """Return what a step draws for a link."""
    words = place(name) | link
    return step("qkv", words.pop("step"), **words)


def shares(scores, axis=-1):
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def computed_from(words, x, head, mask=None):
    q, k, v = (x @ matrix for matrix in head)
    scores = np.array([[query @ key for key in k] for query in q])
    scaled = scores / math.sqrt(q.shape[1])
    masked = scaled if mask is None else scaled + mask
    weights = shares(masked)
    return Computed(position_labels(words), x, head, q, k, v, scores, scaled, mask, masked, weights, weights @ v)


def computed(text=SENTENCE, weights="random", job=None, head="1", d_model=8, d_k=4, d_v=4, seed=20, **others):
    words, mask = split_words(text), None
    if weights == "random":
        x = word_vectors(words, int(d_model), int(seed))
        matrices = random_head(int(d_model), int(d_k), int(seed), int(d_v))
    elif weights == "hand-made":
        x = named_embedding(words, list(VECTORS), np.array(list(VECTORS.values())), int(seed))
        matrices = named_head(job or NAMED_JOBS[0], x.shape[1])
    else:
        x, matrices, mask = trained_head(words, int(head) - 1)
    return computed_from(words, x, matrices, mask)


def close(seen, expected):
    np.testing.assert_allclose(seen, expected, rtol=1e-12, atol=1e-12)


def dimensions(matrix):
    return [str(column + 1) for column in range(matrix.shape[1])]


def shown(value, digits=2):
    """Return a number as the page should write it: a true minus, a thin space for thousands, no minus before zero."""
    text = "∞" if math.isinf(value) else f"{abs(value):,.{digits}f}".replace(",", ",")
    return "−" + text if value < 0 and text.strip("0.") else text


def chosen_cells(app):
    """Return the cells at which row and column are said to meet."""
    return set(main(app).data.query("mark >= 4")[["i", "j"]].itertuples(index=False, name=None))


def card(app):
    """Return the title of the derivation, the rows of its table, and the lines under it."""
    blocks = [block for block in html_of(app) if 'class="title"' in block]
    block = next((block for block in blocks if 'class="ledger"' in block), blocks[0])
    ledger = block.partition('class="ledger"')[2].partition('class="chain"')[0]
    rows = re.findall(
        r'class="of">([^<]*)</span><span class="n[^"]*">([^<]*)<.*?class="n[^"]*">([^<]*)<.*?class="n">([^<]*)<', ledger
    )
    chain = block.partition('class="chain"')[2]
    lines = re.findall(r'<span[^>]*>((?:(?!</span><span class="n).)*)</span><span class="n[^"]*">([^<]*)</span>', chain)
    title = re.search(r'class="title">(.*?)</div>', block)[1]
    rows = [(html.unescape(name), *numbers) for name, *numbers in rows]
    rows += re.findall(r'class="rest">(\d+) others</span><span class="n">([^<]*)<', ledger)
    return plain(title), rows, [(plain(what), value) for what, value in lines]


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
