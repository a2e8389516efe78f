"""Which training run has its turn next, and how long a turn is."""

import math
from collections import Counter
from collections.abc import Iterable
from itertools import zip_longest

from pages.tiny_lm.train.job import Job
from pages.tiny_lm.train.memory import Holder

TURN = 3.0  # seconds of a turn while others wait: most runs need no second one
SHORT_TURN = 0.5  # seconds of a turn while very many wait
BEGINNING, ROUND = 10.0, 30.0  # seconds that the first turns of all new runs take, and a turn of each waiting run
ROOM = 64 << 20  # bytes for the runs of one size that have begun: however many large ones come, small ones can begin


def turn_order(queue: Iterable[Job], holders: Iterable[Holder], new_is_next: bool) -> tuple[list[Job], list[Job]]:
    """Return the queue in the order of its turns, and those that cannot begin yet for lack of memory.

    Runs that have begun alternate with new ones, so that neither wait for all the others.
    """
    taken = Counter[int]()
    for job in holders:
        if isinstance(job, Job) and (job.state == "working" or (job.run and job.state == "waiting")):
            taken[size_class(job)] += job.needs
    begun: list[Job] = []
    new: list[Job] = []
    blocked: list[Job] = []
    for job in queue:
        if job.run:
            begun.append(job)
            continue
        taken[size_class(job)] += job.needs
        (new if taken[size_class(job)] <= ROOM else blocked).append(job)
    pairs = zip_longest(new, begun) if new_is_next else zip_longest(begun, new)
    return [job for pair in pairs for job in pair if job], blocked


def turn_seconds(ready: list[Job], is_first: bool) -> float:
    """Return the seconds of a turn, the first of a run or a later one: the fewer, the more runs wait."""
    if not ready:
        return math.inf
    n_new = sum(not job.run for job in ready)
    return min(TURN, max(SHORT_TURN, BEGINNING / max(1, n_new) if is_first else ROUND / len(ready)))


def size_class(job: Job) -> int:
    """Return the power of two, 1 MiB at least, of the bytes that a run needs: runs of one class share their room."""
    return max(20, (job.needs - 1).bit_length())
