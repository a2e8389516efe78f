"""gradient: every number of one training step, what it is made of, and the step."""

import re
from functools import partial

import pytest

from attention_core.experiments.language.one_step import after_step, finite_difference, initial_numbers, one_step
from pages.tiny_lm.gradient import ETAS, POWERS, SEED, cause_of, direction_question
from tests.app.steps import step
from tests.app.visits import said, sent, visit

show = partial(step, "tiny_lm", "gradient")


def value(text):
    return float(text.replace("−", "-"))


def test_every_number_is_shown_with_its_slope_its_causes_and_its_finite_difference():
    data = sent(visit("tiny_lm", step="gradient", ask="no"), "attention_causes")
    given = initial_numbers(SEED)
    found = one_step(given)
    assert {grid["name"] for grid in data["grids"]} == set(found.values)
    for grid in data["grids"]:
        name = grid["name"]
        for i, j in ((i, j) for i, row in enumerate(grid["values"]) for j in range(len(row))):
            told, values, slopes = data["causes"][f"{name} {i} {j}"]
            assert value(grid["values"][i][j]) == pytest.approx(found.values[name][i, j], abs=0.0051)
            assert value(grid["slopes"][i][j]) == pytest.approx(found.slopes[name][i, j], abs=0.00051)
            assert told[0].endswith(f"= {grid['values'][i][j]}")
            assert told[1].endswith(f"= {grid['slopes'][i][j]}")
            assert value(told[2].split(": ")[1]) == pytest.approx(finite_difference(given, (name, i, j)), abs=0.00051)
            assert {*values, *slopes} <= data["causes"].keys()
    assert len(data["causes"]) == sum(array.size for array in found.values.values())


@pytest.mark.parametrize("cell", [("scores", 2, 1), ("w_q", 0, 1), ("head", 1, 0), ("logits", 2, 3), ("x", 0, 2)])
def test_the_terms_of_a_slope_sum_to_it(cell):
    said_of = cause_of(cell, "").told[1].removeprefix("Slope: ")
    sum_of, total = said_of.rsplit(" = ", 1)
    python = re.sub(r"√2", "2**0.5", sum_of.replace("×", "*").replace("÷", "/").replace("−", "-"))
    assert eval(python) == pytest.approx(value(total), abs=0.006)


@pytest.mark.parametrize("eta", [ETAS[0], "1", ETAS[-1]])
def test_the_loss_after_a_step_and_the_update_of_a_parameter(eta):
    given = initial_numbers(SEED)
    found = one_step(given)
    size = 2.0 ** POWERS[ETAS.index(eta)]
    assert f"{after_step(given, found.slopes, size):.2f}" in said(show(eta=eta))
    update = cause_of(("w_o", 1, 2), eta).told[-1]
    assert value(update.rsplit("= ", 1)[1]) == pytest.approx(
        given["w_o"][1, 2] - size * found.slopes["w_o"][1, 2], abs=0.00051
    )


def test_a_question_is_about_a_parameter_of_each_matrix():
    found = one_step(initial_numbers(SEED))
    texts = {direction_question(found, variant).text for variant in range(5)}
    assert len(texts) == 5
