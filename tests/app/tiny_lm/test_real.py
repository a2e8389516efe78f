"""The step on a real model: numbers that ship where a server has none, its own looks where it has one."""

import html
import os
import re

import numpy as np
import pytest

import attention_core as core
from attention_core.experiments.inside import real_claims
from attention_core.experiments.inside.claim_texts import BOTH, KITES, SEED, kite_story, random_twice
from attention_core.experiments.inside.logit_lens import logit_lens
from attention_core.experiments.inside.real_reading import real_head, real_without_head
from attention_core.pretrained import find_pretrained, open_folder, open_gguf
from attention_core.shipped.models import model_at
from attention_core.text.stories import BEGUN_STORY
from pages.look.html import quoted
from pages.reproduce.program import program
from pages.reproduce.script import script
from pages.server.pretrained import COMPUTER, in_worker, pretrained_model
from pages.tiny_lm.model_in_view import visible
from pages.tiny_lm.real import LOOKS, MAX_TOKENS
from pages.tiny_lm.real.claims import claims
from pages.tiny_lm.real.measured import stories_pieces
from pages.tiny_lm.real.prediction import NEW, READ, special_tokens
from tests.app.steps import step
from tests.app.test_program import MOST_LINES, lines_of, run
from tests.app.visits import charts, click, heatmap, html_of, rerun, said, shared, visit
from tests.core.pretrained.test_hugging_face import RECORDED

TEXT = "hello hello the 12 cats"
ODD = ("é🙂 中文  a\n\nb", "<u>x</u> *y* `z` {0} $a$", "12", "x" * 300)


@pytest.fixture
def own(tiny_real):
    """Return the model of the server, opened here."""
    return open_gguf(tiny_real)


def claim_of(name, **link):
    return step("tiny_lm", "real", claim=name, **link)


def sides_of(seen):
    """Return the verdict on both models, and what is said of them."""
    (block,) = [block for block in html_of(seen) if 'class="claims"' in block]
    return re.findall(r'<b class="(?:right|wrong|soft)">([a-z ]+)</b>', block), html.unescape(
        re.sub("<[^>]*>", "", block)
    )


def findings(found):
    """Return what was measured, by the name of each claim."""
    text = found.text
    named = {"scores": text.scores, "previous": text.previous, "sink": text.first, "copying": found.copying.head}
    named |= {"it": found.reference and found.reference.head, "growth": text.growth, "lens": text.lens}
    return named | {"parts": found.parts.mlp}


def every_claim(found):
    return {one.name: one for one in claims(found, real_claims.shipped_claims()["found"])}


NAMES = ("scores", "previous", "sink", "it", "copying", "growth", "lens", "parts")


@pytest.mark.parametrize("name", NAMES)
def test_without_a_model_each_claim_has_the_numbers_that_ship(no_real, name):
    found = real_claims.shipped_claims()["found"]
    seen, finding = claim_of(every_claim(found)[name].claim), findings(found)[name]
    verdicts, text = sides_of(seen)
    assert verdicts[0] == real_claims.verdict(finding)
    for value in (finding.value, finding.bound):
        assert any(number in text for number in (f"{value:.2f}", f"{100 * value:.0f} %")), value
    assert {"real", "real_look"}.isdisjoint(seen.page.controls.made)
    arrays = seen.page.recipe.arrays()
    np.testing.assert_allclose(run(program(seen.page.recipe, seen.page.view.number)), arrays["toy_text.previous.value"])
    if name == "copying":
        assert verdicts[1] == real_claims.verdict(
            real_claims.measure_copying(model_at("recall"), arrays["pairs"], arrays["others"], 2).head
        )


def test_each_claim_is_guessed_before_its_numbers(no_real):
    found = real_claims.shipped_claims()["found"]
    assert {real_claims.verdict(finding) for finding in findings(found).values()} == {"holds", "does not hold"}
    for one in every_claim(found).values():
        asked = claim_of(one.claim, unanswered="all")
        assert not asked.ready
        assert not any('class="claims"' in block for block in html_of(asked))


def test_what_ships_was_measured_in_the_text_of_the_course():
    said_of = real_claims.shipped_claims()
    assert said_of["text"] == BEGUN_STORY
    assert list(said_of["kite"]) == list(KITES)
    assert all(BOTH in BEGUN_STORY and KITES[one] in kite_story(one) for one in KITES)


def test_the_larger_model_says_blue_of_every_kite_and_a_rule_is_asked_for(no_real):
    asked = step("tiny_lm", "real", unanswered="all")
    assert not asked.ready
    first, other = (one.data["label"].iloc[0] for one in charts(asked))
    assert (first, other) == ("␣blue", "␣red")
    for story, colour in zip(KITES, ("␣red", "␣blue", "␣red", "␣green"), strict=True):
        seen = step("tiny_lm", "real", kite=story)
        first, other = charts(seen)
        assert other.data["label"].iloc[0] == colour
        shares = [share for _, share in real_claims.shipped_claims()["kite"][story]]
        np.testing.assert_allclose(first.data["value"], shares[: len(first.data)], atol=1e-6)


