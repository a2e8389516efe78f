"""A link says the same on every processor and in every version: its words, its answers, the numbers of its pictures.

Each step is drawn again from shaken numbers, as another processor rounds: every float64 result of the core times
1 ± 10⁻¹⁵. And it is compared with a record: `python -m tests.app.test_rounding` after a change that is meant.
"""

import json
import re
import zlib
from collections import defaultdict
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from pages.charts.chart import Chart
from pages.exercises.catalogue import EXERCISES, TASKS
from pages.exercises.faults.sentences import MISTAKES
from pages.page.fields.link_state import query_word
from pages.reproduce.recipe import Recipe
from pages.tiny_lm.model_in_view import NAMES
from tests.answers.settings import settings
from tests.answers.test_answers import FROM_MEMORY
from tests.answers.view import plain
from tests.app.steps import TEXT_ENDS, step
from tests.app.test_every_step import STEPS
from tests.charts.samples import BUILDERS, sample

SEEN = 1e-6  # of a number in a picture: two digits more than a tooltip has
PAINTED = ("light", "dark")  # a matrix as an image, in 256 colours
OF_EVERYBODY, OF_THE_NIGHT = 2, 12  # settings of a step
COARSE = {"scaling/gradient", "scaling/train", "tiny_lm/bench"}  # float32, and a training that magnifies its rounding
TAG, SIZE = re.compile(r"<[a-z][^>]*>"), re.compile(r"-?\d+(?:\.\d+)?")  # of HTML: widths, places, shades
ELSEWHERE = {f"{lesson} {name}": make for lesson, name, make in FROM_MEMORY}  # asked where no step is
ELSEWHERE |= {task.id: lambda _, task=task: getattr(task, "question", task) for task in TASKS}
ELSEWHERE |= {f"program {name}": lambda _, one=one: (one.prompt, *one.hints) for name, one in EXERCISES.items()}
ELSEWHERE["mistakes"] = lambda _: (*MISTAKES.values(),)
MOST = 6  # options of a control each of which is recorded
CLAIMS = Path(__file__).with_name("claims.txt").read_text(encoding="utf-8").split()  # words that make another claim
CLAIM = re.compile(rf"\b(?:{'|'.join(CLAIMS)})\b|(?<![\w.#])\d[\d,]*(?:\.\d+)?(?![\w;=])", re.IGNORECASE)
RECORD = Path(__file__).with_name("views.jsonl")
RECORDED = dict(map(json.loads, RECORD.read_text(encoding="utf-8").splitlines())) if RECORD.is_file() else {}


def shaken(value, name):
    """Return a result of the core as another processor might have rounded it; equal numbers part."""
    if isinstance(value, np.ndarray) and value.dtype == np.float64:
        rng = np.random.default_rng(zlib.crc32(name.encode()))
        return value * (1 + 1e-15 * rng.choice([-1, 1], value.shape))
    if hasattr(value, "_fields"):
        return type(value)(*(shaken(getattr(value, field), f"{name}.{field}") for field in value._fields))
    return value


def found_elsewhere(recipe, name, result, *arguments, found=Recipe.found, **named):
    return found(recipe, name, shaken(result, name), *arguments, **named)


def drawn(lesson, name, link, variants):
    """Return all that a student reads, and the numbers of all pictures."""
    return read_in(step(lesson, name, variants=variants, **link))


def read_in(seen):
    asked = [said for question in seen.page.asked for said in said_in(question)]
    charts = [block for block in seen.page.shown if isinstance(block, Chart)]
    numbers, words = [], []

    def note(name, part, nested):
        for kept, kind in ((words, str), (numbers, float)):
            kept.append((name, part, [one for one in parts_of(nested) if isinstance(one, kind)]))

    for chart in charts:
        for column in (name for name in chart.columns if name not in PAINTED):
            note(chart.name, column, chart.columns[column].tolist())
        drawing = (f"{part:.6g}" if isinstance(part, float) else part for part in parts_of(chart.specification))
        words.append((chart.name, "drawing", [*drawing]))
    for name, given in seen.sent:
        note(name, "data", given)
    for question in seen.page.asked:
        numbers.append((question.name, "answers", [one for one in parts_of(question) if isinstance(one, float)]))
    told = [plain(block) for block in seen.html] + [plain(one) for one in asked] + [chart.sentence for chart in charts]
    return told, words, numbers


def parts_of(nested):
    """Yield the words and numbers of a specification, however they are nested."""
    if isinstance(nested, dict | list | tuple):
        for part in nested.items() if isinstance(nested, dict) else nested:
            yield from parts_of(part)
    else:
        yield nested if isinstance(nested, float) else str(nested)


def said_in(question):
    """Return all that a question says, of right and of wrong answers."""
    return [getattr(question, "told", ""), *(part for part in parts_of(question) if isinstance(part, str))]


