"""Labels of pictures that are not plain English have their meaning in the glossary; no question says a term before."""

import re
from importlib import import_module

import numpy as np
import pytest

from attention_core.experiments.qkv.named_head import DIMENSIONS, NAMED_COLUMNS, named_embedding
from pages.charts.chart import Chart
from pages.look.glossary import SAID, bare, meaning, term_of
from pages.motion import sliders
from pages.qkv.scene import SENTENCE as LESSON_1
from pages.scaling.scene import SENTENCE as LESSON_2
from tests.app.charts import titles_in
from tests.app.steps import step
from tests.app.test_every_step import STEPS as EVERY_STEP
from tests.lessons import path_of

LESSONS = ("qkv", "scaling", "multi_head")  # in which the first labels are met
STEPS = [(lesson, name) for lesson in LESSONS for name in path_of(lesson) if name != "now"]
PLAIN = (  # English, or mathematics that a reader of the course knows
    "word product mean sum none probability training step after before number of entry part next word here line row"
)
OF_MATRICES = ("wq", "wk", "wv", "wo")
DRAWN = {"kind", "side", "look", "of", "text"}  # columns that are never read
OF_TABLES = re.compile(r'<(?:th|b|span class="?(?:head|of|gloss)"?)[^>]*>((?:[^<]|<(b|su[bp])[ >].*?</\2>)*)')
WORDS = set(re.findall(r"\S+", f"{LESSON_1} {' '.join(LESSON_2)} a cow dog duck"))  # of sentences and predictions


def labels_of(block):
    if isinstance(block, Chart):
        yield from titles_in(block.specification, ("title", "text"))
        for name, column in block.columns.items():
            if column.dtype == object and name not in DRAWN:
                yield from map(str, set(column))
    elif any(part in block for part in ('class="ledger"', "<table", "class=gloss", 'class="gloss"')):
        yield from (re.sub("<[^>]*>", "", text) for text, _ in OF_TABLES.findall(block))


def unexplained(label):
    """Return whether a label is neither explained nor a number, a word of the sentence or plain English."""
    name = bare(label)
    known = {word.strip("₀₁₂₃₄₅₆₇₈₉") for word in re.split(r"[ ,]+", label)} <= WORDS
    return bool(re.search(r"\w", name.replace("#", ""))) and not known and name not in PLAIN and not meaning(label)


@pytest.mark.parametrize(("lesson", "name"), STEPS)
@pytest.mark.parametrize("unanswered", ["all", ()], ids=["asked", "answered"])
def test_each_label_of_a_picture_is_explained_in_place(lesson, name, unanswered, monkeypatch):
    moving = []  # labels beside the sliders of pictures that move
    monkeypatch.setattr(sliders, "meaning", moving.append)
    shown = step(lesson, name, unanswered=unanswered, opened=False).page.shown
    found = {label for labels in (*map(labels_of, shown), moving) for label in labels if unexplained(label)}
    assert not found, "each needs a line in pages/look/labels.txt, or a term in pages/look/glossary.txt"


def test_a_label_without_a_meaning_is_found():
    drawn = "".join(f'<span class="gloss">{term} of <b>it</b></span>' for term in ("query", "pull"))
    labels = ("clock 2 ↓", "cat", "3.0", "where 1", "÷ √dₖ 0.37", "k₂", "eˢ", *labels_of(drawn))
    assert [label for label in labels if unexplained(label)] == ["where 1", "eˢ", "pull of it"]
    assert meaning("e₅") is None  # a letter that is repeated, not a power


@pytest.mark.nightly
@pytest.mark.parametrize(("lesson", "name"), EVERY_STEP)
def test_a_heading_of_a_table_is_explained_only_where_it_means_that(lesson, name):
    """Who adds a heading that the glossary knows reads its meaning there, and then names it here."""
    tables = [block for block in step(lesson, name).html if "<table" in block]
    heads = {bare(re.sub("<[^>]*>", "", head)) for one in tables for head in re.findall("<th[^>]*>(.*?)</th>", one)}
    right = "dk|divisor|theory|position|token|dot product|logit|loss of the prompt|mean of trials"
    assert {head for head in heads if meaning(head) and not re.fullmatch(right, head)} <= {*OF_MATRICES}


def test_a_column_of_queries_and_keys_is_explained_by_what_it_is_there():
    columns = {name for names in DIMENSIONS.values() for name in names if not name.startswith("clock")}
    assert not [name for name in columns if not re.search(r"in K .*, in Q ", meaning(name))]


def test_a_label_of_x_says_how_its_numbers_come_about():
    x = named_embedding(["the", "warm", "cat", "it"], ["cat"], np.ones((1, 4)))
    rules = [re.match(r"(\d) if|Always (\d)|(\d) divided by the position", meaning(name)) for name in NAMED_COLUMNS[:5]]
    says = [float(next(filter(None, rule.groups()))) for rule in rules]
    assert np.array_equal(x[:, :4].max(axis=0), says[:4])
    assert np.array_equal(x[:, 4], says[4] / np.arange(1, 5))
    assert f"{np.log(2):.2f} nats" in meaning("nat")


@pytest.mark.parametrize("lesson", LESSONS)
def test_no_question_says_a_term_before_a_step_explained_it(lesson):
    known = set()
    for one in LESSONS[: LESSONS.index(lesson) + 1]:
        for name in path_of(one):
            said = import_module(f"pages.{one}.{name}").STEP
            known |= {term_of(match) for match in SAID.finditer(said.text)}
            if one == lesson and name != "now":
                for question in step(one, name, unanswered="all").page.asked:
                    told = {term_of(match) for match in SAID.finditer(re.sub("<[^>]*>", "", question.text))}
                    assert told <= known | {None}, question.text
            known |= {term_of(match) for match in SAID.finditer(said.full_text)}