def test_with_a_model_each_claim_says_what_the_core_measures(own):
    model, ids = own.model, np.array(own.encode(TEXT))
    text = real_claims.measure_text(model, ids)
    copying = real_claims.measure_copying(model, *random_twice(model.config.vocab_size, SEED))
    found = real_claims.RealFindings(text, copying, None, real_claims.measure_parts(model))
    for name in ("scores", "previous", "sink", "copying", "parts"):
        seen = claim_of(every_claim(found)[name].claim, real=TEXT)
        assert sides_of(seen)[0][0] == real_claims.verdict(findings(found)[name])
    verdicts, said_of = sides_of(claim_of(every_claim(found)["it"].claim, real=TEXT))
    assert verdicts[0] == "not measured"  # this tokeniser knows none of the nouns
    assert "not whole words" in said_of
    seen = claim_of(every_claim(found)["previous"].claim, real=TEXT)
    code = program(seen.page.recipe, seen.page.view.number)
    assert len(lines_of(code)) <= MOST_LINES
    compile(script(seen.page.recipe, "title", "link"), "script", "exec")


def test_a_student_types_a_text(tiny_real):
    previous = every_claim(real_claims.shipped_claims()["found"])["previous"].claim
    app = visit("tiny_lm", step="real", ask="no", claim=previous)
    before = sides_of(app)
    app.text_area(key="tiny_lm_real").set_value(TEXT)
    assert sides_of(rerun(app)) != before
    app.text_area(key="tiny_lm_real").set_value("é" * 400)
    assert f"the last {MAX_TOKENS} of 400 tokens" in said(rerun(app))
    app.text_area(key="tiny_lm_real").set_value("def f(n):\n    return n" + " + 1" * 400)
    assert "Only the first 1,000 of 1,622 characters are read: a link cannot carry more." in said(rerun(app))
    assert shared(app)["tiny_lm_real"].startswith("def f(n):\n    return n + 1")
    app.text_area(key="tiny_lm_real").set_value("x")
    assert "A text needs 6 tokens" in said(rerun(app))
    assert sides_of(app) == before


def test_a_damaged_file_and_a_path_that_is_none_leave_the_numbers_that_ship(tiny_real, monkeypatch):
    tiny_real.write_bytes(tiny_real.read_bytes()[:999])
    previous = every_claim(real_claims.shipped_claims()["found"])["previous"].claim
    seen = visit("tiny_lm", step="real", ask="no", claim=previous)
    assert "cannot be read" in said(seen)
    monkeypatch.setenv("PRETRAINED_MODEL", str(tiny_real.with_name("none.gguf")))
    assert sides_of(visit("tiny_lm", step="real", ask="no", claim=previous)) == sides_of(seen)


def test_another_process_computes_the_same_and_the_pages_hold_no_parameters(own):
    model = pretrained_model(find_pretrained())
    assert (model.config, model.tokeniser.encode(TEXT)) == (own.model.config, own.encode(TEXT))
    assert not hasattr(model, "parameters")
    ids = np.array(own.encode(TEXT))
    for function, arguments in ((real_claims.measure_text, ()), (real_head, (1, 2)), (real_without_head, (1, 2, 3))):
        found, wanted = in_worker(function)(model, ids, *arguments), function(own.model, ids, *arguments)
        assert type(found) is type(wanted)
        assert_same(found, wanted)
    assert COMPUTER.process.process.pid != os.getpid()


def assert_same(found, wanted):
    """See that two results are of the same types, down to their numbers."""
    for field in getattr(wanted, "_fields", ()):
        assert type(getattr(found, field)) is type(getattr(wanted, field)), field
        assert_same(getattr(found, field), getattr(wanted, field))
    if not hasattr(wanted, "_fields"):
        np.testing.assert_array_equal(found, wanted)


def test_a_process_that_dies_is_said_and_the_next_page_has_another(tiny_real):
    model = pretrained_model(find_pretrained())
    first = COMPUTER.process.process
    first.kill()
    first.wait()
    assert "has ended. It may lack memory. Reload this page" in said(
        visit("tiny_lm", step="real", real="hello the 12 dogs")
    )
    assert "has ended" not in said(visit("tiny_lm", step="real", real="hello the 12 dogs"))
    assert COMPUTER.process.process.pid != first.pid
    assert model.config.n_layers == 2


