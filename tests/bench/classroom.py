"""A class at work: 100 students on all lessons, each doing what students do; two of them train, five run code.

`python -m tests.bench class` starts the real server. `--quick` takes a tenth of the students and a third of the time.

Between two actions a student reads and looks: 5 to 15 seconds, and a while longer now and then. So pauses are drawn
from a lognormal distribution with a median of 9 s. Reading alone, and reading beside runs, programs and a teacher's
check of 300 hand-ins, are measured in turns, so that what else the machine does meets both alike: their ratio counts.

`python -m tests.bench class_room` has 300 students send an answer within 10 seconds, each a tab without its browser.
"""

import asyncio
import io
import json
import random
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from urllib.request import Request, urlopen
from zipfile import ZipFile

from streamlit.proto.Common_pb2 import FileUploaderState, UploadedFileInfo
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.exceptions import ConnectionClosed

from pages.class_room.room import ASK, NOW, Poll, Tries, counted, n_here, open_class
from pages.class_room.sqlite_store import SqliteStore
from pages.exercises.catalogue import exercises_of
from pages.links.course import LESSONS
from pages.practice.hand_in import written
from tests.bench.client import Student
from tests.bench.server import Server
from tests.bench.table import Row, milliseconds
from tests.bench.timing import Effort

MEDIAN_PAUSE, SPREAD = 9.0, 0.5  # seconds; of the logarithm
TRAINING = "tiny_lm_ask=no&tiny_lm_step=train&tiny_lm_learn=Copy+task&tiny_lm_sizes=true&tiny_lm_steps=2000"
HAND_INS, FILE, FORM = 300, "hand-ins.zip", "multipart/form-data; boundary=x"
XSRF = "_streamlit_xsrf=2|00000000|00|1"  # whatever stands there, a header says it too
TICK, CODE_PAUSE = 0.8, 20.0  # seconds until the browser asks how a run stands, and until a program is changed


class Scale(NamedTuple):
    """How many students work, and for how long."""

    students: int = 100
    training: int = 2
    coding: int = 5
    turns: int = 3  # of reading alone, and of reading with runs and programs
    seconds: float = 25.0  # of each


@dataclass
class Work:
    """What happened while a class worked."""

    answers: list[float] = field(default_factory=list)  # seconds, of what all students do
    programs: list[float] = field(default_factory=list)
    seconds: float = 0.0
    cpu: float = 0.0  # of the server
    errors: list[str] = field(default_factory=list)

    @property
    def last(self) -> float:
        """Within how many seconds 95 of 100 answers came."""
        return quantiles(self.answers, n=20, method="inclusive")[-1]


Doing = Callable[[Work, float], Awaitable[None]]


def rows(effort: Effort) -> Iterator[Row]:
    """Let a class open its pages, read and work, alone and beside runs and programs."""
    scale = Scale(10, 1, 1, 2, 10.0) if effort.quick else Scale()
    with Server() as server:
        yield from asyncio.run(hold_class(server, scale))


async def hold_class(server: Server, scale: Scale) -> list[Row]:
    lessons = [lesson.name for lesson in LESSONS]
    for page in ("", *lessons):  # what the first of all brings along belongs to no session
        async with Student(server.port, page, "", 0) as student:
            await student.run()
    before = server.memory()
    n_walking = scale.students - scale.training - scale.coding
    async with AsyncExitStack() as stack:
        everybody: list[Student] = []
        for seed in range(scale.students):
            page = lessons[seed % len(lessons)]
            link = f"{page}_ask=no"
            if seed >= n_walking + scale.training:
                link = f"{page}_exercise={exercises_of(page)[0].id}"
            elif seed >= n_walking:
                page, link = "tiny_lm", TRAINING
            everybody.append(await stack.enter_async_context(Student(server.port, page, link, seed)))
        checking = await stack.enter_async_context(Checker(server.port, "teach"))
        await checking.bring(hand_ins())
        walking, training = everybody[:n_walking], everybody[n_walking : n_walking + scale.training]
        start = time.perf_counter()
        await asyncio.gather(*(student.run() for student in everybody))
        opened = time.perf_counter() - start
        alone, beside = Work(), Work()
        for _ in range(scale.turns):
            doing = [reader(student) for student in walking]
            await work(server, alone, scale.seconds, doing)
            doing += [trainer(student) for student in training]
            doing += [coder(student) for student in everybody[n_walking + scale.training :]] + [checker(checking)]
            await work(server, beside, scale.seconds, doing)
            for student in training:
                if "tiny_lm_stop" in student.buttons:
                    await student.press("tiny_lm_stop")
                student.fragments.clear()
        memory = (server.memory() - before) / scale.students
        errors = alone.errors + beside.errors + [error for tab in (*everybody, checking) for error in tab.errors]
    class_of = f"{n_walking} students in all lessons"
    mixed = f"{class_of}, {scale.training} more training, {scale.coding} running code, one check of {HAND_INS} hand-ins"
    ratio = f"{beside.last / alone.last:.2f}"
    return [
        Row(f"{scale.students} students: all have opened a lesson", milliseconds(opened)),
        answer_row(f"{class_of}, reading", alone),
        answer_row(mixed, beside),
        Row("95 % within", milliseconds(beside.last), milliseconds(alone.last), ratio),
        Row("a program run on its tests", milliseconds(median(beside.programs)) if beside.programs else "none"),
        Row("of the check, in the last turn", checking.told),
        Row("memory for each session", f"{memory:.2f} MiB"),
        Row("the class: errors", f"{len(errors)}: {errors[0]}" if errors else "none"),
    ]


