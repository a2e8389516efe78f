"""`flash_attention` beside PyTorch's fused kernel and beside the textbook form: 8 heads of 64, causal."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tests.bench.table import Row, as_ratio, compare
from tests.bench.timing import Effort, Side, interleave, peak_memory

LENGTHS = (512, 1024, 2048, 4096, 8192)
GOAL_TORCH, GOAL_TIME, GOAL_MEMORY, GOAL_PEAK = 1.25, 1 / 20, 1 / 150, 40  # the peak in MiB
TEXTBOOK_ROUNDS, TEXTBOOK_GIB = 2, 7


def rows(effort: Effort) -> Iterator[Row]:
    """Measure all lengths with one thread and with two, then the textbook form at the last length."""
    for threads in (1, 2):
        for n in LENGTHS:
            ours, torch = our_side(n, threads), Side("PyTorch", "rival_torch.attention", {"n": n}, threads)
            what = f"flash_attention, n = {n:,} ÷ PyTorch's fused kernel, threads {threads} : {threads}"
            yield compare(what, interleave([ours, torch], effort), [ours.label], [torch.label], GOAL_TORCH)
    if not effort.quick:
        yield from textbook_rows(LENGTHS[-1], effort)


def our_side(n: int, workers: int) -> Side:
    """Return our attention over n positions; BLAS keeps to one thread for each worker."""
    label = "1 worker" if workers == 1 else f"{workers} workers"
    return Side(label, "ours.attention", {"n": n, "workers": workers})


def textbook_rows(n: int, effort: Effort) -> Iterator[Row]:
    """Measure time and memory against softmax(q kᵀ / √K + mask) v written down as it stands."""
    what = f"flash_attention, n = {n:,}"
    ours, textbook = our_side(n, 2), Side("textbook, 2 BLAS threads", "yardsticks.textbook", {"n": n}, threads=2)
    our_peak = peak_memory(ours)
    if available_gib() < TEXTBOOK_GIB:
        yield Row(f"{what} ÷ textbook form", "", f"needs {TEXTBOOK_GIB} GiB of free memory", "", "")
    else:
        times = interleave([ours, textbook], replace(effort, rounds=TEXTBOOK_ROUNDS))
        yield compare(f"{what} ÷ textbook form, time", times, [ours.label], [textbook.label], GOAL_TIME)
        peak = peak_memory(textbook)
        memory = f"{what} ÷ textbook form, peak memory"
        goal = f"≤ {as_ratio(GOAL_MEMORY)}"
        yield Row(memory, f"{our_peak:.1f} MiB", f"{peak:,.0f} MiB", as_ratio(our_peak / peak), goal)
    yield Row(f"{what}, peak memory", f"{our_peak:.1f} MiB", "", "", f"≤ {GOAL_PEAK} MiB")


def available_gib() -> float:
    """Return the memory that a new process can have; without a way to know, as much as it wants."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return float("inf")
    return next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable")) / 2**20
