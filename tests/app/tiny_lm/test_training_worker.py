"""Training in a process of its own: the same numbers as here, whatever becomes of the process."""

import io
import math
import os
import signal
import sys
import threading

import numpy as np
import pytest

from attention_core.shipped import runs
from attention_core.shipped.plans import PRONOUN
from attention_core.text.corpora import own_text, source_of
from pages.server import training_worker, worker_process
from pages.server.messages import Gone, receive, send
from pages.server.training_worker import begin, origin_of, state_of
from pages.server.worker_process import NICE, Worker
from pages.tiny_lm.train.form import USUAL_TEXT
from pages.tiny_lm.train.job import Job
from pages.tiny_lm.train.queue import Queue
from tests.app.tiny_lm.runs import SMALL, SOURCE

TYPED = own_text(USUAL_TEXT, "character")
KINDS = ("built in", "typed")


def source_named(kind):
    """Return a source; other tests may forget those that are built in."""
    return TYPED if kind == "typed" else source_of("pronoun")


def plan_for(source, steps=150):
    config = PRONOUN.plan.config
    sizes = {"vocab_size": len(source.vocabulary), "d_model": 8, "max_len": 17}
    return SMALL._replace(config=type(config)(**{**vars(config), **sizes}), steps=steps)


def told(plan):
    return plan._asdict() | {"config": vars(plan.config)}


def here(source, steps=150):
    job = Job(plan_for(source, steps), source)
    assert job.work(lambda: True) == "finished"
    return job


def assert_same(job, other):
    assert job.records == other.records
    assert [moment.step for moment in job.moments] == [moment.step for moment in other.moments]
    for moment, same in zip(job.moments, other.moments, strict=True):
        np.testing.assert_array_equal(moment.model.flat, same.model.flat)


@pytest.fixture(scope="module")
def kept():
    found = [Worker()]
    yield found
    found[0].close()


@pytest.fixture
def process(kept):
    """A process that works, as it does from test to test until one of them breaks it."""
    if kept[0].failed:
        kept[0] = Worker()
    return kept[0]


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_gives_the_same_numbers_there_turn_by_turn(process, kind):
    source = source_named(kind)
    job, steps = Job(plan_for(source), source), []
    for until in (20, 70, 10_000):  # steps, at the first answer after which a turn ends
        steps.append(job.step)
        job.work(lambda until=until: job.step < until, process)
    assert process.process is not None
    assert 0 < steps[1] < steps[2] < job.step == 150
    assert_same(job, here(source))


@pytest.mark.parametrize("step", [0, 1, 40])
def test_a_run_goes_on_here_when_the_process_dies(process, step):
    source = source_of("pronoun")
    job = Job(plan_for(source), source)

    def may_go_on():
        if job.step >= step and process.process:
            process.process.kill()
        return True

    process.call(os.getpid)
    assert job.work(may_go_on, process) == "finished"
    assert process.process is None
    assert_same(job, here(source))


def test_a_source_that_only_this_process_has_is_learned_here():
    process = Worker()
    assert origin_of(SOURCE) is None
    job = Job(plan_for(SOURCE), SOURCE)
    job.work(lambda: True, process)
    assert process.process is None
    assert job.step == 150


def test_a_text_that_is_read_otherwise_there_is_learned_here(process):
    source = TYPED._replace(text=TYPED.text.replace("w", "x"))
    job = Job(plan_for(source), source)
    assert job.work(lambda: True, process) == "finished"
    assert_same(job, here(source))
    run = runs.start_training(plan_for(source), source)
    with pytest.raises(Gone, match="another"):
        begin(told(job.plan), origin_of(source), source.vocabulary.tokens, *state_of(run.model, run.optimizer))


def test_what_is_raised_there_is_raised_here(process):
    with pytest.raises(RuntimeError, match="ValueError: invalid literal"):
        process.call(int, "no number")
    assert process.call(int, "3") == 3


def test_it_is_another_process_that_pages_go_before(process):
    assert process.call(os.getpid) == process.process.pid != os.getpid()
    if sys.platform == "linux":
        assert os.getpriority(os.PRIO_PROCESS, process.process.pid) == min(
            19, os.getpriority(os.PRIO_PROCESS, 0) + NICE
        )


def test_it_ends_with_the_work_and_with_the_server():
    with Worker() as process:
        process.call(os.getpid)
        child = process.process
        child.stdin.close()  # as when the server ends
        assert child.wait(60) == 0
    source = source_named("built in")
    job = Job(plan_for(source, 40), source)
    Queue(1, lambda owner: True).start(job)
    for thread in threading.enumerate():
        if thread.name == "training":
            thread.join(60)
    assert_same(job, here(source, 40))