def summary_of(seen):
    """Return what the record keeps of a view: its controls, claims and words, and of each picture two sums."""
    told, words, numbers = read_in(seen)
    ends = seen.page.controls.ends
    controls = {name: [str(one.default), *ends.get(name, ())] for name, one in seen.page.controls.made.items()}
    sums = defaultdict(lambda: np.zeros(2))
    inside = [float(size) for block in seen.html for tag in TAG.findall(block) for size in SIZE.findall(tag)]
    for chart, _, values in (*numbers, ("tags", "", inside)):
        own = np.nan_to_num(np.clip(np.array(values, float), -1e9, 1e9))
        own *= 10 ** -np.floor(np.log10(np.abs(own).max(initial=1e-4)) + 0.4)  # no column hides another
        sums[chart] += [own @ np.sqrt(np.arange(1, len(own) + 1)), np.abs(own).sum()]
    drawn, made = (zlib.crc32(repr(part).encode()) for part in (words, controls))
    rounded = {chart: [float(f"{one:.7g}") for one in both] for chart, both in sums.items()}
    return [made, claims_of(told), drawn, rounded]


def choices(lesson, name):
    """Yield links to a step at each other choice that it offers by itself, of controls that have a few."""
    own, controls = import_module(f"pages.{lesson}.{name}").STEP, step(lesson, name).page.controls
    for control in (*own.words.split(), *own.experiment.split()):
        made, words = controls.made.get(control), controls.ends.get(control, ())
        if made and isinstance(made.default, str | bool) and len(words) <= MOST and words != TEXT_ENDS:
            yield from ({control: word} for word in words if word != query_word(made.default))
    yield {"unanswered": "all"}
    yield from ({"model": model} for model in NAMES if lesson == "tiny_lm")
    for end in (0, -1) if lesson != "tiny_lm" else ():  # its models are large
        yield {control: words[end] for control, words in controls.ends.items() if control != "step"}


def claims_of(texts):
    return zlib.crc32(repr([word.lower() for text in texts for word in CLAIM.findall(plain(text))]).encode())


def said_elsewhere(name):
    return [said for variant in range(3) for said in said_in(ELSEWHERE[name](variant))]


def see_that_it_is_recorded(name, found, before):
    within = 10 * SEEN * (100 if name in COARSE else 1)
    assert found[:3] == before[:3], "controls, claims or words of pictures: if meant, see above"
    assert found[3].keys() == before[3].keys()
    for chart, sums in found[3].items():
        assert sums == pytest.approx(before[3][chart], abs=within * (1 + sums[1])), chart


def see_that_rounding_says_the_same(lesson, name, count, monkeypatch):
    for place, (link, variants) in enumerate(settings(lesson, name, count, seed=5)):
        seen = step(lesson, name, variants=variants, **link)
        usual = read_in(seen)
        if count == OF_EVERYBODY:
            see_that_it_is_recorded(f"{lesson}/{name}", summary_of(seen), RECORDED[f"{lesson}/{name}"][place])
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
def test_a_step_says_what_was_recorded_however_a_processor_rounds(lesson, name, monkeypatch):
    see_that_rounding_says_the_same(lesson, name, OF_EVERYBODY, monkeypatch)


@pytest.mark.parametrize(("lesson", "name"), STEPS)
def test_each_choice_that_a_step_offers_says_what_was_recorded(lesson, name):
    links = [*choices(lesson, name)]
    for link, before in zip(links, RECORDED.get(f"{lesson}/{name} choices", ()), strict=True):
        see_that_it_is_recorded(f"{lesson}/{name}", summary_of(step(lesson, name, **link)), before)


def summary_of_sample(build):
    page = SimpleNamespace(asked=(), shown=[sample(build)()], controls=SimpleNamespace(ends={}, made={}))
    return summary_of(SimpleNamespace(page=page, html=(), sent=()))


@pytest.mark.parametrize("build", BUILDERS)
def test_each_kind_of_chart_is_drawn_as_recorded(build):
    see_that_it_is_recorded("", summary_of_sample(build), RECORDED[build.__name__])


@pytest.mark.parametrize("name", ELSEWHERE)
def test_what_is_asked_where_no_step_is_was_recorded(name):
    assert claims_of(said_elsewhere(name)) == RECORDED[name]


if __name__ == "__main__":
    links = {one: [(link, variants) for link, variants in settings(*one, OF_EVERYBODY, seed=5)] for one in STEPS}
    found = {one: [summary_of(step(*one, variants=each, **link)) for link, each in links[one]] for one in STEPS}
    told = [json.dumps(["/".join(one), views]) for one, views in found.items()]
    for one in STEPS:
        if views := [summary_of(step(*one, **link)) for link in choices(*one)]:
            told.append(json.dumps([f"{'/'.join(one)} choices", views]))
    told += [json.dumps([name, claims_of(said_elsewhere(name))]) for name in ELSEWHERE]
    told += [json.dumps([build.__name__, summary_of_sample(build)]) for build in BUILDERS]
    RECORD.write_text("\n".join(told) + "\n", encoding="utf-8")
