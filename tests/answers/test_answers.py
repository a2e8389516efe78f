"""Every question of the course against its oracle, at the usual settings and at random ones."""

import json
import os
import re
from collections import defaultdict
from importlib import import_module

import pytest

from attention_core.experiments.multi_head.english_heads import known_words
from attention_core.text.characters import split_words
from attention_core.text.word_vectors import position_labels
from pages.exercises.catalogue import TASKS
from pages.home.sentence import elsewhere_question
from pages.links.course import LESSONS
from pages.memory.explain import decided
from pages.questions.kinds import Choice
from pages.tiny_lm.explained import usual_subject
from pages.tiny_lm.model_in_view import NAMES, Shipped, Subject, words_read
from tests.answers.explained import STATEMENTS
from tests.answers.home import Arcs
from tests.answers.oracle import EVERY, ORACLES, prove, prove_task
from tests.answers.settings import LARGEST, SENTENCES, settings
from tests.answers.view import View, plain, quoted, views
from tests.app.visits import sent_to, visit
from tests.lessons import ROOT, steps_of

for path in ROOT.glob("tests/answers/*.py"):  # each with the oracles of a lesson
    if not path.stem.startswith(("_", "test_")):
        import_module(f"tests.answers.{path.stem}")
STEPS = [(lesson.name, name) for lesson in LESSONS for name in steps_of(lesson.name) if not name.startswith("now")]
FROM_MEMORY = [  # the lesson and the maker of each question at the end of a path, which the next lesson asks again
    (lesson.name, name, make)
    for lesson in LESSONS
    for path in ROOT.glob(f"pages/memory/{lesson.name}*.py")
    for word, asked in vars(import_module(f"pages.memory.{path.stem}")).items()
    if word.startswith("QUESTIONS")
    for name, make in asked
]
OF_EVERYBODY, OF_THE_NIGHT = 3, 10  # settings of a step
OF_KINDS = 12  # variants at each of them, of which those are proven that ask in other words
VARIANTS = (*range(12), 17, 100, LARGEST)
each_step = pytest.mark.parametrize(("lesson", "name"), STEPS)


def test_every_question_has_an_oracle():
    assert set(ORACLES) == EVERY


def test_an_oracle_knows_neither_the_core_nor_a_page():
    """So that none copies the expression of what it proves."""
    rooms = [path for path in ROOT.glob("tests/answers/*.py") if path.stem not in ("oracle", "view", "test_answers")]
    found = [path.name for path in rooms if re.search(r"\b(attention_core|pages)\b", path.read_text(encoding="utf-8"))]
    assert (found, len(rooms) > 10) == ([], True)


def see_that_answers_are_proven(lesson, name, count, seed=0):
    kinds = set()

    def see(link, variants):
        makers = {}
        for question, view in views(lesson, name, link, variants):
            kinds.add(kind_of(question))
            makers |= view.seen.page.makers
            prove(question, view, ORACLES[lesson, question.name])
            named, words = {*quoted(view.text)} & {*view.words}, words_outlined(view)
            silent = lesson == "tiny_lm" or not named or not words  # whose predictions are words of its text too
            assert silent or named & words, (view.text, words, link)
        return makers.values()

    for place, (link, variants) in enumerate(settings(lesson, name, count, seed)):
        if place and not kinds and count == OF_EVERYBODY:
            return  # it asks nothing; at night we look whether it does at other settings
        makers = see(link, variants)
        for variant in VARIANTS[:OF_KINDS]:
            if any(question and kind_of(question) not in kinds for question in (make(variant) for make in makers)):
                see(link, defaultdict(lambda variant=variant: variant))


def words_outlined(view):
    """Return the words whose row or column a map in view outlines."""
    marked = [one.data[one.data["mark"] > 0] for one in view.charts if {"i", "j", "mark"} <= {*one.data.columns}]
    found = [data.iloc[:, axis][data["mark"] & (axis + 1) > 0] for data in marked for axis in (0, 1)]
    return {word for words in found for word in words} & {*view.words}


