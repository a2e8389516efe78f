"""Questions as files: read again by readers that share nothing with the writers, and answered by the oracles."""

import re

import pytest
from markupsafe import Markup

from pages.exercises.catalogue import tasks_of
from pages.exercises.tasks import Lines
from pages.home.quiz import FROM_MEMORY, items_of
from pages.links.course import LESSONS
from pages.questions.kinds import Choice, Mistake, Number
from pages.teaching.quiz_files import gift
from tests.answers.oracle import ORACLES, prove
from tests.answers.test_answers import FROM_MEMORY as ASKED
from tests.answers.view import View, plain
from tests.app.visits import opened, rerun

VARIANTS, SEED = 7, 40
each_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)


def as_html(text):
    return Markup(text)  # noqa: S704  from a file of this test


def made(kind, name, text, answers, why):
    """Return a question of what a file says: each answer with its percent, tolerance and feedback."""
    text, why = map(as_html, (text, why))
    answers = [(percent, as_html(given), near, as_html(told)) for percent, given, near, told in answers]
    if kind == "choice":
        right = tuple(i for i, (percent, *_) in enumerate(answers) if percent == 100)
        return Choice(name, text, tuple(a[1] for a in answers), right, why, tuple(a[3] for a in answers))
    (_, right, near, said), *wrong, (percent, other, _, otherwise) = answers
    assert (percent, other, said) == (0, "*", why)
    mistakes = tuple(Mistake(float(value), told) for _, value, _, told in wrong)
    return Number(name, text, float(right), float(near), why, mistakes, otherwise, 0 if float(near) >= 0.4 else 2)


def read_gift(text):
    hidden = re.sub(r"\\(.)", lambda found: chr(0xE000 + ord(found[1])), text)  # what is marked means nothing here

    def shown(part):
        return re.sub("[\ue000-\ue0ff]", lambda found: chr(ord(found[0]) - 0xE000), part.replace("\ue06e", "\n"))

    category, *blocks = hidden.strip().split("\n\n")
    assert category.startswith("$CATEGORY: ")
    for block in blocks:
        name, asked, sign, body, why = re.fullmatch(
            r"::([^:]+)::\[html\]([^{}]+)\{(#?)(.+)####(.+)\n\}", block, re.S
        ).groups()
        answers = []
        for mark, told in re.findall(r"^([=~])([^=~]*)", body, re.MULTILINE):
            percent, given, feedback = re.fullmatch(r"(%\d+%)?([^#]*)#([^#]*)", told.rstrip("\n")).groups()
            given, _, near = given.partition(":") if sign else (given, "", "")
            share = int(percent.strip("%")) if percent else 100 if mark == "=" else 0
            answers.append((share, shown(given) or "*", near, shown(feedback)))
        yield made("number" if sign else "choice", shown(name), shown(asked), answers, shown(why))


@each_lesson
def test_what_is_read_again_is_what_is_asked_and_its_key_is_that_of_the_oracle(lesson):
    found = [*read_gift(gift(lesson.title, items_of(lesson, VARIANTS, SEED)))]
    items = items_of(lesson, VARIANTS, SEED)
    assert [one.name for one in found] == [said for said, _ in items]
    for read, (_, question) in zip(found, items, strict=True):
        assert plain(read.text) == plain(question.text)
        assert 'class="' not in read.text
        if read.name.split()[1] in dict(FROM_MEMORY[lesson.name]):
            named = read._replace(name=question.name)
            prove(named, View(named), ORACLES[lesson.name, question.name])
        elif isinstance(read, Choice):  # a gap in a program, which is proven beside the program
            assert [plain(read.options[i]) for i in read.right] == [plain(question.options[i]) for i in question.right]
        else:
            assert read.right == pytest.approx(question.right, abs=1e-6)


def test_every_question_from_memory_and_every_task_but_lines_is_in_the_file_of_its_lesson():
    for lesson in LESSONS:
        asked = {name for of, name, _ in ASKED if of == lesson.name}
        tasks = {task.id for task in tasks_of(lesson.name) if not isinstance(task, Lines)}
        names = [name.split() for name, _ in items_of(lesson, VARIANTS, SEED)]
        assert {name[1] for name in names} == asked | tasks
        assert len(tasks) >= 2
        assert {int(name[2]) for name in names if name[1] in asked} <= set(range(SEED, SEED + VARIANTS))
        texts = [question.text for _, question in items_of(lesson, VARIANTS, SEED)]
        assert len(texts) == len({*texts})


def test_signs_that_mean_something_in_a_format_stay_signs():
    text = "a = {b}: 1 < 2 & ~c # \\n"
    asked = Choice.of("odd", text, text + "!", "w = {x}", {text: "z: ~y"})
    (read,) = read_gift(gift("Q/K/V", [("odd", asked)]))
    assert (plain(read.text), *map(plain, read.options)) == (text, text + "!", text)
    assert (read.right, plain(read.why), plain(read.mistakes[1])) == ((0,), "w = {x}", "z: ~y")


def test_the_page_for_teachers_offers_the_file():
    app = opened("teach", {})
    assert not app.download_button
    app.session_state["teach_closer_Questions for the page of your course: GIFT, Moodle"] = True
    assert {button.label for button in rerun(app).download_button} == {"GIFT"}
