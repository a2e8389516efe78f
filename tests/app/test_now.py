"""The end of a path, and what the next lesson asks again: questions that need no picture."""

import pytest

from pages.links import course
from pages.memory import multi_head, positional_encoding, qkv, scaling, tiny_lm, tiny_lm_inside
from pages.memory.now import OFFSET
from tests.answers.explained import STATEMENTS
from tests.app.files import file_of
from tests.app.visits import html_of, press, rerun, reveal, said, stage, to_step, visit
from tests.lessons import path_of

LESSONS = (qkv, scaling, multi_head, positional_encoding)
QUESTIONS = {lesson.__name__.rpartition(".")[2]: lesson.QUESTIONS for lesson in LESSONS}
PARTS = {"now_writes": tiny_lm.QUESTIONS_WRITES, "now_learns": tiny_lm.QUESTIONS_LEARNS}
PARTS |= {"now_inside": tiny_lm_inside.QUESTIONS}


@pytest.mark.usefixtures("media")
@pytest.mark.parametrize("lesson", QUESTIONS)
def test_the_path_ends_with_its_questions_and_its_claims(lesson):
    assert path_of(lesson)[-1] == "now"
    app, asked = reveal(visit(lesson, step="now")), len(QUESTIONS[lesson]) + len(STATEMENTS[lesson])
    assert said(app).count("✓ Right") == asked
    assert f"{asked} told" in said(app)
    assert 'class="gap"' not in " ".join(html_of(app))  # each is filled
    page = file_of(app, "Keep your explanation as a page").decode()
    assert page.count("<li>") == len(STATEMENTS[lesson])
    assert page.count('class="meters pair"') == len(STATEMENTS[lesson])
    assert len(page) < 60_000  # without the library of charts
    assert any('aria-label="The transformer"' in block.value for block in app.markdown) == (lesson == "qkv")
    (listed,) = (one.questions.values() for one in course.LESSONS if one.name == lesson)
    assert stage(press(app, f"{lesson}_open")) == next(iter(listed))  # the first step that still asks


@pytest.mark.parametrize("name", PARTS)
def test_a_part_of_the_last_lesson_ends_with_its_questions_and_its_claims(name):
    app, asked = reveal(visit("tiny_lm", step=name)), len(PARTS[name]) + len(STATEMENTS["tiny_lm"][name])
    assert said(app).count("✓ Right") == asked
    assert 'class="gap"' not in " ".join(html_of(app))
    assert ("You have finished this part of the lesson" in said(app)) == (name == "now_inside")


@pytest.mark.parametrize(
    ("lesson", "first", "asked"),
    [("scaling", "collapse", QUESTIONS["qkv"]), ("tiny_lm", "copy", PARTS["now_learns"])],
)
def test_the_next_lesson_or_part_asks_two_of_them_again_with_other_numbers_if_that_is_opened(lesson, first, asked):
    app, text = visit(lesson, step=first), str(asked[0][1](OFFSET).text)
    assert text not in " ".join(html_of(app))
    app.session_state[f"{lesson}_recall"] = True
    assert text in " ".join(html_of(rerun(app)))
    assert str(asked[0][1](0).text) not in " ".join(html_of(app))
    assert "From memory" not in said(to_step(app, path_of(lesson)[1]))
