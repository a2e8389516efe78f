"""What the two models that are trained before the class learn, seed by seed, and in how many seconds."""

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from multiprocessing import get_context
from typing import NamedTuple

from attention_core.experiments.language.held_out import accuracy, link_scores, recall_scores
from attention_core.model.parameters import Model
from attention_core.shipped.plans import MODELS
from attention_core.shipped.runs import Plan, start_training
from attention_core.text.corpora import Source, source_of
from tests.bench.table import Row
from tests.bench.timing import Effort

EVERY = 25  # steps between two examinations


class Exam(NamedTuple):
    """A model that is to learn something, and what it must reach to have learned it."""

    model: str  # of those that ship: its plan, whatever the seed
    accuracy: float
    score: float  # of the head that does most of it
    heads: Callable[[Model, Source], float]
    goal: str


class Learned(NamedTuple):
    """How a run went: when it passed, if it did, and how it stood at its end."""

    step: int | None
    seconds: float  # of one processor, until it passed, or of the whole run; examinations not counted
    untrained: float  # score of the best head
    score: float
    accuracy: float


def to_the_animal(model: Model, source: Source) -> float:
    """Return the best head's mean weight from "it" or "they" to the animal."""
    return float(link_scores(model, source, "pronoun").max())


def to_the_answer(model: Model, source: Source) -> float:
    """Return the best head's mean weight from a letter seen before to the digits that answered it."""
    return float(recall_scores(model, source).max())


PRONOUN = Exam("pronoun", 0.97, 0.85, to_the_animal, "10 of 10 seeds, 3 s")
RECALL = Exam("recall", 0.95, 0.90, to_the_answer, "9 of 10 seeds, 10 s")
EXAMS = (PRONOUN, RECALL)


def learned(exam: Exam, seed: int, plan: Plan | None = None) -> Learned:
    """Train a model by its plan with some seed, and examine it as it learns."""
    own, source = MODELS[exam.model], source_of(MODELS[exam.model].source)
    run = start_training((plan or own.plan)._replace(seed=seed), source)
    untrained, passed, taken, until = exam.heads(run.model, source), None, 0.0, 0.0
    start = time.process_time()
    for step in run.steps:
        if step.step % EVERY:
            continue
        taken += time.process_time() - start
        if passed is None and passes(exam, run.model, source):
            passed, until = step.step, taken
        start = time.process_time()
    score, right = exam.heads(run.model, source), accuracy(run.model, source)
    return Learned(passed, until or taken, untrained, score, right)


def passes(exam: Exam, model: Model, source: Source) -> bool:
    """Tell whether a model has learned what it is to learn."""
    return accuracy(model, source) >= exam.accuracy and exam.heads(model, source) >= exam.score


def rows(effort: Effort) -> Iterator[Row]:
    """Train both models with ten seeds each, and the twin of one layer, which cannot learn the task."""
    n_seeds = 2 if effort.quick else 10
    # In a process of its own NumPy is loaded after attention_core, and so its products use one thread.
    with ProcessPoolExecutor(1, get_context("spawn")) as apart:
        for exam in EXAMS:
            yield row(exam, list(apart.map(learned, repeat(exam, n_seeds), range(n_seeds))))
        plan = MODELS["recall-one-layer"].plan
        twins = list(apart.map(learned, repeat(RECALL, n_seeds), range(n_seeds), repeat(plan)))
    yield Row("recall, one layer: answers right", span(twin.accuracy for twin in twins), goal="< 0.60")


def row(exam: Exam, found: list[Learned]) -> Row:
    """Return a row of the table: how many seeds passed, when, and what their best heads do."""
    passed = [run for run in found if run.step is not None]
    failed = [str(seed) for seed, run in enumerate(found) if run.step is None]
    ours = f"{len(passed)} of {len(found)} seeds" + (f" (not {', '.join(failed)})" if failed else "")
    if passed:
        steps, seconds = span((run.step for run in passed), ".0f"), span((run.seconds for run in passed), ".1f")
        ours += f" after {steps} steps, {seconds} s"
    scores = (
        f"best head {span(run.untrained for run in found)} untrained, {span(run.score for run in found)} at the end"
    )
    right = f"right {span(run.accuracy for run in found)}"
    what = f"{exam.model}: {exam.accuracy:.0%} right and a head of {exam.score:.2f}"
    return Row(what, ours, f"{scores}; {right}", goal=exam.goal)


def span(values: Iterable[float], digits: str = ".2f") -> str:
    """Return the smallest and the largest of some numbers."""
    found = list(values)
    low, high = format(min(found), digits), format(max(found), digits)
    return low if low == high else f"{low} to {high}"
