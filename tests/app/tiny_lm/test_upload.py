"""train: a model from a file; what the door lets in, every step can show."""

import io
import json
import re
from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import attention_core as core
from attention_core.model.checkpoint import load_run
from attention_core.shipped.models import model_at
from attention_core.shipped.plans import MODELS
from attention_core.shipped.runs import Plan
from attention_core.text.corpora import MOST_TOKENS, source_of
from attention_core.text.vocabulary import Vocabulary
from pages.server.shares import Visitor
from pages.tiny_lm.model_in_view import PROMPTS
from pages.tiny_lm.train import upload
from pages.tiny_lm.train.form import LONGEST, OWN_TEXT, WIDTHS
from pages.tiny_lm.train.job import Job, is_full, nbytes
from pages.tiny_lm.train.upload import LARGEST_NUMBER, MOST_HEADS, MOST_LAYERS, from_file, with_training
from tests.app.tiny_lm.runs import LINK, at_training, trained
from tests.app.visits import press, rerun, said, shared, visit

pytestmark = pytest.mark.usefixtures("by_hand")

LETTERS = list("abcdefghijk")
MANY = [f"{number}" for number in range(5_001)]
WIDE = "its layers times their width (d_model, or a quarter of d_ff) must be at most 1,024, to be shown, got "


@pytest.fixture(autouse=True, params=[False])
def reads_here(request, monkeypatch):
    """Read most files in this process, which is quicker."""
    if not request.param:
        monkeypatch.setattr(
            upload, "reader", lambda answer: nullcontext(SimpleNamespace(call=lambda f, *given: f(*given)))
        )


@pytest.mark.parametrize("reads_here", [True], indirect=True)
def test_a_file_is_read_elsewhere_and_what_is_wrong_with_it_comes_back():
    here = load_run(io.BytesIO(FILES_LET_IN["usual"]))[0]
    (there,) = from_file(FILES_LET_IN["usual"]).models
    np.testing.assert_array_equal(there.flat, here[max(here)].flat)
    assert there.flat.flags.writeable
    with pytest.raises(ValueError, match=r"^it must have at most 8 layers"):
        from_file(packed(n_layers=9))
    with pytest.raises(ValueError, match=r"^(?!ValueError)"):
        from_file(b"no model")


def packed(tokens=LETTERS, times=1.0, **kind):
    """Return the file of a model, its numbers so many times as large as a fresh one's."""
    sizes = {"vocab_size": len(tokens or LETTERS), "d_model": 8, "n_heads": 2, "n_layers": 2, "max_len": 9}
    model, file = core.init_model(core.Config(**sizes | kind), 3), io.BytesIO()
    model.flat[:] *= times
    core.save(file, model, tokens)
    return file.getvalue()


FILES_LET_IN = {
    "usual": packed(),
    "post-norm, no feed-forward, looks ahead": packed(norm="post", d_ff=0, causal=False, positions="alibi"),
    "large numbers": packed(times=LARGEST_NUMBER / 4),
    "nothing but zeros": packed(times=0),
    "one token": packed(["a"]),
    "two tokens, two places": packed(["a", "b"], max_len=2),
    "one place": packed(max_len=1),
    "words, one of them empty": packed(["", "the", "<b>cat</b>", " ", "\n", "$x$"]),
    "as deep and as many as may be": packed(n_layers=MOST_LAYERS, n_heads=MOST_HEADS, positions="learned"),
}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (packed(times=1e6), "its parameters must be at most 10,000, or sums of them overflow, got "),
        (packed(times=1e36), "its parameters must be at most 10,000, or sums of them overflow, got "),
        (packed(n_layers=9), "it must have at most 8 layers of 8 heads, to be shown"),
        (packed(d_model=18, n_heads=9), "it must have at most 8 layers of 8 heads, to be shown"),
        (packed(MANY), "it must have at most 5,000 tokens, to be shown, got 5,001"),
        (packed(d_model=136, n_heads=8, n_layers=8), WIDE + "8 × 136"),
        (packed(d_model=4, n_heads=1, d_ff=16_384, n_layers=1), WIDE + "1 × 4,096"),
        (packed([*LETTERS, "l" * 41]), "its tokens must have at most 40 characters, to be shown, got 41"),
        (packed(None), "it has no vocabulary, so its tokens have no names"),
        (packed()[:-99], ""),
        (b"", ""),
    ],
)
def test_what_could_not_be_shown_stays_outside(content, message):
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        from_file(content)


@pytest.mark.parametrize("name", MODELS)
def test_every_model_that_ships_could_be_brought(name):
    from_file(file_of(model_at(name), source_of(MODELS[name].source).vocabulary))


