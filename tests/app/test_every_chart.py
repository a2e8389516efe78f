"""Every picture of every step shows results of the recipe: one as a whole, a part of one, or numbers of one part.

The part of a result is the one that was chosen: its place is that of a control or a question, or that of the map among
its like. That the results are the core's is held by the script that repeats them (`test_files.py`).
"""

import re
import tomllib
from collections import Counter
from itertools import permutations
from math import prod
from pathlib import Path

import numpy as np
import pytest

from pages.charts.chart import DRAWING, Chart
from tests.answers.settings import settings
from tests.app.steps import step
from tests.app.test_every_step import STEPS

OF_EVERYBODY, OF_THE_NIGHT = 2, 12  # settings of a step
FRAME = {"light", "dark", "shade", "left", "right", "top", "bottom", "middle", "side", "at", "arrow", "share"}
FRAME |= {"start", "end", "net"}  # of a bar: the sum of those before it
DERIVED = {"score q · k", "− largest of the row", "exponential", "row sum"}  # from the weights beside them
NOT_DRAWN = {"end", "here", "polygon", "theory", "even", "odd", "path"}  # what stands at the end of a line, and so on
TOLD = tomllib.loads(Path(__file__).with_name("computed.toml").read_text("utf-8"))
COMPUTED = {(lesson, name): {*shown} for lesson, steps in TOLD.items() for name, shown in steps.items()}
# At edges a number of these is of several results, or of one at a place that no control names.
AT_EDGES = {("causal_mask", "predictions"), ("positional_encoding", "rope"), ("tiny_lm", "parts"), ("tiny_lm", "time")}


def arrays(value):
    """Yield every array and number of a result, and those of its parts."""
    if isinstance(value, np.ndarray | float | np.number):
        yield np.asarray(value)
    elif isinstance(value, dict):
        yield from arrays(list(value.values()))
    elif isinstance(value, list | tuple) and value and all(isinstance(part, int | float) for part in value):
        yield np.array(value, float)
    elif isinstance(value, list | tuple):
        yield from (array for part in value for array in arrays(part))


def near(seen, wanted):
    return np.isclose(seen, wanted, rtol=1e-5, atol=1e-7, equal_nan=True)


def is_part(column, values, is_chosen):
    """Tell whether a column is an array, or the part of it at a chosen place along some axes."""
    for kept in (kept for n in range(values.ndim + 1) for kept in permutations(range(values.ndim), n)):
        if prod(values.shape[axis] for axis in kept) == len(column):
            left = [axis for axis in range(values.ndim) if axis not in kept]
            parts = np.transpose(values, [*left, *kept]).reshape(-1, len(column))
            if are_chosen(near(parts, column).all(axis=1), [values.shape[axis] for axis in left], is_chosen):
                return True
    return False


def is_of_a_row(column, values, is_chosen):
    """Tell whether all numbers of a column stand in one row of an array, at a chosen place."""
    if not values.ndim or not 1 < values.shape[-1] >= len(set(column.tolist())) > 1:
        return False
    rows = values.reshape(-1, values.shape[-1])
    held = np.array([near(rows, number).any(axis=1) for number in column]).all(axis=0)
    return are_chosen(held, values.shape[:-1], is_chosen)


def are_chosen(held, shape, is_chosen):
    if not shape:
        return bool(held.any())
    places = np.argwhere(held.reshape(shape))
    return any(all(map(is_chosen, place, shape)) for place in places)


def chosen_in(seen):
    """Return the places, from 0 on, that controls and questions name: of words, of heads such as 2.1, of numbers."""
    places, lists = {0}, [list(getattr(seen.scene, name, ())) for name in ("labels", "words")]
    for control in seen.page.controls.made.values():
        numbers = [int(text) for text in re.findall(r"\d+", str(control.value))]
        places |= {*numbers, *(number - 1 for number in numbers)}
        places |= {place for words in lists for place, word in enumerate(words) if word == control.value}
    return places.union(*(getattr(question, "place", None) or () for question in seen.page.asked))


def groups_of(columns):
    """Yield rows that belong together: those of one line or of one kind of mark, else those of one row of a map."""
    named = [columns[name] for name in ("kind", "series", "role", "name") if name in columns]
    if named or "i" in columns:
        keys = list(zip(*named, strict=True)) if named else columns["i"].tolist()
        for key in dict.fromkeys(keys):
            if not named or key[0] not in NOT_DRAWN:
                yield [at for at, own in enumerate(keys) if own == key], None if named else key


def not_found(seen):
    """Return the pictures of a step that show numbers of no result."""
    results = [array for one in seen.page.recipe.steps for array in arrays(one.result) if array.dtype.kind in "biuf"]
    chosen, missing, before = chosen_in(seen), set(), Counter()
    for chart in (block for block in seen.page.shown if isinstance(block, Chart)):
        like = tuple((name, len(column)) for name, column in chart.columns.items())

        def stands(column, own=None, at=before[like]):
            def is_chosen(place, size):
                return own is any or place in chosen or place in (at, own, size - 1)

            return any(of(column, values, is_chosen) for of in (is_part, is_of_a_row) for values in results)

        skipped = {*DRAWING, *FRAME, *DERIVED, *(["x"] if "series" in chart.columns else [])}
        for name, column in chart.columns.items():
            if name not in skipped and np.issubdtype(column.dtype, np.number):
                column = column.astype(float)
                parts = [(column[rows], any if own is None else own) for rows, own in groups_of(chart.columns)]
                shown = [(part, own) for part, own in parts if not np.isnan(part).all()]
                if not stands(column) and not (shown and all(stands(part, own) for part, own in shown)):
                    missing.add(chart.name)
        before[like] += 1
    return missing


def see_that_all_is_found(lesson, name, count):
    for link, variants in settings(lesson, name, count, seed=3):
        assert not_found(step(lesson, name, variants=variants, **link)) <= COMPUTED.get((lesson, name), set()), link


@pytest.mark.parametrize(("lesson", "name"), [step for step in STEPS if step not in AT_EDGES])
@pytest.mark.nightly
def test_every_number_of_a_picture_is_of_a_result_at_many_settings(lesson, name):
    see_that_all_is_found(lesson, name, OF_THE_NIGHT)


@pytest.mark.parametrize(("lesson", "name"), STEPS)
def test_every_number_of_a_picture_is_of_a_result_of_the_recipe(lesson, name):
    see_that_all_is_found(lesson, name, OF_EVERYBODY)


def test_numbers_of_no_result_and_those_of_a_word_that_was_not_chosen_are_found():
    seen = step("qkv", "match", q="it", weights="random")
    scores = seen.result("products")
    (place,) = [at for at, block in enumerate(seen.page.shown) if getattr(block, "name", "") == "scores"]
    chart = seen.page.shown[place]
    before = chart.columns["number"][: -len(scores)]  # the entries of the keys
    for row, is_missing in ((scores[8], False), (scores[5], True), (scores[8] + 1e-3, True)):
        numbers = np.concatenate([before, row])
        seen.page.shown[place] = chart._replace(columns={**chart.columns, "number": numbers})
        assert not_found(seen) == ({"scores"} if is_missing else set())
