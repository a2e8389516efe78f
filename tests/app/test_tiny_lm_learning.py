"""Lesson 6, what a model is made of: every number of this step is the core's."""

import html
import re
from functools import partial

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import attention_core as core
from attention_core.experiments.architecture import boxes, loss_if, losses_dropped
from attention_core.experiments.costs import GPT_2, GPT_3
from attention_core.model.parameters import n_parameters, parameter_parts
from attention_core.shipped.models import MODELS, card_of, model_at
from attention_core.text.corpora import source_of, split
from attention_core.text.vocabulary import Vocabulary
from pages.page.ask import Answer
from pages.tiny_lm import learning_questions as asked
from pages.tiny_lm.model_in_view import NAMES, PROMPTS, WHEN, Own
from tests.app import visits
from tests.app.bare import printed, run_bare
from tests.app.files import file_of, keeping
from tests.app.test_page import same, some_value
from tests.app.visits import FILES, ROOT, charts, components, html_of, press, rerun, reveal, said, shared

STAGES = ("parts",)
LINKS = [
    {"step": "parts"},
    {"step": "parts", "order": "the other way round", "part": "logits"},
]
each_model = pytest.mark.parametrize("label", NAMES)
each_link = pytest.mark.parametrize("link", LINKS, ids=str)

visit = partial(visits.visit, "tiny_lm")


def shown(**link):
    """Return a page whose questions were waved away."""
    return visit(ask="no", **link)


def the_model(label, when="trained"):
    """Return the model of a link and its source."""
    own = MODELS[NAMES[label]]
    return model_at(own.name, own.stops[WHEN.index(when)]), source_of(own.source)


def the_tokens(label, text=None):
    """Return the prompt of a model as ids."""
    source = the_model(label)[1]
    return source.vocabulary.encode(split(text or PROMPTS[NAMES[label]][1], source.unit))


def own_page(own, **link):
    """Return a page that has a model of the student's own."""
    app = AppTest.from_file(ROOT / FILES["tiny_lm"], default_timeout=30)
    app._bidi_component_manager = components()
    app.session_state["tiny_lm_own"] = own
    app.query_params = {f"tiny_lm_{key}": value for key, value in {"model": "your own", "ask": "no", **link}.items()}
    return rerun(app)


def the_chart(app, title):
    """Return the chart whose sentence begins so."""
    (found,) = [chart for chart in charts(app) if chart.alt.startswith(title)]
    return found


def close(seen, expected):
    np.testing.assert_allclose(seen, expected, rtol=1e-6, atol=1e-9)


# Every model, at every moment


@each_model
@each_link
def test_every_step_works_for_every_model_at_every_moment(label, link):
    for when in WHEN:
        app = shown(model=label, when=when, **link)
        assert charts(app)
        assert "NaN" not in said(app)
        for found in charts(app):
            assert found.alt


@each_model
def test_a_prompt_of_one_token_is_no_exception(label):
    field, text = PROMPTS[NAMES[label]]
    first = split(text, the_model(label)[1].unit)[0]
    app = reveal(visit(model=label, step="parts", **{field: first}))
    assert "second" in said(app)


@pytest.mark.parametrize(
    "kind",
    [
        {"n_layers": 1, "n_heads": 1, "d_ff": 0, "norm": "post", "positions": "none"},
        {"n_layers": 4, "n_heads": 8, "causal": False, "positions": "alibi"},
        {"n_layers": 2, "n_heads": 4, "d_ff": 7, "norm": "post", "positions": "rope", "activation": "relu"},
        {"n_layers": 3, "n_heads": 2, "positions": "sinusoidal", "dropout": 0.2},
    ],
    ids=str,
)
def test_a_model_of_ones_own_may_be_as_odd_as_it_likes(kind):
    tokens = ["<b>x</b>", "`a`", "*i*", "_", " ", "\n", "␣", "$x$", "a", "b", "é"]
    model = core.init_model(core.Config(len(tokens), 16, max_len=11, **kind), seed=1)
    loud = core.Model.of(model.config, model.flat * np.float32(1000))
    for models, unit in (((loud,), "word"), ((model, loud), "character")):
        own = Own(models, tuple(range(len(models))), Vocabulary(tokens), unit, "<i>says</i>", "a b a `a` é b")
        for link in LINKS:
            app = own_page(own, **link)
            assert "<b>x</b>" not in " ".join(html_of(app))
            assert "<i>says" not in " ".join(html_of(app))


