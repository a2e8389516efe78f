"""The training step beside PyTorch's, and beside its own matrix products."""

from collections.abc import Iterator

from tests.bench.sizes import SIZES
from tests.bench.table import Row, compare
from tests.bench.timing import Effort, Side, interleave

GOALS = {  # PyTorch on one thread, on two; the matrix products
    "a": (0.60, 0.65, 2.6),
    "b": (0.90, 0.85, 1.9),
    "c": (0.95, 0.85, 1.45),
    "d": (0.95, 0.90, 1.35),
}
MICRO_BATCH = 8  # sequences

OURS = ["1 worker", "2 workers", "1 worker, 2 BLAS threads"]
TORCH = ["PyTorch, 1 thread", "PyTorch, 2 threads"]
PRODUCTS = ["products, whole batch", f"products, {MICRO_BATCH} sequences at a time"]


def rows(effort: Effort) -> Iterator[Row]:
    """Measure each configuration with all its sides in turns."""
    for name, (one_thread, two_threads, products) in GOALS.items():
        times = interleave(sides(name), effort)
        step = f"training step, {name}"
        yield compare(f"{step} ÷ PyTorch eager, one thread each", times, OURS[:1], TORCH[:1], one_thread)
        yield compare(f"{step} ÷ PyTorch eager, two threads, each at its best", times, OURS, TORCH, two_threads)
        yield compare(f"{step} ÷ its matrix products alone, one thread", times, OURS[:1], PRODUCTS, products)


def sides(name: str) -> list[Side]:
    """Return all that is measured in one configuration."""
    size = {"size": name}
    return [
        Side(OURS[0], "ours.train_step", size | {"workers": 1}),
        Side(TORCH[0], "rival_torch.train_step", size),
        Side(PRODUCTS[0], "yardsticks.products", size | {"sequences": SIZES[name].batch}),
        Side(PRODUCTS[1], "yardsticks.products", size | {"sequences": MICRO_BATCH}),
        Side(OURS[1], "ours.train_step", size | {"workers": 2}),
        Side(TORCH[1], "rival_torch.train_step", size, threads=2),
        Side(OURS[2], "ours.train_step", size | {"workers": 1}, threads=2),
    ]
