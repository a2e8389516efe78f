"""One generated token with the KV cache, beside PyTorch's."""

from collections.abc import Iterator

from tests.bench.sizes import SIZES
from tests.bench.table import Row, compare
from tests.bench.timing import Effort, Side, interleave

GOAL = 0.55


def rows(effort: Effort) -> Iterator[Row]:
    """Measure generation from a prompt of one token until the context is full."""
    for name in ("b, T = 256", "c, T = 256"):
        sides = [
            Side("KV cache", "ours.generate", {"size": name}),
            Side("PyTorch, KV cache", "rival_torch.generate", {"size": name}),
        ]
        n_new = SIZES[name].length - 1
        times = interleave(sides, effort)
        yield compare(
            f"a token, {name} ÷ PyTorch eager, one thread each",
            times,
            ["KV cache"],
            ["PyTorch, KV cache"],
            GOAL,
            lambda seconds, n_new=n_new: f"{n_new / seconds:,.0f} tokens/s",
        )