OURS = ["order", "part"]


def wandering(step, seed):
    """Return a page on which somebody has set controls of a step at random."""
    rng = np.random.default_rng([seed, STAGES.index(step)])
    app = reveal(visit(step=step, model=str(rng.choice(list(NAMES))), when=str(rng.choice(WHEN))))
    for _ in range(3):
        for name in OURS:
            widget = visits.controls(app).get(f"tiny_lm_{name}")
            if widget is not None and rng.random() < 0.7:
                widget.set_value(some_value(widget, rng))
                reveal(rerun(app))
    return app


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("step", STAGES)
def test_a_link_to_these_steps_shows_the_same_numbers_to_the_last_bit(step, seed):
    app = wandering(step, seed)
    link = shared(app)
    again = visits.opened("tiny_lm", link)
    assert same(reveal(again), reveal(app))
    assert shared(again) == link
    assert "could not be used" not in said(again)


# Files


@pytest.mark.usefixtures("media")
@pytest.mark.parametrize("link", LINKS, ids=str)
def test_every_script_of_these_steps_runs_by_itself(link):
    app = keeping("tiny_lm", model="letters and digits", **link)
    numbers = printed(run_bare(file_of(app, "Script").decode()))
    model, tokens = the_model("letters and digits")[0], the_tokens("letters and digits")
    if link["step"] == "parts":
        dropped = losses_dropped(model, tokens, 0.1, 8)
        np.testing.assert_allclose(numbers["dropped"], dropped, atol=1e-5)


# Parts


def test_sentences_do_not_depend_on_the_chosen_part():
    one, two = (shown(step="parts", part=part) for part in ("tokens", "logits"))
    assert [chart.alt for chart in charts(one)] == [chart.alt for chart in charts(two)]


@each_model
@pytest.mark.promise("tiny_lm 9", "tutorial 27")
def test_every_box_says_what_it_hands_on_and_holds(label):
    config, length = the_model(label)[0].config, len(the_tokens(label))
    for order in ("as in this model", "the other way round"):
        turned = config if order.startswith("as") else core.Config(**{**vars(config), "norm": "post"})
        once = [box for box in boxes(turned, length) if box.layer <= 0]
        chart = charts(shown(step="parts", model=label, order=order))[0]
        drawn = chart.data[chart.data["kind"] == "box"]
        assert drawn["name"].tolist() == [box.name for box in once]
        assert drawn["note"].tolist() == [" × ".join(map(str, box.out)) for box in once]
        assert [text.replace("\u202f", "") for text in drawn["amount"]] == [
            str(box.n_parameters or "–") for box in once
        ]
        paths = chart.data[chart.data["kind"] == "path"]
        assert len(paths) == (2 if config.d_hidden else 1)
        adds = drawn[drawn["name"].str.startswith("add")]
        assert paths["bottom"].tolist() == ((adds["top"] + adds["bottom"]) / 2).tolist()


@each_model
@pytest.mark.promise("tutorial 25")
def test_a_path_passes_the_norm_before_and_not_the_norm_after(label):
    for order, past in (("as in this model", True), ("the other way round", False)):
        chart = charts(shown(step="parts", model=label, order=order))[0]
        box = chart.data[chart.data["kind"] == "box"].set_index("name")
        for number, (_, path) in enumerate(chart.data[chart.data["kind"] == "path"].iterrows(), start=1):
            norm = box.loc[f"norm {number}"]
            assert (path["top"] < norm["top"] < path["bottom"]) == past


