"""A model from a file: what the door lets in, every step can show."""

import io
import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import attention_core as core
from pages.tiny_lm.train.upload import LARGEST_NUMBER, MOST_HEADS, MOST_LAYERS, from_file
from tests.app.visits import FILES, ROOT, components, reveal

STEPS = re.findall(
    r"^    Stage\(\s*\"(\w+)\"", (ROOT / FILES["tiny_lm"]).read_text(encoding="utf-8"), flags=re.MULTILINE
)
LETTERS = list("abcdefghijk")


def packed(tokens=LETTERS, times=1.0, **kind):
    """Return the file of a model, its numbers so many times as large as a fresh one's."""
    sizes = {"vocab_size": len(tokens), "d_model": 8, "n_heads": 2, "n_layers": 2, "max_len": 9}
    model, file = core.init_model(core.Config(**sizes | kind), 3), io.BytesIO()
    model.flat[:] *= times
    core.save(file, model, tokens)
    return file.getvalue()


FILES_LET_IN = {
    "usual": packed(),
    "large numbers": packed(times=LARGEST_NUMBER / 4),
    "nothing but zeros": packed(times=0),
    "one token": packed(["a"]),
    "two tokens, two places": packed(["a", "b"], max_len=2),
    "one place": packed(max_len=1),
    "words, one of them empty": packed(["", "the", "<b>cat</b>", " ", "\n", "$x$"]),
    "post-norm, no feed-forward, looks ahead": packed(norm="post", d_ff=0, causal=False, positions="alibi"),
    "as deep and as many as may be": packed(n_layers=MOST_LAYERS, n_heads=MOST_HEADS, positions="learned"),
}


@pytest.mark.parametrize("content", FILES_LET_IN.values(), ids=FILES_LET_IN)
def test_every_step_shows_what_the_door_lets_in(content):
    """Warnings are errors here: no number overflows."""
    own = from_file(content)
    assert len(STEPS) > 7
    for step in STEPS:
        app = AppTest.from_file(ROOT / FILES["tiny_lm"], default_timeout=60)
        app._bidi_component_manager = components()
        app.session_state["tiny_lm_own"] = own
        app.query_params = {"tiny_lm_model": "your own", "tiny_lm_step": step}
        app.run()
        assert not app.exception, (step, app.exception[0].value)
        reveal(app)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (packed(times=1e6), "its numbers must be at most 10,000, or sums of them overflow, got "),
        (packed(times=1e36), "its numbers must be at most 10,000, or sums of them overflow, got "),
        (packed(n_layers=9), "it must have at most 8 layers of 8 heads, to be shown"),
        (packed(d_model=18, n_heads=9), "it must have at most 8 layers of 8 heads, to be shown"),
        (packed([*LETTERS, "l" * 41]), "its tokens must have at most 40 characters, to be shown, got 41"),
        (packed()[:-99], ""),
        (b"", ""),
    ],
)
def test_what_could_not_be_shown_stays_outside(content, message):
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        from_file(content)


def test_a_model_without_a_vocabulary_stays_outside():
    file = io.BytesIO()
    core.save(file, core.init_model(core.Config(5, 4, 2, 1, 3)))
    with pytest.raises(ValueError, match=r"^it has no vocabulary, so its tokens have no names$"):
        from_file(file.getvalue())


def test_what_is_let_in_is_the_model_of_the_file():
    own = from_file(FILES_LET_IN["usual"])
    assert np.array_equal(own.models[0].flat, core.init_model(own.models[0].config, 3).flat)
    assert own.vocabulary.tokens == tuple(LETTERS)
    assert (own.unit, own.prompt) == ("character", "abcdef")
