"""copy: the two heads that recall a digit, during training, and switched off."""

from functools import partial

import pytest

from attention_core.experiments.inside.patching import run_with_heads
from attention_core.experiments.inside.score_split import Cell, score_writers, split_score
from attention_core.model.activations import insides
from attention_core.model.config import Config
from attention_core.model.parameters import init_model
from attention_core.text.corpora import source_of
from attention_core.text.recall_task import recall_targets
from pages.look.html import number
from pages.tiny_lm.model_in_view import NAMES, Own
from tests.app.steps import step
from tests.app.tiny_lm.models import close, in_view, named, step_with
from tests.app.visits import charts, click, controls, press, rerun, reveal, said, set_to, shared, visit
from tests.tiers import first

show = partial(step, "tiny_lm", "copy")
KEPT = "What each component of the key adds"


def test_no_one_cell_is_asked_for_where_several_hold_the_digit():
    assert [len(show(letters=letters).page.asked) for letters in ("a3c7b1e4a", "a3c7a3e4a")] == [1, 0]


@pytest.mark.parametrize(("query", "key"), [("a₉", "3"), ("e", "c"), ("a₉", "a₉")])
def test_a_score_of_the_later_head_is_split_by_what_wrote_its_key(query, key):
    viewed = in_view("Copy task")
    cell = Cell(1, 3, viewed.labels.index(query), viewed.labels.index(key))
    found = split_score(viewed.model, insides(viewed.model, viewed.tokens), *cell)
    seen = show(q=query, k=key)
    bars = named(seen, KEPT).data
    close(bars["value"], [*found.by_key, found.distance, found.total])
    writers = score_writers(viewed.model.config, 1)
    assert bars["label"].tolist()[: len(writers)] == [*writers]
    best = int(found.by_key.argmax())
    assert all(number(float(value)) in said(seen) for value in (found.score, found.by_key[best]))
    if "." in writers[best]:  # a head, whose effect stands beside what it wrote
        offs = [int(writers[best].split(".")[1]) - 1], range(viewed.model.config.n_heads)
        left = [number(float(run_with_heads(viewed.model, viewed.tokens, off).weights[cell])) for off in offs]
        assert "the weight is {}, without layer 1’s heads {}".format(*left) in said(seen)


def test_the_head_of_the_layer_before_wrote_the_key_of_the_induction_head():
    assert "head 1.1 wrote" in said(show())
    assert "The causal mask blocks this key" in said(show(q="3", k="e"))
    assert "gives “a₁” the weight 1.00" in said(show(q="a₁"))  # the usual key comes later


def test_a_click_chooses_the_cell_of_the_later_head():
    app = reveal(visit("tiny_lm", step="copy"))
    click(app, 6, 5, next(one for one in charts(app) if one.alt.startswith("Head 2.4")))
    assert {key: shared(app)[f"tiny_lm_{key}"] for key in "qk"} == {"q": "e", "k": "1"}
    app = set_to(visit("tiny_lm", step="copy", letters="the the the"), tiny_lm_q="h₁")
    assert charts(app)[0].data.query("mark >= 4")["j"].tolist() == [controls(app)["tiny_lm_k"].index]


def test_another_sequence_is_put_into_the_field():
    app = visit("tiny_lm", step="copy", ask="no")
    seen = set()
    for _ in range(3):
        press(app, "New sequence")
        text = app.text_input(key="tiny_lm_letters").value
        assert recall_targets(source_of("recall").vocabulary.encode(list(text))).answerable[-1]
        seen.add(text)
    assert len(seen) == 3
    assert shared(app)["tiny_lm_letters"] == text
    assert visit("tiny_lm", step="copy", ask="no", lock="letters").button(key="tiny_lm_put_row").disabled


@pytest.mark.parametrize("label", first(2, NAMES))
def test_copying_is_shown_whatever_the_sidebar_names(label):
    seen = show(model=label)
    assert seen.scene.words == list("a3c7b1e4a")
    assert [one.alt for one in charts(seen)] == [one.alt for one in charts(show())]


RECALL = {
    "three layers": Config(20, 8, 2, 3, 32, positions="alibi"),
    "looks ahead": Config(20, 8, 1, 2, 48, causal=False),
    "one layer": Config(20, 8, 1, 1, 48),
}


def recaller(kind):
    """Return a student's own model that can read the rows."""
    models = tuple(init_model(RECALL[kind], seed) for seed in range(3))
    return Own(models, (0, 10, 20), source_of("recall").vocabulary, "character", "x <b>y</b>", "a1b2a")


@pytest.mark.parametrize("kind", first(1, RECALL))
def test_a_model_of_ones_own_that_can_read_the_rows_is_shown(kind):
    for name, when in (("bench", "trained"), ("copy", "untrained"), ("copy", "trained")):
        seen = step_with(recaller(kind), name, when=when)
        assert charts(seen)
        assert "<b>y</b>" not in " ".join(seen.html)


def test_the_model_is_named_and_ones_own_of_that_kind_comes_first():
    app = visit("tiny_lm", step="copy", ask="no")
    assert "Model: Copy task" in said(app)
    app.session_state["tiny_lm_own"] = recaller("three layers")
    assert "Model: your own" in said(rerun(app))
    press(app, "Show Copy task")
    assert "Model: Copy task" in said(app)
    press(app, "Show your own")
    assert "Model: your own" in said(app)
