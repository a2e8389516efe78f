"""Every processor rounds in its own way, and says the same: each step is drawn again from shaken numbers.

Every float64 result of the core is multiplied by 1 ± 10⁻¹⁵. Words, questions, answers and pictures stay what they are.
"""

import zlib

import numpy as np
import pytest

from pages.charts.chart import Chart
from pages.questions.kinds import Choice
from pages.reproduce.recipe import Recipe
from tests.answers.settings import settings
from tests.answers.view import plain
from tests.app.steps import step
from tests.app.test_every_step import STEPS

NOISE = 1e-15
SEEN = 1e-6  # of a number in a picture: two digits more than a tooltip has
PAINTED = ("light", "dark")  # a matrix as an image, in 256 colours
OF_EVERYBODY, OF_THE_NIGHT = 2, 12  # settings of a step


def shaken(value, name):
    """Return a result of the core as another processor might have rounded it; equal numbers part."""
    if isinstance(value, np.ndarray) and value.dtype == np.float64:
        rng = np.random.default_rng(zlib.crc32(name.encode()))
        return value * (1 + NOISE * rng.choice([-1, 1], value.shape))
    if hasattr(value, "_fields"):
        return type(value)(*(shaken(getattr(value, field), f"{name}.{field}") for field in value._fields))
    return value


def found_elsewhere(recipe, name, result, *arguments, found=Recipe.found, **named):
    return found(recipe, name, shaken(result, name), *arguments, **named)


def drawn(lesson, name, link, variants):
    """Return all that a student reads, and the numbers of all pictures."""
    seen = step(lesson, name, variants=variants, **link)
    asked = [said for question in seen.page.asked for said in said_in(question)]
    charts = [block for block in seen.page.shown if isinstance(block, Chart)]
    numbers, words = [], []
    for chart in charts:
        for column, values in chart.columns.items():
            if column in PAINTED:
                continue
            (numbers if np.issubdtype(values.dtype, np.floating) else words).append(
                (chart.name, column, values.tolist())
            )
    told = [plain(block) for block in seen.html] + [plain(one) for one in asked] + [chart.sentence for chart in charts]
    return told, words, numbers


def said_in(question):
    """Return what a question says, what is right, and what is said of each mistake."""
    right = question.right if isinstance(question, Choice) else question.told
    mistakes = [getattr(mistake, "text", mistake) for mistake in getattr(question, "mistakes", ())]
    return [question.text, question.why, *getattr(question, "options", ()), str(right), *mistakes]


def see_that_rounding_says_the_same(lesson, name, count, monkeypatch):
    for link, variants in settings(lesson, name, count, seed=5):
        usual = drawn(lesson, name, link, variants)
        with monkeypatch.context() as patch:
            patch.setattr(Recipe, "found", found_elsewhere)
            other = drawn(lesson, name, link, variants)
        for before, after in zip(usual[0], other[0], strict=True):
            assert after == before, (link, dict(variants))
        assert other[1] == usual[1], link
        for (chart, column, before), (_, _, after) in zip(usual[2], other[2], strict=True):
            np.testing.assert_allclose(after, before, rtol=SEEN, atol=SEEN, err_msg=f"{link} {chart}: {column}")


@pytest.mark.parametrize(("lesson", "name"), STEPS)
@pytest.mark.nightly
def test_many_settings_say_the_same_however_a_processor_rounds(lesson, name, monkeypatch):
    see_that_rounding_says_the_same(lesson, name, OF_THE_NIGHT, monkeypatch)


@pytest.mark.parametrize(("lesson", "name"), STEPS)
def test_a_step_says_the_same_however_a_processor_rounds(lesson, name, monkeypatch):
    see_that_rounding_says_the_same(lesson, name, OF_EVERYBODY, monkeypatch)
