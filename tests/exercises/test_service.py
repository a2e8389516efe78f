"""The service: whatever is sent, a report comes back; nobody waits for ever, and no process is left behind."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from attention_core import multi_head_attention
from pages.exercises import mode, run
from pages.exercises.catalogue import EXERCISES
from pages.exercises.lessons.whole_layer import own_words
from pages.exercises.runner.service import PROBES, SERVICE, Service, is_held
from pages.exercises.runner.slots import ForkingSlot, Output, SpawningSlot
from pages.exercises.sandbox.lockdown import NOT_LOCKED
from pages.exercises.submission import run_on
from pages.practice.rate_limit import RateLimit

linux = pytest.mark.skipif(sys.platform != "linux", reason="asks the kernel")
ROOT = Path(__file__).parents[2]
ODD = str(Path(__file__).with_name("odd_worker.py"))
RIGHT = EXERCISES["softmax"].solution


def children(parent):
    """Return the processes that a process started, and those that they started."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == parent and fields[0] != "Z":
            child = int(status.parent.name)
            found += [child, *children(child)]
    return found


def gone(process, seconds=60.0):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if (Path("/proc") / str(process) / "stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.02)
    return False


@linux
def test_code_runs_here_under_lock():
    assert mode() == "locked"


@pytest.mark.parametrize(
    "source", [None, 5, b"def softmax(x): pass", ["a"], "\ud800", "\0", "", " " * 9000, "é" * 8000]
)
def test_anything_may_be_sent(source):
    assert run(source, "softmax").status in ("refused", "error")


def test_only_an_unknown_exercise_is_an_error():
    with pytest.raises(ValueError, match="no exercise 'nothing'; there are attention_weights"):
        run(RIGHT, "nothing")


def test_a_seed_repeats_the_tests_and_without_one_they_are_fresh():
    wrong = "def softmax(x): return x"
    first = run(wrong, "softmax", seed=5)
    again = run(wrong, "softmax", seed=5)
    said = [[test.problem for test in report.tests] for report in (first, again, run(wrong, "softmax"))]
    assert said[0] == said[1] != said[2]


def test_the_report_shows_what_is_to_be_drawn():
    passed = run(EXERCISES["multi_head"].solution, "multi_head")
    assert passed.failed is None
    assert len(passed.tests[0].second) == 3
    assert np.allclose(np.sum(passed.tests[0].second, axis=-1), 1)
    failed = run("def softmax(x):\n    e = np.exp(x)\n    return e / e.sum(-1, keepdims=True)", "softmax")
    assert failed.failed.case.name == "large numbers"
    assert [bool(test.problem) for test in failed.tests] == [False, False, False, False, True]
    assert failed.warnings == ((2, "overflow encountered in exp"), (3, "invalid value encountered in divide"))


def test_the_practice_exercise_runs_on_a_students_own_words():
    own = own_words(["the", "cat", "sat"], 8, 4, seed=3)
    report = run(EXERCISES["multi_head"].solution, "multi_head", own=own)
    assert report.status == "passed"
    assert report.tests[-1].case.name == own.name
    x, w_q, w_k, w_v, w_o, n_heads = own.arguments
    output, weights = multi_head_attention(x, w_q, w_k, w_v, w_o, n_heads)
    assert np.allclose(report.own.value, output)
    assert np.allclose(report.own.second, weights)
    alone = "def multi_head(X, W_Q, W_K, W_V, W_O, n_heads): return X @ W_O"
    assert run(alone, "multi_head", own=own).own.second is None
    assert run("def multi_head(*a): print(", "multi_head", own=own).own is None
    wide = own_words(["word"] * 12, 48, 4)  # more than a pipe holds at once
    assert run(EXERCISES["multi_head"].solution, "multi_head", own=wide).status == "passed"


def test_a_failed_test_says_where_and_by_how_much():
    test = run("def softmax(x):\n    return x * 0 + 0.25", "softmax").tests[0]
    assert test.numbers
    assert test.problem == (  # whole, as it is put together of parts
        "The shape is right, but the rows do not sum to 1. 6 of 6 cells differ. Row 0, column 0 (counted from 0): "
        "yours 0.25, expected 0.09003. Your rows sum to 0.75, 0.75."
    )


def test_prints_and_warnings_come_back_even_from_a_loop():
    report = run("def softmax(x):\n    print('here', x.shape)\n    while True: np.log(-1.0)", "softmax")
    assert (report.status, "(it was on line 3)" in report.message) == ("timeout", True)
    assert report.prints == "here (2, 3)\n"
    assert report.warnings == ((3, "invalid value encountered in log"),)


def test_what_is_printed_can_be_shown():
    report = run(r"def softmax(x): print('\ud800\x1b[31m é 字'); raise ValueError('\udcff\x07')", "softmax")
    report.prints.encode()
    report.message.encode()
    assert "é 字" in report.prints
    assert "\x1b" not in report.prints + report.message


@linux
def test_when_all_slots_are_taken_for_long_the_report_says_busy(monkeypatch):
    SERVICE.start()
    taken = [SERVICE.free.get(timeout=60) for _ in SERVICE.slots]
    monkeypatch.setattr("pages.exercises.runner.service.Service.ask.__defaults__", (0.01,))
    try:
        assert run(RIGHT, "softmax").status == "busy"
    finally:
        for slot in taken:
            SERVICE.free.put(slot)
    assert run(RIGHT, "softmax").status == "passed"


@linux
@pytest.mark.nightly
def test_runs_of_visits_in_which_one_did_not_end_leave_half_of_the_slots_to_the_others():
    assert SERVICE.start() == "locked"
    loop = "def softmax(x):\n    while True: pass"
    with ThreadPoolExecutor(20) as pool:
        more = range(len(SERVICE.slots) + 2)
        loops = [pool.submit(RateLimit(endless=True).run, loop, "softmax") for _ in more]
        while SERVICE.free.qsize() == len(SERVICE.slots):
            time.sleep(0.001)
        assert RateLimit().run(RIGHT, "softmax").status == "passed"
        assert not any(future.done() for future in loops)
        assert {future.result().status for future in loops} <= {"timeout", "stalled", "busy"}


@linux
def test_thirty_at_once_all_get_their_own_answer():
    sources = [RIGHT if i % 2 else f"def softmax(x): print('student {i}'); return x + {i}" for i in range(30)]
    with ThreadPoolExecutor(30) as pool:
        reports = list(pool.map(lambda source: run(source, "softmax", seed=1), sources))
    for i, report in enumerate(reports):
        assert report.status == ("passed" if i % 2 else "failed")
        assert ("student" in report.prints) == (not i % 2)
        assert i % 2 or set(report.prints.split("\n")) == {f"student {i}", ""}


@linux
@pytest.mark.parametrize("idle", [True, False])
def test_a_killed_worker_disturbs_nobody_else_and_is_replaced(idle):
    slot = ForkingSlot()
    service = Service([slot])
    assert service.start() == "locked"
    zygote = slot.process.pid
    while not (waiting := children(zygote)):
        time.sleep(0.01)
    worker = waiting[0]
    if idle:
        os.kill(worker, signal.SIGKILL)
        while not slot.disturbed():  # the zygote says so once it has seen it
            time.sleep(0.01)
    else:
        threading.Timer(0.1, os.kill, (worker, signal.SIGKILL)).start()
        assert run_on(service, "def softmax(x):\n    while True: pass", "softmax").status == "crashed"
    assert run_on(service, RIGHT, "softmax").status == "passed"
    os.kill(slot.process.pid, signal.SIGKILL)
    assert run_on(service, RIGHT, "softmax").status == "passed"
    assert slot.process.pid != zygote
    left = [slot.process.pid, *children(slot.process.pid)]
    service.close()
    assert all(gone(process) for process in left)


SERVER = """
import sys, threading, time
from pages.exercises import mode, run
assert mode() == "locked"
from pages.exercises.runner.service import SERVICE
for slot in SERVICE.slots:
    slot.wait_until_ready()
    print(slot.process.pid, flush=True)
if "busy" in sys.argv:
    loop = "def softmax(x):\\n    while True: pass"
    threading.Thread(target=lambda: [run(loop, "softmax") for _ in range(100)], daemon=True).start()
    time.sleep(0.2)
print("ready", flush=True)
time.sleep(60)
"""


@linux
@pytest.mark.parametrize("state", ["idle", "busy"])
def test_a_killed_server_leaves_no_process(state):
    server = subprocess.Popen([sys.executable, "-c", SERVER, state], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    with server:
        zygotes = [int(line) for line in iter(server.stdout.readline, "ready\n")]
        assert len(zygotes) >= 1
        end = time.monotonic() + 60
        while not all(map(children, zygotes)) and time.monotonic() < end:  # each forks a worker as soon as it can
            time.sleep(0.05)
        left = [*zygotes, *(child for zygote in zygotes for child in children(zygote))]
        server.kill()
    assert len(left) >= 2 * len(zygotes)
    assert all(gone(process) for process in left)


@linux
def test_the_worker_sees_nothing_of_the_server():
    slot = SERVICE.slots[0] if SERVICE.start() else None
    environment = (Path("/proc") / str(slot.process.pid) / "environ").read_bytes()
    names = {part.partition(b"=")[0].decode() for part in environment.split(b"\0") if part}
    assert names == {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "LC_ALL", "PATH"}
    held = [os.readlink(path) for path in Path(f"/proc/{slot.process.pid}/fd").iterdir()]
    opened = [name for name in held if ".so" not in name]  # Debian's libffi keeps its own file open
    assert len(opened) == 4  # requests, replies, nowhere, and how runs ended
    assert os.readlink(f"/proc/{slot.process.pid}/cwd") == "/"


class Loose:
    """A slot on a system where one attempt works, or nothing starts at all."""

    def __init__(self, works):
        self.works = works

    def launch(self):
        if self.works == "all":
            raise OSError("no processes here")

    def ask(self, request):
        raise AssertionError("no code may run here")

    def close(self):
        pass


@linux
@pytest.mark.parametrize("works", [*PROBES, "all"])
def test_where_one_limit_is_missing_no_code_runs(works, monkeypatch):
    monkeypatch.setattr("pages.exercises.runner.service.is_held", lambda slot, name: name != works)
    service = Service([Loose(works)])
    assert service.start() == "none"
    report = run_on(service, RIGHT, "softmax")
    assert report.status == "unavailable"
    assert "notebook" in report.message


@linux
@pytest.mark.parametrize(("machine", "warned"), [("x86", [2, 3]), ("arm", [3])])
def test_a_warning_of_a_product_is_not_shown_where_it_may_be_false(machine, warned):
    service = Service([ForkingSlot(ODD, machine)])
    try:
        found = run_on(
            service, "def softmax(x):\n    np.full(2, np.inf) @ np.array([1.0, -1])\n    return x / 0", "softmax"
        )
        assert sorted({line for line, _ in found.warnings}) == warned
    finally:
        service.slots[0].close()


@linux
@pytest.mark.parametrize("refused", ["prctl 1", "prctl 4", "prctl 22", "prctl 38", "limit AS", "limit NOFILE"])
def test_a_process_that_cannot_lock_itself_reads_no_text(refused):
    slot = ForkingSlot(ODD, refused)
    service = Service([slot])
    try:
        answer = slot.ask({"source": RIGHT, "entry": "softmax", "calls": []})
        assert (answer.data, answer.code) == (b"", NOT_LOCKED)
        service.mode, service.slots = "locked", [slot]  # as if it had begun well
        service.free.put(slot)
        assert run_on(service, RIGHT, "softmax").status == "unavailable"
        service.mode = None
        assert service.start() == "none"
    finally:
        slot.close()


@linux
def test_a_run_that_a_busy_machine_did_not_let_finish_gets_no_verdict():
    service = Service([ForkingSlot(ODD, "starved")])
    try:
        assert run_on(service, "def softmax(x):\n    while True: pass", "softmax").status == "stalled"
    finally:
        service.slots[0].close()


@linux
def test_the_weaker_way_must_be_asked_for_and_still_runs_the_first_layer(monkeypatch):
    monkeypatch.setattr("pages.exercises.runner.service.is_held", lambda slot, name: False)
    monkeypatch.setenv("EXERCISES_WITHOUT_LIMITS", "local")
    service = Service([Loose("")])
    assert service.start() == "local"
    assert run_on(service, RIGHT, "softmax").status == "passed"
    assert run_on(service, "def softmax(x): return open('/etc/passwd')", "softmax").status == "refused"
    assert run_on(service, "def softmax(x):\n    while True: pass", "softmax").status in ("timeout", "stalled")
    assert run_on(service, "def softmax(x):\n    return np.ones((10**5, 10**5))", "softmax").status == "memory"


@linux
def test_a_probe_that_works_or_that_nobody_answers_is_not_held():
    class Answering(ForkingSlot):
        def __init__(self, answer):
            super().__init__()
            self.answer = answer

        def ask(self, request):
            return self.answer

    line = json.dumps({"event": "probe", "worked": True}).encode() + b"\n"
    for answer in (Output(line, 0), Output(b"", 0), Output(b"", None), Output(b"", None, True), Output(b"", -11)):
        assert not is_held(Answering(answer), "file")


@linux
def test_a_new_process_for_every_run_gives_the_same():
    slot = SpawningSlot()
    service = Service()
    service.mode, service.slots = "local", [slot]
    service.free.put(slot)
    for name in ("softmax", "multi_head"):
        assert run_on(service, EXERCISES[name].solution, name).status == "passed"
    assert run_on(service, "def softmax(x): print('x' * 10**9)", "softmax").status in ("memory", "failed")
