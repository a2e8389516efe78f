"""Random sequences of what students do: after each act the page stands, and shows what a page opened by its link shows.

Compared is all that is shown. What is kept out of links by design is carried to the page that is opened: the answers
and the variants of questions, programs and points, the text and the model of one's own, which parts are unfolded,
and which chart is chosen as a file.
Left out are Reset, what the browser remembers, the printed link, and the field for a file and what is said of it.
"""

import json
import logging
import os
import re
import time
from copy import copy

import numpy as np
import pytest
from streamlit.testing.v1.element_tree import Block, Expander, Widget, user_key_from_element_id

from pages.page.canvas import Canvas
from pages.tiny_lm.train.form import OWN_TEXT
from tests.app import student as acts
from tests.app.student import MAIN, SIDEBAR, Student, is_number
from tests.app.visits import FILES, QUICK, controls, labels_of
from tests.lessons import controls_of, experiments_of, steps_of
from tests.tiers import first

KEPT = (
    *("given", "answers", "answered", "variants", "recalled", "recalled_solved"),
    *("exercises", "exercises_solved", "exercises_orders", "exercises_tried"),
)
OWN = ("tiny_lm_own", "tiny_lm_training")
ACTS = {  # and how often each is drawn, where it can be done
    acts.set_control: 5,
    acts.answer: 3,
    acts.ask_again: 1,
    acts.click: 3,
    acts.drag: 3,
    acts.press_button: 2,
    acts.take_example_or_exercise: 1.0,
    acts.go_on: 1.8,
    acts.unfold: 0.4,
    acts.reset: 0.2,
    acts.open_share: 0.5,
    acts.upload: 4,
    "reload": 0.4,
}
SHARED = {  # what is chosen in one step and holds for several by design, though a question may hide its field
    "home": "",
    "qkv": "q k d",
    "scaling": "",
    "multi_head": "q k head",
    "causal_mask": "q k",
    "positional_encoding": "q k text",
    "tiny_lm": "text",
}
MORE = {"tiny_lm": {"sizes": "true", "look": "Greedy or sampled", "learn": OWN_TEXT}}  # which show more fields
OF_THE_VISIT = re.compile(r'^<style>|class="course note printed"|^<div class="course note">(Read:|This file|Give an? )')
SEEDS = dict.fromkeys(FILES, range(30)) | {  # each step begins one of them; these found a crash and a leak once:
    "causal_mask": range(36, 66),
    "tiny_lm": range(171, 201),
}
NUMBERS = {"home": 0, "causal_mask": 1, "scaling": 2, "tiny_lm": 3, "qkv": 4, "positional_encoding": 5, "multi_head": 6}
MANY = 300


