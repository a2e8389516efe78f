"""One training step, number by number: each slope is a finite difference, and is made of what is said."""

import numpy as np
import pytest

from attention_core.experiments.language import one_step as walk

SEEDS = pytest.mark.parametrize("seed", [5, 23, 101])


def cells_of(found):
    return [(name, *place) for name, values in found.values.items() for place in np.ndindex(values.shape)]


@SEEDS
def test_every_slope_is_a_finite_difference(seed):
    given = walk.initial_numbers(seed)
    found = walk.one_step(given)
    assert found.slopes.keys() == found.values.keys()
    assert len(cells_of(found)) == 120
    for name, *place in cells_of(found):
        difference = walk.finite_difference(given, (name, *place))
        assert found.slopes[name][tuple(place)] == pytest.approx(difference, rel=1e-6, abs=1e-8), (name, place)


@SEEDS
def test_numbers_and_slopes_are_sums_of_their_terms(seed):
    found = walk.one_step(walk.initial_numbers(seed))

    def at(numbers, cell):
        return numbers[cell[0]][cell[1:]]

    for cell in cells_of(found):
        if terms := walk.factors(found.values, cell):
            total = sum(at(found.values, one) * at(found.values, other) for one, other in terms)
            assert at(found.values, cell) == pytest.approx(total / (np.sqrt(2) if cell[0] == "scores" else 1))
        if terms := walk.passed_on(found.values, cell):
            total = sum(at(found.slopes, out) * at(found.values, other) for out, other in terms)
            assert at(found.slopes, cell) == pytest.approx(total / (np.sqrt(2) if cell[0] in "qk" else 1))


def test_a_masked_score_has_no_slope_and_a_step_moves_parameters_alone():
    given = walk.initial_numbers(5)
    found = walk.one_step(given)
    assert not found.slopes["scores"][np.triu_indices(3, 1)].any()
    assert walk.after_step(given, found.slopes, 0.0) == pytest.approx(found.loss)
    moved = {
        name: array - 0.5 * found.slopes[name] if name in walk.PARAMETERS else array for name, array in given.items()
    }
    assert walk.after_step(given, found.slopes, 0.5) == pytest.approx(walk.forward(moved)[1])
    assert walk.after_step(given, found.slopes, 0.5) < found.loss
