"""Graded probes of a model of small stories: words that the story determines."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from attention_core.arrays import Array
from attention_core.data_files import shipped_file
from attention_core.model.forward import model_forward
from attention_core.model.parameters import Model
from attention_core.shipped.models import model_in
from attention_core.shipped.plans import FOLDER, STORIES
from attention_core.shipped.runs import first_model
from attention_core.text.byte_pairs import BytePairs
from attention_core.text.stories import START, Story, stories, story_pieces
from attention_core.text.story_words import STORY_COLOURS

PROBES = ("pronoun", "name", "speaker", "first colour", "second colour", "place")
PROBE_SEED = 10_010  # of the stories for the probes, separate from training
COLOUR = re.compile(rf"\b({'|'.join(STORY_COLOURS)})\b")
GRADED_STORIES = 200
GRADES_FILE = FOLDER / "stories-grades.json"


class Question(NamedTuple):
    """A word that the story determines: after tokens[:at], which of the options comes?"""

    kind: str  # one of PROBES
    at: int  # index of the first token of the word
    answer: tuple[int, ...]  # tokens of the right option
    options: tuple[tuple[int, ...], ...]  # tokens of each option


class Score(NamedTuple):
    """How many questions were asked, and how many answers were right."""

    right: int
    asked: int

    @property
    def rate(self) -> float:
        """Return the fraction of right answers; NaN without a question."""
        return self.right / self.asked if self.asked else float("nan")


def questions_of(story: Story, pieces: BytePairs) -> tuple[list[int], list[Question]]:
    """Return the tokens of a story, with the mark before it, and its questions."""
    tokens = pieces.encode(START + story.text).tolist()
    lengths = [len(piece) for piece in pieces.vocabulary.decode(tokens)]  # bytes, which are characters in the stories
    starts = {start - len(START): number for number, start in enumerate(np.cumsum([0, *lengths[:-1]]).tolist())}
    colours = COLOUR.findall(story.text)
    found = []
    for fact in story.facts:
        space = " " if story.text[fact.start - 1 : fact.start] == " " else ""
        options = {option: tuple(pieces.encode(space + option).tolist()) for option in fact.options}
        word = story.text[fact.start : fact.stop]
        order = "first" if word == colours[0] else "second"
        kind = f"{order} colour" if fact.kind == "colour" else fact.kind
        found.append(Question(kind, starts[fact.start - len(space)], options[word], tuple(options.values())))
    return tokens, found


def is_right(logits: Array, question: Question) -> bool:
    """Return True if the answer wins: each token of it has the largest logit of all that continue an option so far.

    `logits` (T, V) are those of the story; row t predicts token t + 1.
    """
    for number, token in enumerate(question.answer):
        so_far = question.answer[:number]
        rivals = {option[number] for option in question.options if option[:number] == so_far and len(option) > number}
        row = logits[question.at + number - 1]
        if any(row[rival] >= row[token] for rival in rivals - {token}):
            return False
    return True


def probe(model: Model, n_stories: int = 100, seed: int = PROBE_SEED) -> dict[str, Score]:
    """Return the score of each of PROBES over new stories; a story longer than the context is cut."""
    pieces = story_pieces()
    right, asked = dict.fromkeys(PROBES, 0), dict.fromkeys(PROBES, 0)
    for story in islice(stories(np.random.default_rng(seed)), n_stories):
        tokens, questions = questions_of(story, pieces)
        logits = model_forward(model, np.array(tokens[: model.config.max_len])).logits  # (T, V)
        for question in questions:
            if question.at + len(question.answer) <= len(logits):
                asked[question.kind] += 1
                right[question.kind] += is_right(logits, question)
    return {kind: Score(right[kind], asked[kind]) for kind in PROBES}


class Grades(NamedTuple):
    """The scores of the shipped model at its steps, from a file that the command of its card writes."""

    steps: tuple[int, ...]
    scores: dict[str, tuple[Score, ...]]  # of each of PROBES, at each step


def write_grades(folder: Path = FOLDER) -> Grades:
    """Grade the shipped model at each of its steps, write the file, and return the grades."""
    own = STORIES
    models = {0: first_model(own.plan)} | {step: model_in(folder, own, step) for step in own.saved}
    scores = [probe(model, GRADED_STORIES) for model in models.values()]
    grades = Grades(tuple(models), {kind: tuple(score[kind] for score in scores) for kind in PROBES})
    (folder / GRADES_FILE.name).write_text(json.dumps(grades) + "\n", "utf-8")
    return grades


@lru_cache(maxsize=1)
def grades_of_stories() -> Grades:
    """Return the grades of the shipped model, cached."""
    with shipped_file(GRADES_FILE):
        steps, scores = json.loads(GRADES_FILE.read_text("utf-8"))
        return Grades(tuple(steps), {kind: tuple(Score(*score) for score in scores[kind]) for kind in PROBES})