def test_where_no_process_can_be_started_the_work_is_done_here(monkeypatch):
    def refused(*_, **__):
        raise OSError("no more processes")

    monkeypatch.setattr(worker_process.subprocess, "Popen", refused)
    source = source_of("pronoun")
    job = Job(plan_for(source), source)
    assert job.work(lambda: True, Worker()) == "finished"
    assert_same(job, here(source))


def test_an_answer_comes_soon(monkeypatch):
    monkeypatch.setattr(training_worker, "turn", [])
    source = source_of("pronoun")
    plan, run = plan_for(source), runs.start_training(plan_for(source), source)
    begin(told(plan), origin_of(source), source.vocabulary.tokens, *state_of(run.model, run.optimizer))
    assert len(training_worker.take([], 0.0)[0]) == 1
    steps, tested, step, *_ = training_worker.take([], 1e9)
    assert (steps[-1].step, step, tested is None) == (2, 2, False)


def print_before(number):
    """Return a number, after something native has printed where the standard output is."""
    os.write(1, b"0123456789\n")
    return number


def stop():
    os.kill(os.getpid(), signal.SIGSTOP)


def test_what_is_printed_there_is_no_answer_and_no_caller_gets_that_of_another(process):
    for number in range(5):
        assert process.call(print_before, number) == number
        assert process.call(math.gcd, 12 * number, 18 * number) == 6 * number


def test_an_answer_to_another_call_is_none(process):
    process.call(os.getpid)
    send(process.process.stdin, [99, math.gcd.__module__, math.gcd.__name__, [12, 18]])
    with pytest.raises(Gone):
        process.call(math.gcd, 35, 14)
    assert process.process is None


@pytest.mark.parametrize("answer", [b"0123456789\n", b"", bytes(8), (4).to_bytes(8, "big") + b"null", b"\xff" * 20])
def test_a_process_that_answers_nonsense_is_ended(process, answer):
    process.call(os.getpid)
    child = process.process
    with os.fdopen(os.dup(child.stdout.fileno()), "rb"):  # its own answers go on to come there
        child.stdout.close()
        reading, writing = os.pipe()
        os.write(writing, answer)
        os.close(writing)
        child.stdout = os.fdopen(reading, "rb")
        with pytest.raises(Gone):
            process.call(math.gcd, 12, 18)
    assert process.process is None
    assert child.poll() is not None


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="POSIX")
@pytest.mark.parametrize("before", [False, True])
def test_a_process_that_stands_still_is_ended_at_the_deadline(process, before):
    process.call(os.getpid)
    child, process.deadline = process.process, 0.3
    rescue = threading.Timer(30, child.kill)  # without a deadline there would be no end
    rescue.start()
    if before:  # then more is sent than the pipe takes
        os.kill(child.pid, signal.SIGSTOP)
    with pytest.raises(Gone):
        process.call(*((np.sum, np.zeros(10**6)) if before else (stop,)))
    assert rescue.is_alive()
    rescue.cancel()
    assert child.poll() is not None
    assert process.process is None


@pytest.mark.parametrize("problem", [KeyboardInterrupt, ValueError, RecursionError])
def test_after_whatever_breaks_off_a_call_the_process_is_not_asked_again(process, monkeypatch, problem):
    process.call(os.getpid)

    def broken(*_):
        raise problem

    monkeypatch.setattr(worker_process, "receive", broken)
    with pytest.raises((Gone, problem)):
        process.call(math.gcd, 12, 18)
    assert process.process is None


def test_a_message_comes_as_it_was_sent_and_is_nothing_but_numbers_texts_and_lists():
    stream = io.BytesIO()
    arrays = [np.arange(6, dtype=np.float32).reshape(2, 3).T, np.array([]), np.array(3.5)]
    send(stream, {"a": [1, 0.1, None, "ü", float("inf")], "arrays": arrays})
    stream.seek(0)
    found = receive(stream)
    assert found["a"] == [1, 0.1, None, "ü", float("inf")]
    for array, same in zip(arrays, found["arrays"], strict=True):
        np.testing.assert_array_equal(array, same, strict=True)
    with pytest.raises(EOFError):
        receive(stream)
    for refused in (object(), np.array([object()])):
        with pytest.raises((TypeError, ValueError)):
            send(io.BytesIO(), [refused])


def want_memory():
    raise MemoryError("Unable to allocate 108. MiB")


def want_a_thread():
    raise RuntimeError("can't start new thread")


@pytest.mark.parametrize("want", [want_memory, want_a_thread])
def test_a_process_without_memory_is_gone_and_no_fault_of_what_it_read(want):
    with Worker() as process, pytest.raises(Gone):
        process.call(want)
