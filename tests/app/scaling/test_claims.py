"""claims: one trial against many, and what they say to what tutorials claim."""

from functools import partial

import numpy as np
import pytest

from attention_core.experiments.scaling.random_scores import DIVISORS, one_draw, try_claim, values_of
from pages.look.html import percent
from pages.scaling.claims import CLAIMS, evidence, verdict
from pages.scaling.scene import N_TRIALS
from tests.app.scaling.scene import SEED, line, page, step
from tests.app.visits import charts, controls, press, said

show = partial(step, "scaling", "claims")
FALLS = ("largest", "√d_k", (4, 16, 64, 256, 512), 4, SEED)  # what the first claim looks at


def trial_of(name, n_draws, seed=SEED):
    claim = CLAIMS[name]
    return try_claim(claim.measure, claim.divisor, claim.rises, claim.widths, 4, n_draws, seed)


@pytest.mark.parametrize("name", CLAIMS)
@pytest.mark.promise("scaling 2")
def test_one_trial_lies_over_the_band_of_many(name):
    claim, trial = CLAIMS[name], trial_of(name, 100)
    (chart,) = show(claim=name, draw=7, draws=100).charts
    np.testing.assert_array_equal(line(chart, "mean of 100"), trial.mean)
    np.testing.assert_array_equal(line(chart, "mean of 100", "low"), trial.low)
    np.testing.assert_array_equal(line(chart, "mean of 100", "high"), trial.high)
    single = one_draw(claim.measure, claim.divisor, claim.widths, 4, SEED, 6)
    np.testing.assert_array_equal(line(chart, "trial 7"), single)


@pytest.mark.parametrize(
    ("name", "shown", "words"),
    [
        ("rises undivided", "all", "It holds."),
        ("falls with d_k", "not", "do not support it."),
        ("peaked at 64", "average", "Right direction, wrong size."),  # 0.47 is far from uniform weights of 0.25
        ("uniform at 1", "average", "Right direction, wrong size."),
    ],
)
@pytest.mark.promise("tutorial 12")
def test_what_thousands_of_trials_say_to_each_claim(name, shown, words):
    for seed in (SEED, 1, 2):
        assert evidence(trial_of(name, 4000, seed), CLAIMS[name]) == shown
    seen = said(show(claim=name))
    assert words in seen
    assert f"In {trial_of(name, 100).agreeing} of 100 trials" in seen


@pytest.mark.parametrize(("n_draws", "shown"), [(10, "not"), (100, "not"), (4000, "average")])
def test_what_chance_may_do_to_two_means_shows_nothing(n_draws, shown):
    found = try_claim("largest", "√d_k", True, (4, 512), 4, n_draws, SEED)
    trial = found._replace(change=0.2 * found.std, agreeing=n_draws // 2)
    assert evidence(trial, CLAIMS["rises undivided"]) == shown


@pytest.mark.promise("scaling 2")
def test_a_single_trial_is_no_evidence():
    seen = show(draws=1, draw=5)
    assert "One trial cannot tell." in said(seen)
    assert "The mean goes from" not in said(seen)
    assert set(seen.charts[0].data["series"]) >= {"trial 5", "mean of 1"}


VERDICTS = ("It holds", "Partly true", "Right direction", "do not support it")


@pytest.mark.parametrize("name", CLAIMS)
@pytest.mark.parametrize("n_draws", N_TRIALS)
def test_a_few_trials_get_no_verdict(name, n_draws):
    n_draws = int(n_draws)
    for seed in (13, 14):  # ten trials of the first seem to show that weights at 64 are more peaked
        text = verdict(trial_of(name, n_draws, seed), CLAIMS[name])
        assert any(word in text for word in VERDICTS) == (n_draws >= 100)
        assert ("cannot tell" in text) == (n_draws < 100)
    assert evidence(trial_of("peaked at 64", 10, 13), CLAIMS["peaked at 64"]) == "all"


def test_weights_that_are_uniform_at_first_are_not_said_to_be_far_from_it():
    trial = trial_of("peaked at 64", 4000)
    near = trial._replace(mean=trial.mean - trial.mean[0] + 0.26)
    assert "wrong size" not in verdict(near, CLAIMS["peaked at 64"])
    assert "It holds" in verdict(near._replace(agreeing=3900, change=0.5), CLAIMS["peaked at 64"])
    assert "It holds" not in verdict(trial._replace(agreeing=3900, change=0.5), CLAIMS["peaked at 64"])


def test_a_new_trial_is_the_next_one_and_the_many_stay():
    app = page(step="claims", draws="100")
    (before,) = charts(app)
    press(app, "New trial")
    (after,) = charts(app)
    assert controls(app)["scaling_draw"].value == 2
    np.testing.assert_array_equal(line(before, "mean of 100"), line(after, "mean of 100"))
    np.testing.assert_array_equal(line(after, "trial 2"), one_draw(*FALLS, 1))


@pytest.mark.promise("scaling 2")
def test_the_first_trial_of_the_page_falls_as_the_printed_one_did_and_says_how_rare_that_is():
    assert (np.diff(one_draw(*FALLS, 0)) < 0).all()
    trial = trial_of("falls with d_k", 1000)
    assert f"in {trial.in_order} of 1,000 trials." in said(show(draws=1000))
    assert trial.in_order < 30


@pytest.mark.parametrize("name", CLAIMS)
@pytest.mark.parametrize("variant", range(2))
def test_in_how_many_trials_a_claim_comes_true_is_counted(name, variant):
    claim = CLAIMS[name]
    widths = claim.widths if claim.ordered or variant == 0 else claim.widths[:2]
    found = try_claim(claim.measure, claim.divisor, claim.rises, widths, 4, 400, SEED)
    n_true = found.in_order if claim.ordered and variant == 1 else found.agreeing
    right = 0 if n_true < 100 else 2 if n_true > 300 else 1
    question = show(claim=name, variants={f"claim_{claim.name}": variant}).question(f"claim_{claim.name}")
    assert question.right == (right,)
    assert f"in {n_true} of 400 trials" in question.why


@pytest.mark.parametrize("name", CLAIMS)
def test_an_order_is_told_only_where_no_two_weights_are_rounded_to_the_same(name):
    claim = CLAIMS[name]
    which = DIVISORS.index(claim.divisor)
    values = np.stack([values_of(claim.measure, d_k, 4, 400, SEED)[which] for d_k in claim.widths])
    assert claim.ordered == (np.diff(values, axis=0) != 0).all()


def test_a_rare_order_is_not_said_to_be_none():
    n_rare = trial_of("peaked at 64", 400).in_order
    assert 0 < n_rare < 4
    question = show(claim="peaked at 64", variants={"claim_sharp": 1}).question("claim_sharp")
    assert f"{n_rare} of 400 trials, {percent(n_rare / 400, 2)}." in question.why