class Sequence:
    """A visit to a page, and what was done in it so far."""

    def __init__(self, page, seed):
        self.page, self.rng = page, np.random.default_rng([seed, NUMBERS[page]])
        self.set_in = {}  # the step in whose main part a word of the link was set last
        begin = QUICK.get(page, {}) | (MORE.get(page, {}) if self.rng.random() < 0.5 else {})
        words = {f"{page}_{name}": value for name, value in begin.items()}
        if steps := [] if page == "home" else steps_of(page):
            words[f"{page}_step"] = steps[seed % len(steps)]
        self.done = [f"seed {seed} of {page}: open {words}"]
        self.student = self.opened(words)

    @property
    def shared(self):
        """The words of the link that are of no step."""
        return {f"{self.page}_{name}" for name in ("step", "ask", "exercise", *SHARED[self.page].split())}

    def opened(self, words, state=()):
        return self.stands(Student(self.page, words, state))

    def stands(self, student):
        for one in student.exception:
            self.fail("\n".join([one.value, *one.stack_trace[-6:]]))
        return student

    def fail(self, problem):
        """Say what was done, and what is wrong with it."""
        raise AssertionError("\n  ".join(["", *self.done, str(problem)]))

    def act(self):
        """Do something that can be done in the view."""
        before, done = self.student.words, None
        odds = np.array(list(ACTS.values()))
        while not done:
            act = list(ACTS)[self.rng.choice(len(odds), p=odds / odds.sum())]
            done = self.reload() if act == "reload" else act(self.student, self.rng, asked())
        self.done.append(done)
        self.stands(self.student)
        self.note_what_was_set(before)
        if f"{self.page}_ask" in self.student.words:
            self.fail("The questions were switched off.")
        if act in (acts.go_on, acts.answer, acts.ask_again, acts.unfold, acts.open_share):
            self.see_that_all_is_kept(before)

    def see_that_all_is_kept(self, before):
        """See that what was set in other steps has the value that the link said before."""
        after = self.student.values | self.student.words
        own = self.shared | experiments_of(self.student.page)
        lost = {key: word for key, word in before.items() if after.get(key) != word and key not in own}
        if lost := {key: word for key, word in lost.items() if self.set_in.get(key) not in (None, self.student.step)}:
            self.fail(f"The link has lost {lost}.")

    def reload(self):
        """Load the page anew: a session at the address, which the browser tells what it remembers."""
        (kept,) = self.student.component("attention_progress")
        self.student = self.opened(self.student.words)
        (store,) = self.student.component("attention_progress")
        told = json.dumps({"kept": json.loads(kept.json)["state"]})
        self.student.tell(store, json_value=told)
        return "reload"

    def note_what_was_set(self, before):
        """Note in the main part of which step a word of the link was set; what the sidebar shows is of no step."""
        after, everywhere = self.student.words, self.student.keys_in(SIDEBAR)
        for key, word in after.items():
            if before.get(key) != word:
                self.set_in[key] = None if key in everywhere else self.student.step

    def compare(self):
        """See that the page shows what one shows that is opened by its link."""
        student, words, heard, page = self.student, self.student.words, list(asked()), HEARD[0]
        if student.session_state.get("tiny_lm_own_file"):  # a file is in no link, and no session can be given it
            return
        afresh = self.opened(words, carried(student))
        if afresh.words != words:
            self.fail(f"The link {words} opens as {afresh.words}.")
        self.see_the_same(student, afresh, heard, f"A page that is opened by {words} is another one")
        here = student.keys_in(MAIN)
        of_steps = {f"{self.page}_{name}" for name in controls_of(self.page)} - here - self.shared
        elsewhere = {key for key in of_steps & words.keys() if self.set_in.get(key) not in (None, student.step)}
        if elsewhere:
            fewer = {key: word for key, word in words.items() if key not in elsewhere}
            without = self.opened(fewer, carried(student))
            self.see_the_same(student, without, heard, f"{elsewhere} of other steps changes this one", elsewhere)
        HEARD[:] = [page]

    def see_the_same(self, here, there, heard, problem, words=()):
        """See that two pages show the same and ask the same, but for the fields of some words of the link."""
        one, other = shown(here, words), shown(there, words)
        if one != other:
            self.fail(f"{problem}:\n{first_difference(one, other)}")
        if heard != asked():
            self.fail(f"{problem}: it asks\n{heard}\nand not\n{asked()}")


HEARD = []  # the page that was begun last


def asked():
    """Return the questions that the page asks which was begun last."""
    return HEARD[0].view.asked


@pytest.fixture(autouse=True)
def _hear_questions(monkeypatch):
    begin = Canvas.__init__

    def heard(page, *arguments):
        HEARD[:] = [page]
        begin(page, *arguments)

    monkeypatch.setattr(Canvas, "__init__", heard)


def carried(student):
    """Return what a session knows that is in no link by design."""
    unfolded = [user_key_from_element_id(one.proto.id) for one in folded(student)]
    names = [*KEPT, *OWN, *unfolded, f"{student.page}_keep_chart", f"_{student.page}_steps"]
    return {name: copy(student.session_state[name]) for name in names if name in student.session_state}


def folded(student):
    return [one for one in student._tree if isinstance(one, Expander) and one.proto.id]


def shown(student, words=()):
    """Return all that a page shows, in order, but for the fields of these words of the link."""
    parts = (student._tree.children[part] for part in (MAIN, SIDEBAR))
    return [text for part in parts for node in part if (text := as_shown(node, words))]


def as_shown(node, words):
    """Return what a reader, or a picture, is given by an element; nothing for what is about the visit."""
    proto, key = getattr(node, "proto", None), getattr(node, "key", None) or ""
    if isinstance(node, Block):
        return f"folded {proto.label} {proto.expanded}" if isinstance(node, Expander) else ""
    if isinstance(node, Widget):
        if key in words or key.endswith("_reset") or key in ("tiny_lm_file", "tiny_lm_put_open_brought"):
            return ""
        options = labels_of(node) if hasattr(node.proto, "options") and node.type == "button_group" else ""
        options = options or getattr(node, "options", "")
        value = "" if "button" in node.type and node.type != "button_group" else node.value
        value = f"{value:g}" if is_number(value) else value
        return f"{node.type} {key} {node.label} {options} {value} {node.disabled}"
    if node.type == "bidi_component":
        return "" if proto.component_name == "attention_progress" else f"{proto.component_name} {proto.json}"
    if node.type in ("empty", "page_link") or (node.type == "html" and OF_THE_VISIT.search(proto.body)):
        return ""
    return f"{node.type} {proto}"


