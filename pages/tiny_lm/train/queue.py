"""The queue of training runs: two threads take the first, and none keeps the others waiting for longer than a turn."""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable

from pages.server.shares import Shares
from pages.server.streamlit_private import is_open
from pages.server.worker_process import Worker, with_process
from pages.tiny_lm.train.job import End, Job

TURN = 3.0  # seconds after which a run goes to the end of the queue if others wait
AWAY = 45.0  # seconds that a run goes on after its session has gone: a connection may come back


class Queue:
    """Runs in the order in which they came. The lock is held wherever the state of one becomes another."""

    def __init__(
        self, n_workers: int, present: Callable[[str], bool], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.n_workers, self.present, self.clock = n_workers, present, clock
        self.shares = Shares(clock)  # its own: a run of minutes is no reason to wait for a program
        self.lock = threading.Lock()
        self.waiting: deque[Job] = deque()
        self.n_busy = 0
        self.pace = 1.0  # how many times longer than expected the last runs took here

    def start(self, job: Job) -> None:
        """Let a run wait for a worker: a new one, or one that was paused."""
        with self.lock:
            job.seen = self.clock()
            if job.state == "running" and not job.end:  # it was to pause, and had not left yet
                job.leave.clear()
            elif job.state in ("waiting", "paused") and job not in self.waiting:
                job.state = "waiting"
                self.waiting.append(job)
                if self.n_busy < self.n_workers:
                    threading.Thread(target=with_process, args=(self.work,), name="training", daemon=True).start()
                    self.n_busy += 1

    def pause(self, job: Job) -> None:
        """Have a run leave its worker, or the queue, until it is started again."""
        with self.lock:
            if job in self.waiting:
                self.waiting.remove(job)
                job.state = "paused"
            elif job.state == "running":
                job.leave.set()

    def stop(self, job: Job) -> None:
        """End a run; what it has learned so far stays."""
        with self.lock:
            if job in self.waiting:
                self.waiting.remove(job)
            elif job.state == "running":
                job.end = "stopped"
                job.leave.set()
                return
            if job.state != "done":
                self.finish(job, "stopped")

    def finish(self, job: Job, end: End) -> None:
        """Note how a run has ended, and let go of what only further steps would need."""
        if end == "stopped":
            job.keep()
        if end == "finished":
            self.pace = (self.pace + job.worked / job.expected) / 2
        job.state, job.end, job.trained = "done", end, None

    def number(self, job: Job) -> int:
        """Return the number of a run in the queue: 1 if its turn is next, or now."""
        with self.lock:
            return self.in_order().index(job) + 1 if job in self.waiting else 1

    def in_order(self) -> list[Job]:
        """Return those that wait, whose visitor has used least first."""
        shares = self.shares.order([job.who for job in self.waiting])
        return [job for _, job in sorted(zip(shares, self.waiting, strict=True), key=lambda pair: pair[0])]

    def is_left(self, job: Job) -> bool:
        """Return whether the session of a run has been gone for a while."""
        now = self.clock()
        if self.present(job.who.tab):
            job.seen = now
        return now - job.seen > AWAY

    def work(self, process: Worker | None = None) -> None:
        """Give runs their turns until none waits."""
        while True:
            with self.lock:
                if not self.waiting:
                    self.n_busy -= 1
                    return
                job = self.in_order()[0]
                self.waiting.remove(job)
                job.state = "running"
            self.give_turn(job, process)

    def give_turn(self, job: Job, process: Worker | None) -> None:
        """Let a run take steps until it leaves, or others have waited for a turn."""
        began = self.clock()

        def goes_on() -> bool:
            turn_is_over = self.waiting and self.clock() - began >= TURN
            return not (turn_is_over or job.leave.is_set() or self.is_left(job))

        end: End | None = "failed"  # the run is lost, the queue is not
        with self.shares.charged(job.who, "a training"):
            try:
                end = job.work(goes_on, process)
            except Exception:
                logging.getLogger(__name__).exception("a training run failed")
        with self.lock:
            if end := end or job.end or ("stopped" if self.is_left(job) else None):
                self.finish(job, end)
            elif job.leave.is_set():
                job.state = "paused"
            else:
                job.state = "waiting" if self.waiting else "running"  # its next turn comes at once
                self.waiting.append(job)
            job.leave.clear()


QUEUE = Queue(2, is_open)