def answer_row(what: str, work: Work) -> Row:
    """Return how long the answers took, and what they cost."""
    told = f"{milliseconds(median(work.answers))}, 95 % within {milliseconds(work.last)}"
    rate = f"{len(work.answers) / work.seconds:.1f} a second, {milliseconds(work.cpu / len(work.answers))} of processor"
    return Row(f"{what}: an answer", f"{told}; {rate}")


async def work(server: Server, done: Work, seconds: float, doing: list[Doing]) -> None:
    """Let everybody do what they do until the time is over."""
    start, busy = time.perf_counter(), server.cpu_seconds()

    async def noted(one: Doing) -> None:
        try:
            await one(done, start + seconds)
        except (OSError, ConnectionClosed) as error:  # a run that takes too long is an OSError too
            done.errors.append(f"{type(error).__name__}: {error}")

    await asyncio.gather(*(noted(one) for one in doing))
    done.seconds += time.perf_counter() - start
    done.cpu += server.cpu_seconds() - busy


def reader(student: Student) -> Doing:
    """Return a student who works through lessons; the first pause is cut somewhere."""

    def pause(chance: random.Random) -> float:
        return chance.lognormvariate(0, SPREAD) * MEDIAN_PAUSE

    async def doing(done: Work, end: float) -> None:
        due = time.perf_counter() + student.random.random() * pause(student.random)
        while due < end:
            await asyncio.sleep(due - time.perf_counter())
            done.answers.append(await student.act())
            due = max(due, time.perf_counter()) + pause(student.random)

    return doing


def trainer(student: Student) -> Doing:
    """Return a student who trains a model, stays to watch, and then trains the next."""

    async def doing(done: Work, end: float) -> None:
        while time.perf_counter() < end:
            await asyncio.sleep(TICK)
            if student.fragments:
                await student.watch()
            elif "tiny_lm_train" in student.buttons:
                await student.press("tiny_lm_train")
            else:
                await student.run()

    return doing


def coder(student: Student) -> Doing:
    """Return a student who solves the first exercise of a lesson again and again."""
    exercise = exercises_of(student.page)[0]

    async def doing(done: Work, end: float) -> None:
        await student.run()
        due = time.perf_counter() + student.random.random() * CODE_PAUSE / 2
        while due < end:
            await asyncio.sleep(due - time.perf_counter())
            done.programs.append(await student.write(exercise.solution))
            if not student.passed:
                done.errors.append(f"{exercise.id}: a right program failed")
            due = max(due, time.perf_counter()) + student.random.uniform(0.75, 1.25) * CODE_PAUSE

    return doing


class Checker(Student):
    """A teacher who has hand-ins checked."""

    def _see(self, element: Element) -> None:
        super()._see(element)
        if element.WhichOneof("type") == "file_uploader":
            self.uploader = element.file_uploader.id
        elif element.WhichOneof("type") == "progress":
            self.told = element.progress.text or self.told

    async def bring(self, archive: bytes) -> None:
        self.told = "nothing"
        await self.run()
        await self.open(self.expanders["teach_closer_Check hand-ins"])
        url = f"http://127.0.0.1:{self.port}/_stcore/upload_file/{self.session}/{FILE}"
        content = f'--x\r\nContent-Disposition: form-data; name="f"; filename="{FILE}"\r\n\r\n'.encode() + archive
        headers = {"Content-Type": FORM, "Cookie": XSRF, "X-Xsrftoken": XSRF.partition("=")[2]}
        request = Request(url, content + b"\r\n--x--\r\n", headers, method="PUT")
        (await asyncio.to_thread(urlopen, request)).close()
        state = FileUploaderState(uploaded_file_info=[UploadedFileInfo(file_id=FILE, name=FILE, size=len(archive))])
        self._chosen[self.uploader] = WidgetState(id=self.uploader, file_uploader_state_value=state)
        await self.run(by=self.uploader)


