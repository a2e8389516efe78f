"""The suites of others: each case that is offered passes, and the table of the library says how many there are."""

import numpy as np
import pytest

from tests.reference import opinfo
from tests.reference.__main__ import DOCUMENT, written
from tests.reference.case import Case, NotOffered


@pytest.mark.parametrize("operator", opinfo.OPERATORS)
def test_outputs_and_gradients_are_those_of_pytorch(operator):
    assert "passed" in {case.verdict() for case in opinfo.cases() if case.operator == operator}


def test_every_case_that_is_offered_passes_and_the_table_says_how_many():
    pytest.importorskip("onnx")
    text = DOCUMENT.read_text(encoding="utf-8")
    assert written(text) == text, "python -m tests.reference writes it anew"


def test_a_wrong_number_a_wrong_shape_and_a_missing_output_are_no_passes():
    def case(*found):
        return Case("", "", lambda: found, {"out": np.zeros(3), "0.grad": np.ones(2)}, (1e-3, 1e-7))

    assert case(np.zeros(3), np.full(2, 1.0009)).verdict() == "passed"
    for wrong in ([np.zeros(3), np.full(2, 1.002)], [np.zeros((3, 1)), np.ones(2)]):
        with pytest.raises(AssertionError):
            case(*wrong).verdict()
    with pytest.raises(ValueError, match="longer"):
        case(np.zeros(3)).verdict()


def test_what_is_not_offered_is_said_and_not_counted():
    def refuse():
        raise NotOffered("dropout")

    assert Case("", "", refuse, {}, (0, 0)).verdict() == "dropout"
