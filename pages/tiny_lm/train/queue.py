"""The scheduler of training runs: they wait in a queue and take turns on a few threads, so that lessons stay quick."""

import logging
import math
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from weakref import WeakSet, WeakValueDictionary

from pages.server.apart import Apart, with_process
from pages.tiny_lm.train.job import Job, State
from pages.tiny_lm.train.memory import Holder, evict
from pages.tiny_lm.train.turns import SHORT_TURN, turn_order, turn_seconds

ALONE = 45.0  # seconds that a run goes on after its tab was closed: enough to load the page anew
MOMENT = 0.25  # seconds that one look works on the queue where no thread can be started, as in a browser
LONGEST_QUEUE = 300  # runs that wait; a tab has one at most
LEARNED_FROM = 20  # steps: fewer say little about the pace


class Scheduler:
    """At most so many runs at once; while others wait, a run gives up its place after a turn."""

    def __init__(
        self,
        n_places: int,
        present: Callable[[str], bool] = lambda owner: False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.n_places, self.present, self.clock = n_places, present, clock
        self.lock = threading.Lock()
        self.queue: deque[Job] = deque()
        self.n_threads = 0
        self.new_is_next = True
        self.jobs: WeakValueDictionary[str, Job] = WeakValueDictionary()  # by token; sessions and the queue hold them
        self.holders: WeakSet[Holder] = WeakSet()  # whatever a session still holds, also after its tab was closed
        self.pace = 1.0  # how many times longer than expected the last runs took here

    def start(self, job: Job) -> bool:
        """Queue a run, in place of any other of its tab; return whether there was room."""
        with self.lock:
            self.tidy()
            for other in list(self.jobs.values()):
                if other.owner == job.owner != "":
                    self.halt(other)
                    del self.jobs[other.token]
            if len(self.queue) >= LONGEST_QUEUE:
                return False
            job.since = job.seen = self.clock()
            self.jobs[job.token] = job
            self.holders.add(job)
            self.enqueue(job)
        return True

    def enqueue(self, job: Job) -> None:
        """Put a run at the end of the queue."""
        job.wish, job.state = "go on", "waiting"
        self.queue.append(job)
        self.wake()

    def wake(self) -> None:
        """Start a thread if a run can have a turn and a place is free."""
        if self.n_threads < self.n_places and self.order()[0]:
            with suppress(RuntimeError):  # no thread can be had
                threading.Thread(target=with_process, args=(self.serve,), name="training", daemon=True).start()
                self.n_threads += 1

    def pause(self, job: Job) -> None:
        """Have a run leave its place, or the queue, until it is resumed."""
        with self.lock:
            if job in self.queue:
                self.queue.remove(job)
                self.rest(job, "paused")
            elif job.state == "working":
                job.wish = "pause"

    def resume(self, job: Job) -> None:
        """Put a paused run back into the queue."""
        with self.lock:
            if job.state == "paused":
                self.enqueue(job)
            elif job.state == "working" and job.wish == "pause":  # it had not left yet
                job.wish = "go on"

    def stop(self, job: Job) -> None:
        """End a run; what it has learned so far stays."""
        with self.lock:
            self.halt(job)

    def halt(self, job: Job) -> None:
        """End a run, or have its turn end it."""
        if job in self.queue:
            self.queue.remove(job)
        elif job.state == "working":
            job.wish = "stop"
            return
        if not job.ended:
            job.keep()
            self.rest(job, "stopped")

    def order(self) -> tuple[list[Job], list[Job]]:
        """Return the queue in the order of its turns, and those that cannot begin yet for lack of memory."""
        return turn_order(self.queue, self.holders, self.new_is_next)

    def place(self, job: Job) -> int:
        """Return how many runs have their turns before this one; 0 where it is its turn."""
        with self.lock:
            ready, blocked = self.order()
            queue = ready + blocked
            return queue.index(job) if job in queue else 0

    def lacks_room(self, job: Job) -> bool:
        """Return whether a run waits for memory, until one of its size has ended."""
        with self.lock:
            return job in self.order()[1]

    def others_wait(self, job: Job) -> bool:
        """Return whether a run beside this one waits for its turn."""
        with self.lock:
            return any(other is not job for other in self.order()[0])

    def turn(self, is_first: bool) -> float:
        """Return the seconds of a turn, the first of a run or a later one: the fewer, the more runs wait."""
        with self.lock:
            return turn_seconds(self.order()[0] if self.queue else [], is_first)

    def see(self, job: Job) -> None:
        """Note that a page shows a run; where no thread works on the queue, do it for a moment."""
        job.seen = self.clock()
        if self.claim_place():
            self.serve(seconds=MOMENT)

    def claim_place(self) -> bool:
        """If runs wait and no thread works on them, count the caller as one; return whether it is."""
        with self.lock:
            if not self.queue or self.n_threads:
                return False
            self.n_threads += 1
            return True

    def clear_up(self) -> None:
        """End the runs of closed tabs; any page may ask for it."""
        with self.lock:
            self.tidy()

    def found(self, token: str, owner: str) -> Job | None:
        """Return the run of a token, now that of another tab, if the tab that had it is closed."""
        with self.lock:
            self.tidy()
            job = self.jobs.get(token)
            if job is None or (job.owner != owner and self.present(job.owner)):
                return None
            job.owner, job.seen = owner, self.clock()
            return job

    def alone(self, job: Job) -> bool:
        """Return whether the tab of a run has been closed for a while."""
        now = self.clock()
        if self.present(job.owner):
            job.seen = now
        return now - job.seen > ALONE

    def tidy(self) -> None:
        """End and forget the runs of closed tabs; one that has its turn is ended by it."""
        for token, job in list(self.jobs.items()):
            if self.alone(job):
                queued = job in self.queue
                if queued:
                    self.queue.remove(job)
                if queued or job.state == "paused":
                    self.rest(job, "left")
                del self.jobs[token]

    def serve(self, apart: Apart | None = None, seconds: float = math.inf) -> None:
        """Give the runs in the queue their turns, and go when there is none or the time is over."""
        until = self.clock() + seconds
        while True:
            with self.lock:
                self.tidy()
                ready, _ = self.order()
                if not ready or self.clock() >= until:
                    self.n_threads -= 1
                    return
                job = ready[0]
                self.queue.remove(job)
                self.new_is_next = job.run is not None
                job.state = "working"
            ended: State | None
            try:
                ended = job.work(self.watch(job, until), apart)
            except Exception:  # the run is lost, the scheduler is not
                logging.getLogger(__name__).exception("a training run failed")
                ended = "failed"
            with self.lock:
                self.end_turn(job, ended)

    def watch(self, job: Job, until: float) -> Callable[[], bool]:
        """Return a test of whether a turn may go on; once a second it looks for the tab of the run."""
        began = looked = self.clock()
        is_first = job.run is None

        def may_go_on() -> bool:
            nonlocal looked
            now = self.clock()
            if now >= until or (now - began >= SHORT_TURN and now - began >= self.turn(is_first)):
                return False
            if now - looked < 1:
                return True
            looked = now
            return not self.alone(job)

        return may_go_on

    def end_turn(self, job: Job, ended: State | None) -> None:
        """Note why a run has left its place, and learn from it how fast this server is."""
        if job.step >= LEARNED_FROM and job.until is None:  # not from steps that are taken one by one
            self.pace = (self.pace + job.worked / job.step * job.plan.steps / job.expected) / 2
        if ended:
            self.rest(job, ended)
        elif job.wish == "stop":
            job.keep()
            self.rest(job, "stopped")
        elif not job.goes_on:
            self.rest(job, "paused")
        elif self.alone(job):
            self.jobs.pop(job.token, None)
            self.rest(job, "left")
        else:  # its turn is over; where no other run waits it is at once its turn again
            alone = not self.order()[0]
            self.new_is_next |= not any(other.run for other in self.queue)
            self.enqueue(job)
            job.state = "working" if alone else "waiting"

    def rest(self, job: Job, state: State) -> None:
        """Note that a run is paused or has ended; others can have its place and its memory."""
        job.state = state
        if job.ended:
            job.release()
        evict(self.holders, self.present)
        self.wake()

    def hold(self, holder: Holder) -> None:
        """Count what a session holds, too."""
        with self.lock:
            holder.since = self.clock()
            self.holders.add(holder)
            evict(self.holders, self.present)
