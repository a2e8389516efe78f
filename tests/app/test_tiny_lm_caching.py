"""The KV cache: the pictures, the balance and the proof hold what the core computes, for any model."""

import re
from itertools import cycle

import numpy as np
import pytest

from attention_core.experiments import costs
from attention_core.experiments.kv_cache_proof import check_cache_validity
from attention_core.model.generate import decisions
from attention_core.shipped.models import MODELS, model_at
from attention_core.text.corpora import source_of
from pages.page.course import LESSONS
from pages.tiny_lm.subject import NAMES, PROMPTS, WHEN
from tests.app import visits
from tests.app.bare import printed, run_bare
from tests.app.files import file_of, keeping
from tests.app.own_models import KINDS, own, visit_own
from tests.app.visits import charts, controls, heatmap, html_of, press, reveal, said, set_to, shared

every_model = pytest.mark.parametrize("name", NAMES)


def visit(**link):
    return visits.visit("tiny_lm", step="cache", **link)


def shown(**link):
    return reveal(visit(**link))


def model_of(name, when="trained"):
    """Return a model and its usual prompt."""
    key = NAMES[name]
    source = source_of(MODELS[key].source)
    words = PROMPTS[key][1].split() if source.unit == "word" else list(PROMPTS[key][1])
    return model_at(key, MODELS[key].stops[WHEN.index(when)]), source.vocabulary.encode(words)


def computed(shown_chart):
    """Return how many positions each row of a picture says are computed now, and taken from the cache."""
    data = shown_chart.data
    now, kept = (data[data["kind"] == kind] for kind in ("computed now", "from the cache"))
    sizes = dict(zip(kept["step"], kept["to"] - kept["from"] + 1, strict=True))
    return (now["to"] - now["from"] + 1).tolist(), [int(sizes.get(step, 0)) for step in now["step"]]


@every_model
@pytest.mark.parametrize("n_new", [1, 12, 40])
def test_the_pictures_show_what_really_went_through_the_model(name, n_new):
    model, prompt = model_of(name)
    app = shown(model=name, written=str(n_new))
    without, with_cache = charts(app)[:2]
    anew = decisions(model, prompt, n_new, 0.8, seed=3, cache=False)
    kept = decisions(model, prompt, n_new, 0.8, seed=3)
    assert computed(without)[0] == anew.n_computed.tolist()
    assert computed(with_cache)[0] == kept.n_computed.tolist()
    seen = np.minimum(len(prompt) + np.arange(n_new), model.config.max_len)
    assert (np.sum(computed(with_cache), axis=0) == seen).all()
    assert f"{anew.n_computed.sum():,} positions" in without.alt
    assert f"reads {model.config.max_len} positions" in said(app)


def test_the_frame_stays_while_tokens_are_added():
    app = shown(written="9")
    first = [chart.spec for chart in charts(app)[:2]]
    set_to(app, tiny_lm_written=16)
    assert [chart.spec for chart in charts(app)[:2]] == first


@every_model
@pytest.mark.parametrize("when", ["untrained", "early", "trained"])
def test_the_balance_is_that_of_the_model(name, when):
    model, prompt = model_of(name, when)
    text = said(shown(model=name, when=when)).replace("\u202f", "")
    work = costs.operations_of_writing(model.config, len(prompt), 12)
    assert f"all anew{work.anew}" in text
    assert f"with the cache{work.cached}" in text
    held = len(prompt) + 11
    assert f"positions held{held}" in text
    size = costs.cache_bytes(model.config, held) / 1000
    assert f"{size:.1f} kB" in text
    n_same, n_proved = map(int, re.search(r"the same text(\d+) of (\d+)", text).groups())
    assert n_same == n_proved >= 6


def largest(app):
    """Return the largest difference between logits, in 32 and in 64 bits."""
    texts = [re.sub(r"(\d)<sup>", r"\1^", block) for block in html_of(app)]
    found = re.findall(r"([\d.]+) · 10\^([−\d]+)", " ".join(texts))
    return [float(digits) * 10 ** int(power.replace("−", "-")) for digits, power in found]


@every_model
def test_the_difference_is_that_of_two_runs(name):
    model, prompt = model_of(name)
    app = shown(model=name)
    n_proved = int(re.search(r"the same text\d+ of (\d+)", said(app))[1])
    kept, anew = (decisions(model, prompt, n_proved, 0.8, seed=3, cache=cache) for cache in (True, False))
    in_32, in_64 = largest(app)
    assert in_32 == pytest.approx(np.abs(kept.logits - anew.logits).max(), rel=0.06)
    assert in_64 < 1e-11
    assert f"{n_proved * model.config.vocab_size:,} logits" in said(app)


