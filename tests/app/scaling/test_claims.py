"""claims: one trial against many, and what they say to what tutorials claim."""

from functools import partial

import numpy as np
import pytest

from attention_core.experiments.scaling.random_scores import DIVISORS, sample_trial, try_claim, values_of
from pages.scaling.claims import CLAIMS, ENOUGH, evidence, verdict
from tests.app.scaling.scene import SEED, line, page, step
from tests.app.visits import charts, controls, press, visit

show = partial(step, "scaling", "claims")
FALLS = ("largest", "√d_k", (4, 16, 64, 256, 512), 4, SEED)  # what the first claim looks at


def trial_of(name, n_draws, seed=SEED):
    claim = CLAIMS[name]
    return try_claim(claim.measure, claim.divisor, claim.rises, claim.widths, 4, n_draws, seed)


@pytest.mark.parametrize(
    ("name", "shown", "far"),  # 0.47 is far from uniform weights of 0.25
    [
        ("rises undivided", "all", False),
        ("falls with dₖ", "not", False),
        ("peaked at 64", "average", True),
        ("uniform at 1", "average", True),
    ],
)
def test_what_thousands_of_trials_say_to_each_claim(name, shown, far):
    for seed in (SEED, 1, 2):
        trial = trial_of(name, 4000, seed)
        assert evidence(trial, CLAIMS[name]) == shown
        assert ("wrong size" in verdict(trial, CLAIMS[name])) == far
        nearly = trial._replace(mean=np.full(len(trial.mean), 0.31 if far else 0.29))
        assert ("wrong size" in verdict(nearly, CLAIMS[name])) == far


@pytest.mark.parametrize(("n_draws", "shown"), [(10, "not"), (100, "not"), (4000, "average")])
def test_what_chance_may_do_to_two_means_shows_nothing(n_draws, shown):
    found = try_claim("largest", "√d_k", True, (4, 512), 4, n_draws, SEED)
    trial = found._replace(change=0.27 * found.std, agreeing=n_draws)  # "all" is one standard deviation apart
    assert evidence(trial, CLAIMS["rises undivided"]) == shown


def test_a_new_trial_is_the_next_one_and_the_many_stay_unless_it_is_locked():
    app = page(step="claims")
    (before,) = charts(app)
    press(app, "New trial")
    (after,) = charts(app)
    assert controls(app)["scaling_draw"].value == 2
    np.testing.assert_array_equal(line(before, f"mean of {ENOUGH}"), line(after, f"mean of {ENOUGH}"))
    np.testing.assert_array_equal(line(after, "trial 2"), sample_trial(*FALLS, 1))
    locked = visit("scaling", step="claims", ask="no", lock="draw")
    assert next(button for button in locked.button if button.label == "New trial").disabled


def test_the_first_trial_of_the_page_falls_as_the_printed_one_did_which_is_rare():
    assert (np.diff(sample_trial(*FALLS, 0)) < 0).all()
    assert trial_of("falls with dₖ", 1000).in_order < 30


@pytest.mark.parametrize("name", CLAIMS)
def test_an_order_is_told_only_where_no_two_weights_are_rounded_to_the_same(name):
    claim = CLAIMS[name]
    which = DIVISORS.index(claim.divisor)
    values = np.stack([values_of(claim.measure, d_k, 4, 400, SEED)[which] for d_k in claim.widths])
    assert claim.ordered == (np.diff(values, axis=0) != 0).all()
