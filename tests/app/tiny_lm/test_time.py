"""time: the checkpoints of a run, and ablations."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from attention_core.model.generate import generate
from attention_core.shipped.models import curve_of, model_at
from attention_core.shipped.plans import MODELS
from pages.tiny_lm.model_in_view import NAMES
from pages.tiny_lm.time.travel import WRITTEN, parts_of
from pages.tiny_lm.units import joined
from tests.app.steps import step
from tests.app.tiny_lm.models import close, in_view, line, named, odd, step_with
from tests.app.visits import charts, move, press, rerun, said, sent, shared, visit

show = partial(step, "tiny_lm", "time")
CURVE = "The loss over the training."


def test_an_own_curve_is_drawn_if_there_is_one():
    model, curve = odd("alibi, dropout"), curve_of("english")
    assert not [chart for chart in charts(step_with(model, "time")) if chart.alt.startswith(CURVE)]
    model.curve = curve
    close(line(named(step_with(model, "time"), CURVE), "validation loss")[1], curve.tested)


def test_the_loss_of_a_run_on_the_page_has_the_same_baselines_later():
    own = odd("alibi, dropout")
    own.curve, own.baselines = curve_of("english"), (("uniform", 4.7), ("bigram", 1.9))
    curve = named(step_with(own, "time"), CURVE)
    ends = curve.data[curve.data["kind"] == "end"].set_index("series")["value"]
    assert ends.drop(["validation loss", "training loss"]).to_dict() == dict(own.baselines)
    assert "'domain': ['training loss', 'validation loss'" in str(curve.spec)  # coloured as while it trained


TRAVEL = "attention_moving_text"


@pytest.mark.parametrize("label", ["Small Stories", "Toy English"])
def test_the_slider_shows_what_each_checkpoint_writes_and_what_is_new(label):
    app = visit("tiny_lm", step="time", ask="no", model=label)
    data = sent(app, TRAVEL)
    name = NAMES[label]
    stops, viewed = MODELS[name].stops, in_view(label)
    assert [int(stop) for stop in data["sliders"][0]["stops"]] == list(stops)
    assert data["sliders"][0]["at"] == len(stops) - 1
    for step_of, frame in list(zip(stops, data["frames"], strict=True))[:: max(1, len(stops) // 3)]:
        tokens = np.array(generate(model_at(name, step_of), viewed.tokens, WRITTEN[viewed.unit], 0.8, seed=3))
        text = joined(viewed.vocabulary, tokens, viewed.unit).replace("\n", "⏎")
        assert "".join(part for part, _ in frame["parts"]) == text
        assert frame["told"].startswith(f"After {step_of:,} step")
        later = step_of - MODELS[name].plan.first
        assert later in (step_of, min(later, 0)) or f"the last {later:,} with stories" in frame["told"]
    assert not any(new for _, new in data["frames"][0]["parts"])
    assert any(new for frame in data["frames"] for _, new in frame["parts"])


def test_the_slider_is_released_on_a_checkpoint_and_another_model_takes_the_nearest():
    app = visit("tiny_lm", step="time", ask="no", model="Toy English")
    move(app, TRAVEL, travel="100")
    assert shared(app)["tiny_lm_travel"] == "100"
    for travel, at in (("100", 2), ("99", 1), ("4000", 4), ("", 4)):
        here = named(show(travel=travel), CURVE).data.query("kind == 'here'")["x"]
        assert here.tolist() == [max(1, MODELS["english"].stops[at])]


@pytest.mark.parametrize(
    ("before", "text", "parts"),
    [
        ([1, 2, 3], [1, 2, 3], [("the big cat", False)]),
        ([1, 2, 3], [1, 4, 3], [("the ", False), ("dog ", True), ("cat", False)]),
        ([1, 3], [1, 2, 3], [("the ", False), ("big ", True), ("cat", False)]),
    ],
)
def test_words_that_differ_are_marked(before, text, parts):
    words = {1: "the", 2: "big", 3: "cat", 4: "dog"}
    scene = show().scene
    ids = {number: scene.vocabulary.encode([word])[0] for number, word in words.items()}
    found = parts_of(scene, *(np.array([ids[number] for number in own]) for own in (text, before)))
    assert found == parts


def test_the_best_checkpoint_of_a_run_that_memorises_is_not_the_last():
    curve = curve_of("english")
    last = int(curve.steps[-1])
    own = replace(odd("alibi, dropout", 3), steps=(0, last // 4, last))
    own.curve = curve._replace(tested=2 + abs(curve.steps - own.steps[1]) / last)
    seen = step_with(own, "time", unanswered="all")
    assert named(seen, CURVE)  # the curve has the answer
    question = seen.question("way")
    assert [question.options[place] for place in question.right] == [f"step {own.steps[1]:,}"]
    assert "memorises" in question.why
    assert not step_with(replace(own, knows=True), "time", unanswered="all").page.asked  # its test was in its training


def test_a_model_of_one_checkpoint_gives_way_to_one_that_has_more_and_one_of_several_is_compared():
    app = visit("tiny_lm", step="time", ask="no", model="your own")
    app.session_state["tiny_lm_own"] = replace(odd("alibi, dropout", 1), brought=True)
    assert "one checkpoint" in said(rerun(app))
    assert len(sent(app, TRAVEL)["frames"]) == len(MODELS["stories"].stops)
    press(app, "Show your own in another step")
    assert shared(app)["tiny_lm_step"] == "bench"
    assert "Model: your own" in said(app)
    again = visit("tiny_lm", step="time", ask="no", model="your own")
    again.session_state["tiny_lm_own"] = replace(odd("alibi, dropout", 3), brought=True)
    assert len(sent(rerun(again), TRAVEL)["frames"]) == 3