@every_model
@pytest.mark.parametrize("mask", ["taken off", "on"])
def test_what_moves_when_one_more_token_is_read(name, mask):
    model, prompt = model_of(name)
    token = int(decisions(model, prompt, 1, 0.8, seed=3).tokens[0])
    moved = check_cache_validity(model, prompt, token, causal=mask == "on")
    app = shown(model=name, mask=mask)
    seen = heatmap(charts(app)[2]).values
    wanted = np.stack(moved[:3], axis=1).reshape(-1, len(prompt))[:, -12:]
    np.testing.assert_allclose(seen, wanted, rtol=1e-6, atol=1e-9)
    if mask == "on":
        assert seen.max() < 1e-3


def test_the_scale_of_the_map_stays_when_the_mask_is_put_back():
    app = shown(model="letters and digits")
    before = charts(app)[2].spec["layer"][0]["encoding"]["color"]["scale"]["domain"]
    set_to(app, tiny_lm_mask="on")
    assert charts(app)[2].spec["layer"][0]["encoding"]["color"]["scale"]["domain"] == before


def test_from_one_layer_a_button_leads_to_two():
    app = press(shown(), "See a model of two layers")
    assert controls(app)["tiny_lm_model"].value == "letters and digits"
    assert "See a model of two layers" not in [button.label for button in app.button]


# Questions


def answered(app, question, given):
    app.number_input(key=f"tiny_lm_{question}_given").set_value(float(given))
    press(app, "Check")
    return said(app)


@pytest.mark.parametrize(("given", "mark"), [(16, "✓"), (1, "nothing is remembered"), (17, "not there yet"), (5, "✕")])
def test_the_positions_without_a_cache_are_judged(given, mark):
    assert mark in answered(visit(), "anew", given)  # 12 words, and four that were written


@pytest.mark.parametrize(("given", "mark"), [(1, "✓"), (0, "never been read"), (19, "without the cache")])
def test_the_positions_with_a_cache_are_judged(given, mark):
    app = visit()
    press(app, "Just show me")
    assert len(charts(app)) == 1
    assert mark in answered(app, "kept", given)
    assert len(charts(app)) == 2


@every_model
def test_every_variant_of_every_question_is_asked(name):
    app = shown(model=name)
    for button in [button.key for button in app.button if button.label == "Ask me another"]:
        for _ in range(5):
            press(app, button)
            reveal(app)
    assert len(charts(app)) == 3


def test_a_text_that_is_too_long_already():
    app = visit(model="letters and digits", letters="a3c7b1e4a3c7b1e4a3c7b1e4a3c7b1e4")
    assert "reads the last 32" in answered(app, "anew", 36)
    assert "✓" in answered(app, "kept", 32)


def test_its_questions_are_counted():
    (lesson,) = [lesson for lesson in LESSONS if lesson.name == "tiny_lm"]
    assert {"anew", "kept", "query", "ahead"} <= set(lesson.questions)


# What is taken home


@pytest.mark.usefixtures("media")
@pytest.mark.parametrize("mask", ["taken off", "on"])
def test_the_script_proves_the_same(mask):
    model, prompt = model_of("letters and digits")
    app = keeping("tiny_lm", step="cache", model="letters and digits", mask=mask)
    seen = printed(run_bare(file_of(app, "Script").decode()))
    kept = decisions(model, prompt, 12, 0.8, seed=3)
    np.testing.assert_array_equal(seen["proof.tokens"], kept.tokens)
    np.testing.assert_array_equal(seen["read_kept.computed"], kept.n_computed)
    assert seen["proof.largest"] < 1e-4
    assert seen["exact_proof.largest"] < 1e-11


# Models of all kinds


@pytest.mark.parametrize(("kind", "unit"), [*zip(KINDS, cycle(["word", "character"]), strict=False)])
def test_models_of_ones_own(kind, unit):
    for link in ({}, {"written": "1"}, {"written": "60", "greedy": "true"}, {"mask": "on"}):
        app = visit_own(own(kind, unit), step="cache", **link)
        assert len(charts(app)) >= 2
        blocks = " ".join(html_of(app))
        assert "<b>bold" not in blocks
        assert "<i>something" not in blocks
        model = own(kind).models[-1]
        if not model.config.causal:
            assert computed(charts(app)[0])[0] == computed(charts(app)[1])[0]
            assert "none saved" in said(app)


def test_the_link_keeps_the_step_and_what_was_chosen():
    app = shown(written="20", mask="on", model="letters and digits")
    link = shared(app)
    assert link["tiny_lm_written"] == "20"
    again = reveal(visits.opened("tiny_lm", link))
    assert [chart.alt for chart in charts(again)] == [chart.alt for chart in charts(app)]