def test_the_prediction_shown_is_that_of_the_model(own):
    seen = step("tiny_lm", "real", real_look="prediction", real=TEXT)
    ids = own.encode(TEXT)
    (bars,) = seen.charts
    probabilities = core.softmax(own.logits(ids)[-1])
    best = np.argsort(-probabilities, kind="stable")[: len(bars.data)]
    np.testing.assert_allclose(bars.data["value"], probabilities[best], atol=1e-6)
    following = own.decode(list(own.generate(ids, NEW, 0.8, seed=3))).replace("\n", "⏎\n")
    assert following in html.unescape(next(block for block in html_of(seen) if 'class="spoken"' in block))
    np.testing.assert_allclose(run(program(seen.page.recipe, seen.page.view.number)), probabilities.max(), atol=1e-6)
    toy = seen.result("toy_predictions")
    token = stories_pieces().tokens[toy.tokens[-1, toy.probabilities[-1].argmax()]]
    assert f"{quoted(visible(token))} after this text, with probability {toy.probabilities[-1].max():.2f}" in said(seen)


@pytest.mark.parametrize("family", ["gpt2", "gemma"])
def test_a_folder_with_safetensors_is_read_as_a_file_is(no_real, monkeypatch, family):
    monkeypatch.setenv("PRETRAINED_MODEL", str(RECORDED / family))
    test_the_prediction_shown_is_that_of_the_model(open_folder(RECORDED / family))


def test_special_tokens_are_told_from_text(own):
    ids = [0, *own.encode("hello <|end|>", special=False), 1, 0]
    assert special_tokens(own.tokeniser, ids) == ["<|end|>", "<|start|>"]
    assert special_tokens(own.tokeniser, own.encode("<|end|>", special=False)) == []


@pytest.mark.parametrize("pattern", ["previous", "entropy"])
def test_all_heads_stand_in_one_picture_and_any_one_enlarged(own, pattern):
    seen = step("tiny_lm", "real", real_look="heads", real=TEXT, real_pattern=pattern, real_head="2.5", q="1", k="␣t")
    ids = own.encode(TEXT)
    weights, config = own.attention(ids), own.model.config
    all_heads, one = (heatmap(shown).values for shown in seen.charts)
    assert all_heads.shape == (config.n_heads, config.n_layers)
    if pattern == "previous":
        np.testing.assert_allclose(all_heads.T, np.diagonal(weights, -1, 2, 3).mean(axis=-1), atol=1e-6)
    np.testing.assert_allclose(one, weights[1, 4], atol=1e-6)
    before = core.softmax(own.logits(ids)[-1])
    own.model.parameters.blocks[1].attention.w_o[16:20] = 0  # the rows of head 2.5
    after = core.softmax(own.logits(ids)[-1])[before.argmax()]
    assert f"probability {before.max():.3f}. With head 2.5 switched off it is {after:.3f}." in said(seen)
    assert "How 1 → ␣t became" in said(seen)
    np.testing.assert_allclose(run(program(seen.page.recipe, seen.page.view.number)), weights[1, 4, 5, 2], atol=1e-6)


def test_a_click_on_a_head_enlarges_it(tiny_real):
    app = visit("tiny_lm", step="real", real_look="heads", real=TEXT)
    all_heads = next(shown for shown in charts(app) if "head" in shown.data and "layer" in shown.data)
    assert "Layer 2, head 4" in [heading.value for heading in click(app, 3, 1, all_heads).subheader]


def test_the_lens_reads_every_layer(own):
    seen = step("tiny_lm", "real", real_look="logit lens", real=TEXT, real_layer="layer 1")
    probabilities = logit_lens(core.insides(own.model, own.encode(TEXT))).bets[:, -READ:]  # (L + 1, T, V)
    lens, bars = seen.charts
    np.testing.assert_allclose(heatmap(lens).values, probabilities.max(axis=-1), atol=1e-6)
    np.testing.assert_allclose(bars.data["value"].max(), probabilities[1, -1].max(), atol=1e-6)
    assert lens.alt == f"The likeliest next token after each layer, at the last {READ} positions."
    final = probabilities[1, -1, probabilities[-1, -1].argmax()]
    assert f"has probability {final:.2f} here" in said(seen)
    rerun = run(program(seen.page.recipe, seen.page.view.number))
    np.testing.assert_allclose(rerun, probabilities[1, -1].max(), atol=1e-6)


@pytest.mark.parametrize(("look", "text"), list(zip(LOOKS, ODD, strict=True)))
def test_any_text_can_be_looked_at_and_nothing_of_it_is_markup(tiny_real, look, text):
    seen = step("tiny_lm", "real", real_look=look, real=text)
    assert "<u>x" not in " ".join(html_of(seen))
    assert program(seen.page.recipe, seen.page.view.number)