def test_a_click_on_a_box_opens_it():
    label = "King James Bible"
    config = the_model(label)[0].config
    for box in boxes(config, len(the_tokens(label))):
        if box.layer > 0:
            continue
        app = shown(step="parts", model=label, part=box.name)
        text = said(app).replace("\u202f", "")
        layers = config.n_layers if box.layer == 0 else 1
        assert f"{100 * layers * box.n_parameters / n_parameters(config):.1f} %" in text
        assert str(box.operations * layers) in text
        for name, shape in box.arrays.items():
            assert name.removeprefix("blocks.0.") in text
            assert " × ".join(map(str, shape)) in text
    assert len(charts(shown(step="parts", model=label, part="feed-forward"))) == 2


@each_model
def test_the_stacks_are_counted_by_formula(label):
    app = shown(step="parts", model=label)
    (stacks,) = [block for block in html_of(app) if 'class="stack"' in block]
    widths = re.findall(r'width:([\d.]+)%" title', stacks)
    expected = []
    for config in (the_model(label)[0].config, GPT_2, GPT_3):
        held = parameter_parts(config)
        expected += [f"{100 * count / sum(held):.3f}" for count in held if count]
        assert f"{sum(held):,}".replace(",", "\u202f") in html.unescape(stacks)
    assert widths == expected


@each_model
@pytest.mark.promise("tutorial 25", "tutorial 26")
def test_the_same_numbers_built_otherwise_lose_what_the_core_says(label):
    model, tokens = the_model(label)[0], the_tokens(label)
    text = said(shown(step="parts", model=label)).replace("\u202f", "")
    assert f"as it is{loss_if(model, tokens, 'pre', 'gelu'):.2f}" in text
    assert f"the norms after instead{loss_if(model, tokens, 'post', 'gelu'):.2f}" in text
    dropped = losses_dropped(model, tokens, 0.1, 8)
    assert f"8 draws{dropped.min():.2f} to {dropped.max():.2f}" in text
    assert ("ReLU for the bend" in text) == bool(model.config.d_hidden)
    if model.config.d_hidden:
        assert f"ReLU for the bend{loss_if(model, tokens, 'pre', 'relu'):.2f}" in text


@each_model
def test_the_card_says_how_the_model_came_about(label):
    card = card_of(NAMES[label])
    text = said(shown(step="parts", model=label)).replace("\u202f", "")
    for part in (
        card.text,
        card.licence,
        card.command,
        f"{card.first_loss:.2f} nats on the first texts that it read",
        f"{card.last_loss:.2f} in the end on texts held out",
    ):
        assert part in text
    assert f"numbers{card.parameters}" in text
    assert f"steps of training{card.steps}" in text


# Questions


def judged(question, given):
    """Return what is said of an answer."""
    return question.judge(given)


@pytest.mark.parametrize("variant", range(5))
def test_questions_know_their_answers_and_the_likely_mistakes(variant):
    config = core.Config(113, 32, 4, 1, 32, d_ff=0)
    numbers = [asked.attention_question(config)]
    assert numbers[0].right == 4 * 32 * 32
    for question in numbers:
        assert judged(question, question.right).right
        for mistake in question.mistakes:
            if abs(mistake.value - question.right) > question.tolerance:
                verdict = judged(question, mistake.value)
                assert not verdict.right
                assert mistake.text in verdict.text
    largest = asked.largest_question(config, "this model", variant)
    held = parameter_parts([config, GPT_2, GPT_3][variant % 3])._asdict()
    assert largest.options[largest.right[0]] == asked.KINDS[max(held, key=lambda part: held[part])]


@pytest.mark.parametrize(
    ("link", "name"),
    [
        ({"step": "parts"}, "matrices"),
    ],
)
def test_a_question_stands_before_the_picture_that_gives_it_away(link, name):
    app = visit(**link)
    assert not charts(app)
    press(app, "Just show me")
    assert charts(app)
    assert isinstance(app.session_state["answers"][f"tiny_lm_{name}"], Answer)
