"""The training step beside PyTorch's, `autograd`'s, `glassllm`'s, and beside its own matrix products."""

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
AUTOGRAD_SIZES = ("a", "b")
MICRO_BATCH = 8  # sequences

OURS = ["1 worker", "2 workers", "1 worker, 2 BLAS threads"]
TORCH = ["PyTorch, 1 thread", "PyTorch, 2 threads"]
AUTOGRAD = ["autograd", "autograd kept in float32"]
PRODUCTS = ["products, whole batch", f"products, {MICRO_BATCH} sequences at a time"]


def rows(effort: Effort) -> Iterator[Row]:
    """Measure each configuration with all its sides in turns."""
    for name, (one_thread, two_threads, products) in GOALS.items():
        times = interleave(sides(name), effort)
        step = f"training step, {name}"
        yield compare(f"{step} ÷ PyTorch eager, one thread each", times, OURS[:1], TORCH[:1], one_thread)
        yield compare(f"{step} ÷ PyTorch eager, two threads, each at its best", times, OURS, TORCH, two_threads)
        yield compare(f"{step} ÷ its matrix products alone, one thread", times, OURS[:1], PRODUCTS, products)
        if name in AUTOGRAD_SIZES:
            for rival, goal in zip(AUTOGRAD, (1 / 8, None), strict=True):
                yield compare(f"{step} ÷ {rival}, one thread each", times, OURS[:1], [rival], goal)
    times = interleave(glassllm_sides(), effort)
    yield compare("training step ÷ glassllm at its own size, one thread each", times, OURS[:1], ["glassllm"], 1 / 3)


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
        *(autograd_sides(name) if name in AUTOGRAD_SIZES else []),
    ]


def autograd_sides(name: str) -> list[Side]:
    """Return autograd with its own mean, whose gradient is float64, and with one that stays in float32."""
    return [
        Side(label, "rival_autograd.train_step", {"size": name, "mean": mean})
        for label, mean in zip(AUTOGRAD, ("autograd", "float32"), strict=True)
    ]


def glassllm_sides() -> list[Side]:
    """Return our step at the size of the model that glassllm ships, and its own."""
    size = {"size": "glassllm"}
    return [
        Side(OURS[0], "ours.train_step", size | {"workers": 1}),
        Side("glassllm", "rival_glassllm.train_step", size),
    ]