def hand_ins() -> bytes:
    """Return an archive of files with the first program of each lesson."""
    programs = {one.id: one.solution for lesson in LESSONS for one in exercises_of(lesson.name)[:1]}
    text = written({"programs": programs, "points": {}, "answers": {}, "seeds": {}})
    with ZipFile(made := io.BytesIO(), "w") as archive:
        for i in range(HAND_INS):
            archive.writestr(f"{i}.json", text)
    return made.getvalue()


def checker(teacher: Checker) -> Doing:
    """Return a teacher who has all checked, which takes longer than a turn, and ends it with the turn."""

    async def doing(_: Work, end: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(end - time.perf_counter()):
                await teacher.press("home_check")
        await teacher.run()

    return doing


SECONDS = 10.0  # in which all vote
PLACE = "qkv_ratio"


class Voter(Student):
    """A student before a question of a class."""

    def _see(self, element: Element) -> None:
        super()._see(element)
        if element.WhichOneof("type") == "radio":
            self.radio: Any = element.radio

    async def vote(self) -> float:
        option = self.random.choice(list(self.radio.options))
        send = [name for key, name in self.buttons.items() if f"{PLACE}_ballot" in key][-1]
        self._chosen[self.radio.id] = WidgetState(id=self.radio.id, string_value=option)
        return await self.run(WidgetState(id=send, trigger_value=True), by=send)


def vote_rows(effort: Effort) -> Iterator[Row]:
    """Hold one vote, and count what the store has of it."""
    n_students = 30 if effort.quick else 300
    with TemporaryDirectory() as folder:
        store = SqliteStore(Path(folder) / "classes.sqlite")
        with Server(CLASS_STORE=str(store.path)) as server:
            word, _ = open_class(store, Tries(1))
            store.put(word, NOW, ASK + PLACE, Poll("", 0).text)
            took, (vote, act, second), errors = asyncio.run(hold_vote(server, word, n_students))
            votes = store.read(word, f"vote:1:{PLACE}").values()
            mark = json.loads(next(iter(votes)))[0]
            start = time.perf_counter()
            found = counted(store.read(word, f"vote:1:{PLACE}").values(), mark, lambda given: given).given
            n_here(store, word)
            poll = time.perf_counter() - start
    yield Row(f"{n_students} students vote within {SECONDS:.0f} s: votes kept", str(len(found)))
    yield Row("a vote is answered", milliseconds(median(took)))
    yield Row("95 % of votes are answered within", milliseconds(quantiles(took, n=20)[-1]))
    yield Row("processor for a vote; for any other act", f"{milliseconds(vote)}; {milliseconds(act)}")
    share = second / (n_students * act / 9)  # of what students take who do something every 9 seconds
    yield Row("processor of a second in which all only look ÷ at work", f"{share:.1%}")
    yield Row("the teacher’s page counts the class", milliseconds(poll))
    yield Row("the class: errors", f"{len(errors)}: {errors[0]}" if errors else "none")


async def hold_vote(server: Server, word: str, n_students: int) -> tuple[list[float], list[float], list[str]]:
    """Let all open the question, and then vote; return the seconds of votes and of the processor, and what failed."""
    link = f"qkv_step=softmax&class={word}"

    async def student(voter: Voter, end: float) -> float:
        await asyncio.sleep(end - SECONDS * voter.random.random() - time.perf_counter())
        return await voter.vote()

    async with AsyncExitStack() as stack:
        voters = [await stack.enter_async_context(Voter(server.port, "qkv", link, i)) for i in range(n_students)]
        for voter in voters:
            await voter.run()
        end = time.perf_counter() + SECONDS
        took = await asyncio.gather(*(student(voter, end) for voter in voters))
        costs = []
        for act in (Voter.vote, Voter.act, lambda _: asyncio.sleep(1)):
            start = server.cpu_seconds()
            for voter in voters[:20]:
                await act(voter)
            costs.append((server.cpu_seconds() - start) / 20)
        return list(took), costs, [error for voter in voters for error in voter.errors]
