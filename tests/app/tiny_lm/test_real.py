"""The step on a real model: the numbers that ship, beside those of the models of the course."""

import html
import re

import numpy as np
import pytest

from attention_core.experiments.inside.claim_texts import BOTH, KITES, kite_story
from attention_core.experiments.inside.real_claims import (
    measure_copying,
    shipped_claims,
    verdict,
)
from attention_core.shipped.models import model_at
from attention_core.text.stories import BEGUN_STORY
from pages.reproduce.program import program
from pages.tiny_lm.real.claims import claims
from tests.app.steps import step
from tests.app.test_program import run
from tests.app.visits import charts, html_of


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
    return {one.name: one for one in claims(found, shipped_claims()["found"])}


NAMES = ("scores", "previous", "sink", "it", "copying", "growth", "lens", "parts")


@pytest.mark.parametrize("name", NAMES)
def test_each_claim_has_the_numbers_that_ship(name):
    found = shipped_claims()["found"]
    seen, finding = claim_of(every_claim(found)[name].claim), findings(found)[name]
    verdicts, text = sides_of(seen)
    assert verdicts[0] == verdict(finding)
    for value in (finding.value, finding.bound):
        assert any(number in text for number in (f"{value:.2f}", f"{100 * value:.0f} %")), value
    arrays = seen.page.recipe.arrays()
    np.testing.assert_allclose(run(program(seen.page.recipe, seen.page.view.number)), arrays["toy_text.previous.value"])
    if name == "copying":
        assert verdicts[1] == verdict(measure_copying(model_at("recall"), arrays["pairs"], arrays["others"], 2).head)


def test_each_claim_is_guessed_before_its_numbers():
    found = shipped_claims()["found"]
    assert {verdict(finding) for finding in findings(found).values()} == {"holds", "does not hold"}
    for one in every_claim(found).values():
        asked = claim_of(one.claim, unanswered="all")
        assert not asked.ready
        assert not any('class="claims"' in block for block in html_of(asked))


def test_what_ships_was_measured_in_the_text_of_the_course():
    said_of = shipped_claims()
    assert said_of["text"] == BEGUN_STORY
    assert list(said_of["kite"]) == list(KITES)
    assert all(BOTH in BEGUN_STORY and KITES[one] in kite_story(one) for one in KITES)


def test_the_larger_model_says_blue_of_every_kite_and_a_rule_is_asked_for():
    asked = step("tiny_lm", "real", unanswered="all")
    assert not asked.ready
    first, other = (one.data["label"].iloc[0] for one in charts(asked))
    assert (first, other) == ("␣blue", "␣red")
    colours = {
        "as told": "␣red",
        "colours exchanged": "␣blue",
        "sentence reversed": "␣red",
        "green and yellow": "␣green",
    }
    for story, colour in colours.items():
        seen = step("tiny_lm", "real", kite=story)
        first, other = charts(seen)
        assert other.data["label"].iloc[0] == colour
        shares = [share for _, share in shipped_claims()["kite"][story]]
        np.testing.assert_allclose(first.data["value"], shares[: len(first.data)], atol=1e-6)
