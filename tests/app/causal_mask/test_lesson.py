"""Lesson 4 as a whole: what it counts."""

import re

import pytest

from tests.app.causal_mask.scene import STEPS
from tests.app.steps import step


@pytest.mark.parametrize("name", STEPS)
def test_of_one_word_nothing_is_counted_as_1_of_1(name):
    seen = step("causal_mask", name, text="one", weights="random")
    told = " ".join([*seen.html, *(chart.alt for chart in seen.charts), *(str(one) for one in seen.page.asked)])
    assert not re.search(r"\b[01] of 1\b|\b1 (words|cells|numbers|vectors)\b", told)