def kind_of(question):
    """Return the words of a question without its numbers and what it quotes: others come of another line."""
    said = (question.text, question.why, *map(str, getattr(question, "mistakes", ())))
    return frozenset(re.sub("“[^”]*”|[−\\d.,]+", "", plain(text)) for text in said)


@each_step
def test_the_answers_of_a_step_are_those_of_plain_numpy(lesson, name):
    see_that_answers_are_proven(lesson, name, OF_EVERYBODY)


@pytest.mark.nightly
@each_step
def test_the_answers_of_a_step_at_many_settings(lesson, name):
    see_that_answers_are_proven(lesson, name, OF_THE_NIGHT, seed=1)


@pytest.mark.exhaustive
@each_step
def test_the_answers_of_a_step_at_settings_that_nobody_has_seen(lesson, name):
    seed = int.from_bytes(os.urandom(4))
    print(f"{lesson}/{name}: seed {seed}")
    see_that_answers_are_proven(lesson, name, OF_THE_NIGHT, seed)


@pytest.mark.parametrize(("lesson", "name", "make"), FROM_MEMORY)
def test_the_answers_from_memory_are_those_of_plain_numpy(lesson, name, make):
    for variant in VARIANTS:
        question = make(variant)
        assert question.name == name
        assert make(variant) == question
        told = [question.options[place] for place in question.right] if isinstance(question, Choice) else []
        assert not any(right in text for right in told for text in question.mistakes if " " in right)  # a second try
        prove(question, View(question), ORACLES[lesson, name])


@pytest.mark.parametrize("lesson", [lesson for lesson in STATEMENTS if lesson != "tiny_lm"])
def test_an_explanation_is_confirmed_by_its_experiments_alone(lesson):
    """Whatever the words are: where they do not decide a statement, it is about usual ones."""
    room = import_module(f"pages.{lesson}.explained")
    for sentence in SENTENCES:
        words = known_words(split_words(sentence))[0] or ["the", "cat"]
        usual = room.SENTENCE.split() if lesson != "scaling" else []
        told = decided(room.statements_of, words, usual)[0] if usual else room.statements_of()
        see_that_statements_are_decided(lesson, STATEMENTS[lesson], told)


@pytest.mark.parametrize("part", STATEMENTS["tiny_lm"])
def test_an_explanation_of_a_model_is_confirmed_by_its_experiments_alone(part):
    room = import_module(f"pages.tiny_lm.explained.{part.removeprefix('now_')}")
    usual, prompts = usual_subject(room.KIND), ["a3c7b1e4a", "b5b5b", "the cat saw a ball and it", "1", "j1b9c4d0e5j"]
    for source in map(Shipped, NAMES.values()):
        for prompt in prompts if source.name == room.KIND else prompts[:3]:
            own = Subject(source, -1, words_read(source, prompt)[0])
            if part != "now_inside" or source.name == room.KIND:
                told, _ = decided(room.statements_of, own, usual)
                see_that_statements_are_decided("tiny_lm", STATEMENTS["tiny_lm"][part], told)
    assert decided(room.statements_of, usual, own)[1]


def see_that_statements_are_decided(lesson, names, told):
    assert [statement.name for statement in told] == [f"explain_{name}" for name in names]
    for statement in told:
        assert statement.is_decided
        for variant in range(3):
            prove(question := statement.question(variant), View(question), ORACLES[lesson, statement.name])


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_the_answers_of_a_task_are_those_of_plain_numpy(task):
    prove_task(task, ORACLES["tasks", task.id])


@pytest.mark.parametrize("sentence", SENTENCES[:3])
def test_the_answers_of_the_home_page_are_those_of_its_heads(sentence):
    def drawn(**link):
        (proto,) = sent_to(visit("home", text=sentence, **link), "attention_arcs")
        return json.loads(proto.json)

    first = drawn()
    labels = position_labels(first["words"])
    heads = {str(head): Arcs(drawn(head=str(head)), labels) for head in range(1, 5)}
    for variant in VARIANTS:
        question = elsewhere_question(first["words"], first["asks"], variant)
        if question:
            prove(question, View(question, again=lambda head: heads[head]), ORACLES["home", "elsewhere"])
