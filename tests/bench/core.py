"""A training step, a generated token and `flash_attention`, beside PyTorch's."""

from collections.abc import Iterator

from tests.bench.ours import SIZES
from tests.bench.table import Row, compare
from tests.bench.timing import Effort, Side, interleave

LENGTHS = (512, 1024, 2048, 4096, 8192)
OURS = ["1 worker", "2 workers", "1 worker, 2 BLAS threads"]
TORCH = ["PyTorch, 1 thread", "PyTorch, 2 threads"]


def step_rows(effort: Effort) -> Iterator[Row]:
    """Measure each configuration with all its sides in turns."""
    for name in "abcd":
        size = {"size": name}
        sides = [
            Side(OURS[0], "ours.train_step", size | {"workers": 1}),
            Side(TORCH[0], "rival_torch.train_step", size),
            Side(OURS[1], "ours.train_step", size | {"workers": 2}),
            Side(TORCH[1], "rival_torch.train_step", size, threads=2),
            Side(OURS[2], "ours.train_step", size | {"workers": 1}, threads=2),
        ]
        times = interleave(sides, effort)
        step = f"training step, {name}"
        yield compare(f"{step} ÷ PyTorch eager, one thread each", times, OURS[:1], TORCH[:1])
        yield compare(f"{step} ÷ PyTorch eager, two threads, each at its best", times, OURS, TORCH)


def token_rows(effort: Effort) -> Iterator[Row]:
    """Measure generation with the KV cache from a prompt of one token until the context is full."""
    for name in ("b, T = 256", "c, T = 256"):
        sides = [Side("ours", "ours.generate", {"size": name}), Side("PyTorch", "rival_torch.generate", {"size": name})]
        n_new = SIZES[name].length - 1
        times = interleave(sides, effort)
        what = f"a token, {name} ÷ PyTorch eager, one thread each"
        yield compare(what, times, ["ours"], ["PyTorch"], lambda seconds, n=n_new: f"{n / seconds:,.0f} tokens/s")


def flash_rows(effort: Effort) -> Iterator[Row]:
    """Measure `flash_attention` with one thread and with two: 8 heads of 64, causal."""
    for threads in (1, 2):
        for n in LENGTHS[:2] if effort.quick else LENGTHS:
            ours = Side("ours", "ours.attention", {"n": n, "workers": threads})  # BLAS keeps to one thread for each
            torch = Side("PyTorch", "rival_torch.attention", {"n": n}, threads)
            what = f"flash_attention, n = {n:,} ÷ PyTorch's fused kernel, threads {threads} : {threads}"
            yield compare(what, interleave([ours, torch], effort), ["ours"], ["PyTorch"])
