"""What students of a class do, each at a pace of their own: they read, play, train, or run code."""

import asyncio
import random
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from statistics import quantiles

from websockets.exceptions import ConnectionClosed

from pages.exercises.catalogue import exercises_of
from tests.bench.app import Lesson
from tests.bench.visitor import Visitor

MEDIAN_PAUSE, SPREAD = 9.0, 0.5  # seconds; of the logarithm
HARSH_PAUSE = 2.0
TRAINING = "tiny_lm_ask=no&tiny_lm_step=train&tiny_lm_learn=letters+and+digits&tiny_lm_steps=2000"
TICK = 0.5  # seconds after which the browser asks how a run stands
CODE_PAUSE = 20.0  # seconds in which a program is changed a little
WRONG = 3  # every third program has a mistake
OWN = ("step", "number", "click", "choice", "answer", "page")  # what all students do


@dataclass
class Work(Lesson):
    """What happened while a class worked, by what was done."""

    took: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    @property
    def answers(self) -> list[float]:
        """How long every answer took to what all students do."""
        return [seconds for kind in OWN for seconds in self.took[kind]]

    @property
    def last(self) -> float:
        """Within how many seconds 95 of 100 answers came."""
        return quantiles(self.answers, n=20, method="inclusive")[-1]

    def add(self, part: "Work") -> None:
        """Count in what happened in another part of the same lesson."""
        for kind, found in part.took.items():
            self.took[kind] += found
        for clock in ("seconds", "server_cpu", "students_cpu", "other_cpu"):
            setattr(self, clock, getattr(self, clock) + getattr(part, clock))
        self.errors += part.errors


Doing = Callable[[Work, float], Awaitable[None]]


async def work(done: Work, seconds: float, doing: list[Doing]) -> None:
    """Let everybody do what they do until the time is over."""
    end = time.perf_counter() + seconds
    await asyncio.gather(*(faults(done, one(done, end)) for one in doing))


async def faults(done: Work, doing: Awaitable[object]) -> None:
    """Note what broke a student off."""
    try:
        await doing
    except (OSError, ConnectionClosed) as error:  # a run that takes too long is an OSError too
        done.errors.append(f"{type(error).__name__}: {error}")


def reading(chance: random.Random) -> float:
    """Return how long a student looks before the next action."""
    return chance.lognormvariate(0, SPREAD) * MEDIAN_PAUSE


def playing(chance: random.Random) -> float:
    """Return how long a student waits who only plays."""
    return chance.uniform(0.75, 1.25) * HARSH_PAUSE


def reader(student: Visitor, pause: Callable[[random.Random], float]) -> Doing:
    """Return a student who works through lessons; the first pause is cut somewhere."""

    async def doing(done: Work, end: float) -> None:
        due = time.perf_counter() + student.random.random() * pause(student.random)
        while due < end:
            await asyncio.sleep(due - time.perf_counter())
            kind, seconds = await student.act()
            done.took[kind].append(seconds)
            due = max(due, time.perf_counter()) + pause(student.random)

    return doing


def trainer(student: Visitor) -> Doing:
    """Return a student who trains a model, stays to watch, and then trains the next."""

    async def doing(done: Work, end: float) -> None:
        while time.perf_counter() < end:
            if student.fragments:
                await asyncio.sleep(TICK)
                done.took["watch"].append(await student.watch())
            elif "tiny_lm_train" in student.buttons:
                done.took["train"].append(await student.press("tiny_lm_train"))
            else:
                await asyncio.sleep(TICK)
                await student.run()

    return doing


async def stop(student: Visitor) -> None:
    """End the run of a student, if there is one."""
    if "tiny_lm_stop" in student.buttons:
        await student.press("tiny_lm_stop")
    student.fragments.clear()


def coder(student: Visitor, pause: float = CODE_PAUSE) -> Doing:
    """Return a student who solves the first exercise of a lesson again and again, with a mistake now and then."""
    exercise = exercises_of(student.page)[0]
    right = exercise.solution
    wrong = right.rpartition("return ")[0] + "return None"
    student.link = f"{student.page}_exercise={exercise.id}"

    async def doing(done: Work, end: float) -> None:
        await student.run()
        due, tries = time.perf_counter() + student.random.random() * pause, 0
        while due < end:
            await asyncio.sleep(due - time.perf_counter())
            tries += 1
            text = wrong if tries % WRONG == 0 else right
            done.took["code"].append(await student.write(text))
            if student.passed != (text is right):
                done.errors.append(f"{exercise.id}: a program {'failed' if text is right else 'passed'}")
            due = max(due, time.perf_counter()) + student.random.uniform(0.75, 1.25) * pause

    return doing