def test_so_could_the_widest_that_can_be_trained_here():
    config = core.Config(MOST_TOKENS["word"], int(WIDTHS[-1]), 8, 4, LONGEST)
    vocabulary = Vocabulary(f"{number}" for number in range(config.vocab_size))
    from_file(file_of(core.init_model(config, 0), vocabulary))


def bring(app, content):
    app.session_state["tiny_lm_bring"] = True
    rerun(app)
    app.file_uploader(key="tiny_lm_file").upload("model.safetensors", content, "application/octet-stream")
    return rerun(app)


def test_a_model_is_brought_through_the_page_beside_a_text_and_a_run_of_ones_own():
    assert "cannot be used" in said(bring(at_training(), b"nonsense"))
    app = at_training(learn=OWN_TEXT, **LINK)
    bring(app, file_of(model_at("recall"), source_of("recall").vocabulary))
    app.text_area(key="tiny_lm_own_text").set_value("one fish two fish red fish blue fish " * 20).run()
    brought = app.session_state["tiny_lm_own"]
    assert rerun(app).session_state["tiny_lm_own"] is brought  # read once
    trained(app)
    assert rerun(app).session_state["tiny_lm_own"].steps[-1] == 50
    app.query_params.pop("tiny_lm_prompt")  # as the browser, where what a button sets comes before the address
    press(app, "Open the loaded model")
    assert shared(app)["tiny_lm_step"] == "copy"
    assert "Model: your own" in said(app)
    assert app.text_input(key="tiny_lm_prompt").value == PROMPTS["recall"][1]
    again = app.session_state["tiny_lm_own"]
    assert (again.says, again.brought) == (brought.says, True)
    np.testing.assert_array_equal(again.models[-1].flat, model_at("recall").flat)


def file_of(model, vocabulary):
    target = io.BytesIO()
    core.save(target, model, vocabulary)
    return target.getvalue()


def test_a_saved_model_comes_back_bit_for_bit():
    model, vocabulary = model_at("pronoun"), source_of("pronoun").vocabulary
    own = from_file(file_of(model, vocabulary))
    np.testing.assert_array_equal(own.models[-1].flat, model.flat)
    assert (own.vocabulary.tokens, own.unit, own.prompt) == (vocabulary.tokens, "word", PROMPTS["pronoun"][1])
    own = from_file(FILES_LET_IN["usual"])
    assert (own.unit, own.prompt) == ("character", "abcdef")


def test_a_file_tells_of_its_training_unless_that_is_odd():
    own, curve = replace(from_file(FILES_LET_IN["usual"]), steps=(9,)), [[0, 5, 9], [3, 2, 1], [4, 3, 2], [1, 1, 1]]
    told = {"prompt": "badge", "curve": curve, "baselines": [4, 3, 2, 1]}
    found = with_training(own, json.dumps(told))
    assert (found.prompt, found.curve.tested.tolist(), dict(found.baselines)["bigram"]) == ("badge", curve[2], 2)
    wrong = (3, "", source_of("recall").says)  # it does not read what the Copy task is made of
    assert [with_training(own, json.dumps(told | {"says": said})).says for said in wrong] == [own.says] * 3
    late, twice = [[0, 5, 10], *curve[1:]], [[0, 5, 5], *curve[1:]]
    for odd in (
        {"prompt": "?"},
        {"prompt": 3},
        *({"curve": one} for one in (late, twice, curve[:3], {})),
        {"baselines": [-1]},
    ):
        assert with_training(own, json.dumps(told | odd)) is own
    assert with_training(own, "[" * 99_999) is own


def test_a_server_that_is_full_takes_no_model_and_trains_none(monkeypatch):
    monkeypatch.setattr("pages.server.shares.ROOM", -1)
    assert visit("tiny_lm", step="train", ask="no").button(key="tiny_lm_train").disabled
    monkeypatch.undo()
    app = visit("tiny_lm", step="train", ask="no")
    monkeypatch.setattr("pages.server.shares.ROOM", -1)  # since its button was drawn
    assert "tiny_lm_training" not in press(app, "tiny_lm_train").session_state
    monkeypatch.undo()
    plan, source = Plan(core.Config(64, 128, 8, 4, 8), 50), source_of("pronoun")
    for others, found in ((True, ((1, 1), (0, 1), (0, 0))), (False, ((1, 1), (1, 1), (0, 1)))):
        begun = [Job(plan, source, Visitor(f"{i}" * others)) for i in range(3)]  # nothing of them is held yet
        for small, large in found:
            assert (is_full(100_000), is_full(nbytes(plan))) == (small, large)
            begun.pop()
