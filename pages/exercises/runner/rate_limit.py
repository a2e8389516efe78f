"""The rate limit of one student: a moment between two runs, and a pause after endless loops in a row."""

from typing import NamedTuple

BETWEEN, LOOPS, AFTER_LOOPS = 1.0, 3, 10.0  # seconds, time-outs in a row, seconds


class Pace(NamedTuple):
    """When a student may run code again, in the time of a monotonic clock."""

    free_at: float = 0.0
    loops: int = 0

    def wait(self, now: float) -> float:
        """Return the seconds until the next run is allowed."""
        return max(0.0, self.free_at - now)

    def after(self, status: str, now: float) -> "Pace":
        loops = self.loops + 1 if status == "timeout" else 0
        return Pace(now + AFTER_LOOPS, 0) if loops == LOOPS else Pace(now + BETWEEN, loops)