def first_difference(one, other):
    """Return the first place where two lists of texts differ, with what is before it."""
    one, other = [*one, "nothing more"], [*other, "nothing more"]
    i = next(i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    at = next((k for k, (a, b) in enumerate(zip(one[i], other[i], strict=False)) if a != b), 0)
    part = slice(max(at - 150, 0), at + 250)
    return f"    {one[i - 1][:150] if i else ''}\n--- {one[i][part]}\n+++ {other[i][part]}"


def go_through(page, seed, caplog, always=False):
    """Do five to eight things, and compare the page with one opened by its link: at the end, or after each."""
    caplog.clear()
    sequence = Sequence(page, seed)
    for _ in range(sequence.rng.integers(5, 9)):
        sequence.act()
        if errors := [one.getMessage() for one in caplog.records if one.levelno >= logging.ERROR]:
            sequence.fail(errors)
        if always:
            sequence.compare()
    sequence.compare()


@pytest.mark.parametrize(
    ("page", "seed"), [case for page, seeds in SEEDS.items() for case in first(4, [(page, seed) for seed in seeds])]
)
def test_a_page_shows_what_its_link_shows_whatever_was_done_before(page, seed, caplog):
    go_through(page, seed, caplog)


@pytest.mark.exhaustive
@pytest.mark.parametrize("page", FILES)
def test_the_same_for_seeds_that_move(page, caplog):
    """To repeat one: SEED=7 pytest -m exhaustive tests/app/test_sequences.py -k "move and qkv"."""
    given = os.environ.get("SEED")
    start = int(given or time.time())
    for seed in range(start, start + (1 if given else MANY)):
        go_through(page, seed, caplog, always=True)


def test_the_code_behind_a_view_follows_every_click_while_it_is_open():
    page, rng = "qkv", np.random.default_rng(0)
    student = Student(page, {"qkv_step": "x", "qkv_ask": "no"})
    acts.unfold(student, rng, [], "Code behind this view")
    for word in ("sat", "warm", "mat"):
        student.selectbox(key="qkv_q").set_value(word)
        student.let_run(student.selectbox(key="qkv_q"))
        assert shown(student) == shown(Student(page, student.words, carried(student)))


def test_a_link_says_the_model_also_where_no_list_of_models_is_shown():
    words = {"tiny_lm_step": "bet", "tiny_lm_model": "Toy English", "tiny_lm_when": "untrained"}
    student = Student("tiny_lm", words)
    student.to_step("tokens")
    assert shown(student) == shown(Student("tiny_lm", student.words))


def test_a_question_is_about_the_word_that_asks_after_an_example():
    student = Student("qkv", {})
    student.report(student.component("attention_arcs")[0], "picked", 6)
    row = student.pills(key="qkv_presets")
    row.set_value("A trained head")
    student.let_run(row)
    questions, words = list(asked()), student.words
    Student("qkv", words)
    assert questions == asked() != []


def test_what_a_training_is_set_to_is_kept_while_texts_are_sampled():
    words = {"step": "train", "sizes": "true", "length": "16", "ask": "no"} | QUICK["tiny_lm"]
    student = Student("tiny_lm", {f"tiny_lm_{name}": word for name, word in words.items()})
    student.to_step("cache")
    assert student.words["tiny_lm_length"] == "16"


@pytest.mark.nightly
@pytest.mark.parametrize(("page", "step"), [(page, step) for page in list(FILES)[1:] for step in steps_of(page)])
def test_each_control_of_a_step_shows_at_its_end_what_its_link_shows(page, step):
    words = {f"{page}_{name}": word for name, word in ({"step": step, "ask": "no"} | QUICK.get(page, {})).items()}
    sequence = Sequence(page, 0)
    for key in controls(Student(page, words)):
        sequence.student = student = sequence.opened(words)
        widget = controls(student)[key]
        if widget in student.free([widget]) and widget.proto.query_param_key:
            options = getattr(widget, "options", None) or ()
            ends = (*options[::-1],) or ((not widget.value,) if widget.type == "toggle" else ())
            ends = ends or ((widget.max, widget.min) if hasattr(widget, "max") else ("the dog saw the cat", ""))
            widget.set_value(next((one for one in ends if one != widget.value), widget.value))
            student.let_run(widget)
            sequence.done.append(f"set {key} to {widget.value}")
            sequence.compare()
