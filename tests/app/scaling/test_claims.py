"""claims: one draw against many, and what they say to what tutorials claim."""

from functools import partial

import numpy as np
import pytest

from attention_core.experiments.random_scores import one_draw, try_claim
from pages.scaling.claims import CLAIMS, evidence
from tests.app.scaling.scene import SEED, line, page
from tests.app.steps import step
from tests.app.visits import charts, controls, press, said

show = partial(step, "scaling", "claims")
FALLS = ("largest", "√d_k", (4, 16, 64, 256, 512), 4, SEED)  # what the first claim looks at


def trial_of(name, n_draws, seed=SEED):
    claim = CLAIMS[name]
    return try_claim(claim.measure, claim.divisor, claim.rises, claim.widths, 4, n_draws, seed)


@pytest.mark.parametrize("name", CLAIMS)
@pytest.mark.promise("scaling 2")
def test_one_draw_lies_over_the_band_of_many(name):
    claim, trial = CLAIMS[name], trial_of(name, 100)
    (chart,) = show(claim=name, draw=7, draws=100).charts
    np.testing.assert_array_equal(line(chart, "mean of 100"), trial.mean)
    np.testing.assert_array_equal(line(chart, "mean of 100", "low"), trial.low)
    np.testing.assert_array_equal(line(chart, "mean of 100", "high"), trial.high)
    single = one_draw(claim.measure, claim.divisor, claim.widths, 4, SEED, 6)
    np.testing.assert_array_equal(line(chart, "draw 7"), single)


@pytest.mark.parametrize(
    ("name", "shown", "words"),
    [
        ("it rises", "all", "It holds."),
        ("it falls", "not", "do not show it."),
        ("64 sharp", "average", "A little of it"),
        ("1 flat", "average", "A little of it"),
    ],
)
@pytest.mark.promise("tutorial 12")
def test_what_thousands_of_draws_say_to_each_claim(name, shown, words):
    for seed in (SEED, 1, 2):
        assert evidence(trial_of(name, 4000, seed), CLAIMS[name]) == shown
    seen = said(show(claim=name))
    assert words in seen
    assert f"In {trial_of(name, 100).agreeing} of 100 draws" in seen


@pytest.mark.parametrize(("n_draws", "shown"), [(10, "not"), (100, "not"), (4000, "average")])
def test_what_chance_may_do_to_two_means_shows_nothing(n_draws, shown):
    found = try_claim("largest", "√d_k", True, (4, 512), 4, n_draws, SEED)
    trial = found._replace(change=0.2 * found.std, agreeing=n_draws // 2)
    assert evidence(trial, CLAIMS["it rises"]) == shown


@pytest.mark.promise("scaling 2")
def test_a_single_draw_is_no_evidence():
    seen = show(draws=1, draw=5)
    assert "One draw cannot tell." in said(seen)
    assert "The mean goes from" not in said(seen)
    assert set(seen.charts[0].data["series"]) >= {"draw 5", "mean of 1"}


def test_drawing_again_takes_the_next_draw_and_the_many_stay():
    app = page(step="claims", draws="100")
    (before,) = charts(app)
    press(app, "Draw again")
    (after,) = charts(app)
    assert controls(app)["scaling_draw"].value == 2
    np.testing.assert_array_equal(line(before, "mean of 100"), line(after, "mean of 100"))
    np.testing.assert_array_equal(line(after, "draw 2"), one_draw(*FALLS, 1))


@pytest.mark.promise("scaling 2")
def test_the_first_draw_of_the_page_falls_as_the_printed_one_did_and_says_how_rare_that_is():
    assert (np.diff(one_draw(*FALLS, 0)) < 0).all()
    trial = trial_of("it falls", 1000)
    assert f"in {trial.in_order} of 1000 draws." in said(show(draws=1000))
    assert trial.in_order < 30


@pytest.mark.parametrize("name", CLAIMS)
@pytest.mark.parametrize("variant", range(2))
def test_in_how_many_draws_a_claim_comes_true_is_counted(name, variant):
    question_name = f"claim_{CLAIMS[name].name}"
    trial = trial_of(name, 400)
    share = (trial.agreeing, trial.in_order)[variant] / 400
    right = 0 if share < 0.25 else 2 if share > 0.75 else 1
    assert show(claim=name, variants={question_name: variant}).question(question_name).right == (right,)


def test_a_rare_draw_is_not_said_to_be_none():
    n_rare = trial_of("64 sharp", 400).in_order
    assert 0 < n_rare < 4
    question = show(claim="64 sharp", variants={"claim_sharp": 1}).question("claim_sharp")
    assert f"{n_rare} of 400 draws, {n_rare / 400:.1%}." in question.why
