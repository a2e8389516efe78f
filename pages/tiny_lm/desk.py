"""The desk: runs wait here in line, and a few threads serve them, so that the lessons stay quick for everybody.

Where no thread can be started, as in a browser, whoever looks at a run serves the line for a moment, time and again.
"""

import logging
import math
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress

from pages.tiny_lm.job import Job

ALONE = 45.0  # seconds that a run goes on while nobody is there to see it: enough to load the page anew
MOST_KEPT = 16 << 20  # bytes of the copies that all runs together keep
LEARNED_FROM = 20  # steps: fewer say little about the pace
LONGEST_LINE = 60  # runs that may wait; the next is asked to come again
MOMENT = 0.25  # seconds that one look works on the line where no thread does


class Desk:
    """At most so many runs at once; the others wait in the order in which they came."""

    def __init__(self, n_places: int, present: Callable[[str], bool] = lambda owner: False) -> None:
        self.n_places, self.present = n_places, present
        self.lock = threading.Lock()
        self.line: deque[Job] = deque()
        self.n_threads = 0
        self.jobs: dict[str, Job] = {}
        self.pace = 1.0  # how many times longer than expected the last runs took here

    def start(self, job: Job) -> bool:
        """Put a run at the end of the line; tell whether there was room."""
        with self.lock:
            self.tidy()
            if len(self.line) >= LONGEST_LINE:
                return False
            self.jobs[job.token] = job
            self.queue(job)
        return True

    def queue(self, job: Job) -> None:
        """Put a run at the end of the line, and someone at the desk."""
        job.wish, job.state = "go on", "waiting"
        self.line.append(job)
        if self.n_threads < self.n_places:
            with suppress(RuntimeError):  # no thread can be had
                threading.Thread(target=self.serve, name="training", daemon=True).start()
                self.n_threads += 1

    def pause(self, job: Job) -> None:
        """Have a run leave its place, or the line, until it is resumed."""
        with self.lock:
            if job in self.line:
                self.line.remove(job)
                job.state = "paused"
            elif job.state == "working":
                job.wish = "pause"

    def resume(self, job: Job) -> None:
        """Put a paused run back into the line."""
        with self.lock:
            if job.state == "paused":
                self.queue(job)
            elif job.state == "working" and job.wish == "pause":  # it had not left yet
                job.wish = "go on"

    def stop(self, job: Job) -> None:
        """End a run; what it has learned so far stays."""
        with self.lock:
            if job in self.line:
                self.line.remove(job)
            elif job.state == "working":
                job.wish = "stop"
                return
            if not job.ended:
                job.keep()
                job.state = "stopped"

    def place(self, job: Job) -> int:
        """Return how many runs stand before this one; 0 where it is its turn."""
        with self.lock:
            return self.line.index(job) if job in self.line else 0

    def see(self, job: Job) -> None:
        """Note that somebody looks at a run; where no thread serves the line, do it for a moment."""
        job.seen = time.monotonic()
        if self.unserved():
            self.serve(MOMENT)

    def unserved(self) -> bool:
        """Tell whether runs wait and no thread could be had for them; whoever is told so has a place at the desk."""
        with self.lock:
            unserved = bool(self.line) and not self.n_threads
            self.n_threads += unserved
            return unserved

    def clear_up(self) -> None:
        """Forget the runs that nobody sees; whoever comes by may ask for it."""
        with self.lock:
            self.tidy()

    def found(self, token: str, owner: str) -> Job | None:
        """Return a run to whoever knows its token, if the one who had it is gone."""
        with self.lock:
            self.tidy()
            job = self.jobs.get(token)
            if job is None or (job.owner != owner and self.present(job.owner)):
                return None
            job.owner, job.seen = owner, time.monotonic()
            return job

    def alone(self, job: Job) -> bool:
        """Tell whether nobody has been there to see a run for a while."""
        now = time.monotonic()
        if self.present(job.owner):
            job.seen = now
        return now - job.seen > ALONE

    def tidy(self) -> None:
        """Forget the runs that nobody sees, and the longest unseen of those that have ended if they take much room."""
        for token, job in list(self.jobs.items()):
            if self.alone(job):
                self.leave(job)
                del self.jobs[token]
        ended = sorted((job for job in self.jobs.values() if job.ended), key=lambda job: job.seen)
        while ended and sum(job.size for job in self.jobs.values()) > MOST_KEPT:
            del self.jobs[ended.pop(0).token]

    def leave(self, job: Job) -> None:
        """End a run that nobody sees."""
        if job in self.line:
            self.line.remove(job)
        elif job.ended or job.state == "working":  # one that is worked on leaves by itself
            return
        job.state = "left"

    def serve(self, seconds: float = math.inf) -> None:
        """Work on the runs in the line, one after the other, and go when none is left or the time is over."""
        until = time.monotonic() + seconds
        while True:
            with self.lock:
                self.tidy()
                if not self.line or time.monotonic() > until:
                    self.n_threads -= 1
                    return
                job = self.line.popleft()
                job.state = "working"
            try:
                job.work(self.watch(job, until))
            except Exception:  # the run is lost, the desk is not
                logging.getLogger(__name__).exception("a training run failed")
                job.state = "failed"
            with self.lock:
                self.let_go(job)

    def watch(self, job: Job, until: float) -> Callable[[], bool]:
        """Return a test of whether there is time, and somebody to see a run, which looks once a second."""
        looked = time.monotonic()

        def may_go_on() -> bool:
            nonlocal looked
            now = time.monotonic()
            if now - looked < 1:
                return now < until
            looked = now
            return now < until and not self.alone(job)

        return may_go_on

    def let_go(self, job: Job) -> None:
        """Say why a run has left its place, and learn from it how fast this server is."""
        if job.step >= LEARNED_FROM:
            self.pace = (self.pace + job.worked / job.step * job.plan.steps / job.expected) / 2
        if job.ended:
            return
        if job.wish == "stop":
            job.keep()
            job.state = "stopped"
        elif job.wish == "pause":
            job.state = "paused"
        elif self.alone(job):
            job.state = "left"
            self.jobs.pop(job.token, None)
        else:  # it was resumed just when it left, or the time is over; whoever serves the line comes back to it
            job.state = "waiting" if self.line else "working"
            self.line.append(job)
